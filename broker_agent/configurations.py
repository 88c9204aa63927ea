"""Configurations at a broker's listener: what it answers, refuses and forwards.

A broker checks its own configurations; the controller does not. It describes from the metadata that
it has fetched, and forwards what it does not refuse.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kraftsim.controller.core import rpc
from kraftsim.controller.core.configs import alteration, broker_loggers
from kraftsim.controller.core.configs.guards import CORDONED_LOG_DIRS
from kraftsim.controller.core.configs.node_changes import CheckTogether, check_broker_changes
from kraftsim.controller.core.configs.node_configs import NodeView, topic_default
from kraftsim.controller.core.configs.resources import ResourceType, has_configs, invalid_request
from kraftsim.controller.core.configs.topic_table import TOPIC_CONFIGS
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.log.records import BROKER_RESOURCE, TOPIC_RESOURCE
from kraftsim.controller.raft.protocol import Reply

from .config import CLIENT_LISTENER, AgentConfig

if TYPE_CHECKING:  # imported with the first message
    from .log.settings import LogSettings

Found = Mapping[str, str] | None
KnownSettings = dict[str, tuple[tuple[Found, Found, Found], "LogSettings"]]
"""The settings of logs by topic, with the configurations from which they were made."""
AlterRequest = rpc.IncrementalAlterConfigsRequest | rpc.AlterConfigsRequest
Resource = rpc.IncrementalAlterConfigsResource | rpc.AlterConfigsResource
Forward = Callable[[AlterRequest, Callable[[Reply], None]], None]
_DELETE = 1
_LISTED = (
    ResourceType.TOPIC,
    ResourceType.BROKER,
    ResourceType.BROKER_LOGGER,
    ResourceType.CLIENT_METRICS,
    ResourceType.GROUP,
)
_FORWARDED = (ResourceType.TOPIC, ResourceType.CLIENT_METRICS, ResourceType.GROUP)
_NO_ERROR = ApiError(ErrorCode.NONE, "")


def properties(config: AgentConfig) -> dict[str, str]:
    """Returns the configurations of Kafka's with which such a broker is started."""
    listeners = ",".join(f"{of.name}://{of.host}:{of.port}" for of in config.listeners)
    names = ("CONTROLLER", *(of.name for of in config.listeners))
    own = {} if config.rack is None else {"broker.rack": config.rack}
    if config.inter_broker_listener != CLIENT_LISTENER:  # Kafka's own default, by its protocol
        own["inter.broker.listener.name"] = config.inter_broker_listener
    if config.cordoned_log_dirs:
        own[CORDONED_LOG_DIRS] = config.cordoned_log_dirs
    return {
        **config.static,
        **own,
        "process.roles": "broker",
        "node.id": str(config.broker_id),
        "broker.id": str(config.broker_id),
        "listeners": listeners,
        "advertised.listeners": listeners,
        "listener.security.protocol.map": ",".join(f"{name}:PLAINTEXT" for name in names),
        "controller.listener.names": "CONTROLLER",
        "log.dirs": ",".join(directory.path for directory in config.log_dirs),
    }


def alter(
    view: NodeView,
    request: AlterRequest,
    check_together: CheckTogether,
    forward: Forward,
    reply_to: Callable[[Reply], None],
) -> None:
    """Refuses what this broker refuses, and forwards the other resources of the request."""
    counts = Counter((of.resource_type, of.resource_name) for of in request.resources)
    answered: list[rpc.AlterConfigsResourceResponse] = []
    remaining: list[Resource] = []
    for resource in request.resources:
        try:
            if counts[resource.resource_type, resource.resource_name] > 1:
                raise invalid_request("Each resource must appear at most once.")
            _check(view, resource, check_together)
        except ApiError as error:
            answered.append(alteration.refused(resource, error))
            continue
        if resource.resource_type == ResourceType.BROKER_LOGGER:
            answered.append(alteration.refused(resource, _NO_ERROR))
        else:
            remaining.append(resource)
    if answered and not remaining:
        reply_to(_response(request, answered))
    else:
        forward(_of_the_controller(request, remaining), partial(_forwarded, answered, reply_to))


def _of_the_controller(request: AlterRequest, remaining: Iterable[Resource]) -> AlterRequest:
    """Returns the request with what the controller decides."""
    if isinstance(request, rpc.AlterConfigsRequest):
        whole = (of for of in remaining if isinstance(of, rpc.AlterConfigsResource))
        return replace(request, resources=tuple(whole), is_forwarded=True)
    changes = (of for of in remaining if isinstance(of, rpc.IncrementalAlterConfigsResource))
    return replace(request, resources=tuple(changes), is_forwarded=True)


