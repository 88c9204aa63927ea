"""Levels of a node's loggers: kraftsim's nodes have no Log4j, and so none but the root logger.

A request for one is refused as Kafka refuses it for a logger that does not exist.
"""

from ..errors import ApiError, ErrorCode
from ..java_text import parse_integer
from ..profile import Profile
from ..rpc.configs import AlterConfigsResource, IncrementalAlterConfigsResource
from .resources import invalid_request
from .validators import invalid

_SET, _DELETE, _APPEND, _SUBTRACT = range(4)


def check(
    node_id: int, resource: IncrementalAlterConfigsResource | AlterConfigsResource, profile: Profile
) -> None:
    """Raises INVALID_REQUEST or INVALID_CONFIG for a change of the node's loggers."""
    if isinstance(resource, AlterConfigsResource):
        raise invalid_request("Unexpected resource type BROKER_LOGGER.")
    name = resource.resource_name
    number = parse_integer(name, 32)
    if number is None:
        raise invalid_request(f"Node id must be an integer, but it is: {name}")
    if number != node_id:
        named = number if profile.names_other_nodes else node_id
        raise invalid_request(f"Unexpected node id. Expected {node_id}, but received {named}")
    for config in resource.configs:
        if config.config_operation in (_APPEND, _SUBTRACT):
            word = "APPEND" if config.config_operation == _APPEND else "SUBTRACT"
            text = f"{word} operation is not allowed for the BROKER_LOGGER resource"
            raise invalid_request(text)
        if config.config_operation not in (_SET, _DELETE):
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
        if config.name == "root" and config.config_operation == _DELETE:
            raise invalid_request("Removing the log level of the root logger is not allowed")
        raise invalid(f"Logger {config.name} does not exist!")
