"""Changes of a broker's own configurations, which the broker checks and the controller does not."""

from collections.abc import Callable, Mapping

from ..errors import ApiError
from ..java_text import parse_integer
from ..profile import Profile
from ..rpc.configs import AlterConfigsResource, IncrementalAlterConfigsResource
from . import node_configs
from .lists import appended, default_list, subtracted
from .node_values import parse
from .remote_storage import check_remote_storage
from .resources import ResourceType, invalid_request
from .thread_pools import check_pools
from .validators import invalid

_ADVERTISED = "advertised.listeners"
_OPERATIONS = range(4)
SET, DELETE, APPEND, SUBTRACT = _OPERATIONS
_WORDS = {APPEND: "append", SUBTRACT: "subtract"}


CheckTogether = Callable[[Profile, Mapping[str, str]], None]
"""Raises ValueError, with Kafka's message, if values of a node, by name, contradict each other."""
Resource = IncrementalAlterConfigsResource | AlterConfigsResource


def check_broker_changes(
    view: node_configs.NodeView, resource: Resource, check_together: CheckTogether
) -> None:
    """Raises ApiError for changes that a running broker, or the whole cluster, may not have."""
    _check_node(view, resource.resource_name)
    texts = _new_texts(view, resource)
    unlisted = [name for name in texts if node_configs.needs_listener(name)]
    fixed = [name for name in texts if name in view.known and not view.known[name].is_dynamic]
    if fixed:
        raise invalid_request(f"Cannot update these configs dynamically: [{', '.join(fixed)}]")
    if unlisted:
        raise invalid_request(
            "These security configs can be dynamically updated only per-listener using the "
            f"listener prefix: [{', '.join(unlisted)}]"
        )
    own = [name for name in texts if node_configs.needs_node(view, name)]
    if own and not resource.resource_name:
        raise invalid_request(
            "Cannot update these configs at default cluster level, broker id must be specified: "
            f"[{', '.join(own)}]"
        )
    for name, text in texts.items():
        if name in view.known:
            _parse(view, name, text)
    own_level = {} if resource.resource_name else view.dynamic(str(view.node_id))
    effective = {name: text for name, text in texts.items() if name not in own_level}
    after = ((_changed_level(resource), effective), *_without_removed(view, resource))
    _check_values(view.profile, after[:-1], check_together)  # without the defaults, the last level
    check_pools(view.levels, effective)
    check_remote_storage(after, has_copy_lag="log.remote.copy.lag.ms" in view.known)
    _check_advertised(view, effective)


def _check_node(view: node_configs.NodeView, name: str) -> None:
    if not name:
        return
    number = parse_integer(name, 32)
    if number is None:
        raise invalid_request(f"Node id must be an integer, but it is: {name}")
    if number != view.node_id:
        text = f"Unexpected broker id, expected {view.node_id}, but received {number}"
        raise invalid_request(text)


def _new_texts(view: node_configs.NodeView, resource: Resource) -> dict[str, str]:
    """Returns the values that are set, and what lists become."""
    if isinstance(resource, AlterConfigsResource):
        return {config.name: config.value or "" for config in resource.configs}
    texts = {}
    for config in resource.configs:
        text = config.value or ""
        if config.config_operation not in _OPERATIONS:
            raise invalid_request(f"Unknown operations type {config.config_operation}")
        if config.config_operation in _WORDS:
            if default_list(view.profile, ResourceType.BROKER, config.name) is None:
                word = _WORDS[config.config_operation]
                raise invalid(f"Config value {word} is not allowed for config key: {config.name}")
            change = appended if config.config_operation == APPEND else subtracted
            text = change(node_configs.in_force(view.levels, config.name) or "", text)
        if config.config_operation != DELETE:
            texts[config.name] = text
    return texts


def _check_advertised(view: node_configs.NodeView, texts: Mapping[str, str]) -> None:
    """Raises INVALID_REQUEST for other advertised listeners, which 3.9 calls dynamic."""
    text = texts.get(_ADVERTISED)
    if text is not None and text != node_configs.in_force(view.levels, _ADVERTISED):
        raise invalid_request(
            "Invalid value org.apache.kafka.common.config.ConfigException: Advertised listeners "
            "cannot be altered when using a Raft-based metadata quorum. for configuration Invalid "
            "dynamic configuration"
        )


def _changed_level(resource: Resource) -> int:
    return node_configs.FROM_NODE if resource.resource_name else node_configs.FROM_CLUSTER_DEFAULT


def _without_removed(view: node_configs.NodeView, resource: Resource) -> node_configs.Levels:
    changed, removed = _changed_level(resource), _removed(view, resource)
    return tuple(
        (source, {n: text for n, text in values.items() if source != changed or n not in removed})
        for source, values in view.levels
    )


def _check_values(
    profile: Profile, levels: node_configs.Levels, check_together: CheckTogether
) -> None:
    """Raises INVALID_REQUEST if the values after the change contradict each other (rule 4.66)."""
    names = {name for _, values in levels for name in values}
    known = {name: node_configs.in_force(levels, name) or "" for name in sorted(names)}
    try:
        check_together(profile, known)
    except ValueError as error:
        raise invalid_request(str(error)) from None


def _removed(view: node_configs.NodeView, resource: Resource) -> set[str]:
    """Returns the names that a request removes; AlterConfigs removes what it does not name."""
    if isinstance(resource, AlterConfigsResource):
        return {*view.dynamic(resource.resource_name)}
    return {config.name for config in resource.configs if config.config_operation == DELETE}


def _parse(view: node_configs.NodeView, name: str, text: str) -> None:
    """Raises INVALID_REQUEST, where a topic's configuration would be INVALID_CONFIG."""
    try:
        parse(view.profile.topic_configs, view.known[name], text)
    except ApiError as error:
        raise invalid_request(error.message) from None