def _response(
    request: AlterRequest, responses: Iterable[rpc.AlterConfigsResourceResponse]
) -> rpc.IncrementalAlterConfigsResponse | rpc.AlterConfigsResponse:
    if isinstance(request, rpc.AlterConfigsRequest):
        return rpc.AlterConfigsResponse(responses=tuple(responses))
    return rpc.IncrementalAlterConfigsResponse(responses=tuple(responses))


def _forwarded(
    answered: list[rpc.AlterConfigsResourceResponse],
    reply_to: Callable[[Reply], None],
    reply: Reply,
) -> None:
    """Appends the results of the resources that the broker itself refused, and replies."""
    if isinstance(reply, rpc.IncrementalAlterConfigsResponse | rpc.AlterConfigsResponse):
        reply = replace(reply, responses=(*reply.responses, *answered))
    reply_to(reply)


def _check(view: NodeView, resource: Resource, check_together: CheckTogether) -> None:
    """Raises ApiError for a resource that the broker does not forward."""
    names = [config.name for config in resource.configs]
    if len(set(names)) != len(names):
        raise invalid_request("Error due to duplicate config keys")
    nulls = [name for name, has_value in _values(resource) if not has_value]
    if nulls:
        raise invalid_request(f"Null value not supported for : {', '.join(nulls)}")
    if resource.resource_type == ResourceType.BROKER:
        check_broker_changes(view, resource, check_together)
    elif resource.resource_type == ResourceType.BROKER_LOGGER and isinstance(
        resource, rpc.IncrementalAlterConfigsResource
    ):
        broker_loggers.check(view.node_id, resource, view.profile)
    elif resource.resource_type not in _FORWARDED or not has_configs(
        resource.resource_type, view.profile
    ):
        raise invalid_request(f"Unknown resource type {resource.resource_type}")
    elif (
        resource.resource_type == ResourceType.GROUP
        and view.profile.checks_group_configs_at_brokers
    ):
        key = (ResourceType.GROUP, resource.resource_name)
        current = view.image.configs.get(key, {})
        alteration.check_group(view.profile, resource, current, view.static)


def _values(resource: Resource) -> Iterator[tuple[str, bool]]:
    """Yields the names of the configurations with whether they have the value that they need."""
    if isinstance(resource, rpc.AlterConfigsResource):
        yield from ((config.name, config.value is not None) for config in resource.configs)
        return
    for config in resource.configs:
        yield config.name, config.config_operation == _DELETE or config.value is not None


def list_resources(
    image: Image, request: rpc.ListConfigResourcesRequest
) -> rpc.ListConfigResourcesResponse:
    """Answers a ListConfigResources request; no types mean every type."""
    types = request.resource_types or _LISTED
    if any(of not in _LISTED for of in types):
        return rpc.ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    found = tuple(
        rpc.ListedConfigResource(resource_name=name, resource_type=of)
        for of in dict.fromkeys(types)
        for name in _names(image, of)
    )
    return rpc.ListConfigResourcesResponse(config_resources=found)


def _names(image: Image, resource_type: int) -> Iterable[str]:
    """Returns the names of a type: groups and client metrics exist if they are configured."""
    if resource_type == ResourceType.TOPIC:
        return sorted(image.topic_ids)
    if resource_type in (ResourceType.BROKER, ResourceType.BROKER_LOGGER):
        return [str(broker.broker_id) for broker in image.brokers.values() if not broker.fenced]
    return sorted(name for of, name in image.configs if of == resource_type)


# The logs of topics


def texts_of(view: NodeView, topic: str) -> Mapping[str, str]:
    """Returns the values of a topic's configurations that act on its logs."""
    from .log.settings import NAMES  # with the first message

    own = view.image.configs.get((TOPIC_RESOURCE, topic), {})
    known, levels = TOPIC_CONFIGS[view.profile.topic_configs], view.levels
    texts: dict[str, str] = {}
    for name in NAMES:
        text = own.get(name)
        if text is None:
            text = topic_default(levels, name)
        if text is None:
            text = known[name].default
        if text is not None:
            texts[name] = text
    return texts


def log_settings(
    config: AgentConfig, image: Image, topic: str, known_settings: KnownSettings
) -> "LogSettings":
    """Returns the settings of a topic's logs at a broker, as they are now; keeps them as known."""
    configs = image.configs
    own = configs.get((TOPIC_RESOURCE, topic))
    of_broker = configs.get((BROKER_RESOURCE, str(config.broker_id)))
    of_all = configs.get((BROKER_RESOURCE, ""))
    known = known_settings.get(topic)
    if known is not None:
        known_own, known_of_broker, known_of_all = known[0]
        # A change makes a new dictionary.
        if known_own is own and known_of_broker is of_broker and known_of_all is of_all:
            return known[1]
    from .log.settings import settings_of  # with the first message

    static = properties(config)
    view = NodeView(node_id=config.broker_id, profile=config.profile, image=image, static=static)
    settings = settings_of(texts_of(view, topic))
    known_settings[topic] = ((own, of_broker, of_all), settings)
    return settings
