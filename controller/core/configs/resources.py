"""The kinds of resources that have configurations, and which names a resource may have."""

from enum import IntEnum

from ..errors import ApiError, ErrorCode
from ..java_text import parse_integer
from ..profile import Profile
from ..state import State
from ..topic_name import flaw


class ResourceType(IntEnum):
    """ConfigResource.Type of Kafka; every other number is UNKNOWN there."""

    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


RESOURCES = {
    "topic": ResourceType.TOPIC,
    "broker": ResourceType.BROKER,
    "group": ResourceType.GROUP,
    "client-metrics": ResourceType.CLIENT_METRICS,
}
"""The kinds of resources that users name, by the words of Kafka's kafka-configs."""
EVERY_BROKER = "default"
"""The name that stands for all brokers, whose name in Kafka's messages is empty."""


def wire_name(resource: str, name: str) -> str:
    """Returns the name of a resource in Kafka's messages, from a word and a name of a user."""
    return "" if (resource, name) == ("broker", EVERY_BROKER) else name


def alterable_type(number: int, profile: Profile) -> ResourceType:
    """Returns the type of a number on the wire; raises UNSUPPORTED_VERSION for an unknown one."""
    if not has_configs(number, profile):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, f"Unknown resource type {number}.")
    return ResourceType(number)


def is_known(number: int) -> bool:
    """True unless the number is that of no type."""
    return number in set(ResourceType) and number != ResourceType.UNKNOWN


def has_configs(number: int, profile: Profile) -> bool:
    """True for a type that has configurations in this release."""
    return is_known(number) and (number != ResourceType.GROUP or profile.has_group_configs)


def check_name(resource_type: ResourceType, name: str) -> None:
    """Raises INVALID_REQUEST or INVALID_TOPIC_EXCEPTION unless a resource may have the name.

    The empty name of a broker is the default of the whole cluster.
    """
    if not name and resource_type in _EMPTY_NAMES:
        raise invalid_request(_EMPTY_NAMES[resource_type])
    if resource_type is ResourceType.TOPIC and (reason := flaw(name)) is not None:
        text = f"Topic name is invalid: {reason}"
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, text)
    if resource_type is ResourceType.BROKER and name:
        broker_id = parse_integer(name, 32)
        if broker_id is None:
            raise invalid_request("Unable to parse broker name as a base 10 number.")
        if broker_id < 0:
            raise invalid_request("Invalid negative broker ID.")


_EMPTY_NAMES = {
    ResourceType.TOPIC: "Default topic resources are not allowed.",
    ResourceType.GROUP: "Default group resources are not allowed.",
    ResourceType.CLIENT_METRICS: "Subscription name can't be empty",
}


def check_existence(state: State, resource_type: ResourceType, name: str) -> None:
    """Raises UNKNOWN_TOPIC_OR_PARTITION or BROKER_ID_NOT_REGISTERED for a missing resource.

    Groups and client metrics need not exist. Static voters count as brokers, and from 4.3 on every
    registered controller does.
    """
    image = state.image
    if resource_type is ResourceType.TOPIC and name not in image.topic_ids:
        text = f"The topic '{name}' does not exist."
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
    if resource_type is ResourceType.BROKER and name:
        node_id = parse_integer(name, 32)
        if node_id not in image.brokers.keys() | _controller_ids(state):
            raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, f"No node with id {node_id} found.")


def _controller_ids(state: State) -> set[int]:
    """Returns the controllers that count as nodes with configurations."""
    registered = state.image.controllers if state.profile.controllers_have_configs else ()
    return {*state.static_voter_ids, *registered}


def invalid_request(message: str) -> ApiError:
    """Returns an INVALID_REQUEST error with a message."""
    return ApiError(ErrorCode.INVALID_REQUEST, message)
