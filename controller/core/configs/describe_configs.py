"""DescribeConfigs (32): the configurations of resources, from the image of one node."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ..errors import ApiError, ErrorCode
from ..hash_order import in_hash_order
from ..java_text import parse_integer
from ..log.records import TOPIC_RESOURCE
from ..rpc.configs import (
    DescribeConfigsEntry,
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from ..topic_name import flaw
from .configuration import Configuration
from .group_configs import BROKER_NAMES_OF_GROUPS, GROUP_CONFIGS
from .metrics_configs import METRICS_CONFIGS
from .node_configs import (
    FROM_CLIENT_METRICS,
    FROM_CLUSTER_DEFAULT,
    FROM_DEFAULT,
    FROM_GROUP,
    FROM_TOPIC,
    TYPE_NUMBERS,
    Levels,
    NodeView,
    all_names,
    applied,
    in_force,
    kind_of,
    shown,
    synonyms_of,
    topic_default,
    type_of,
)
from .node_values import KINDS
from .resources import ResourceType, has_configs, invalid_request
from .topic_table import BROKER_NAMES, TOPIC_CONFIGS
from .validators import LIST

Entries = Iterable[DescribeConfigsEntry]
_TYPE_OF_KIND = {kind: TYPE_NUMBERS[name] for name, kind in reversed(KINDS.items())}
_MALFORMED = (
    "This most likely occurs because of a request being malformed by the client library or the "
    "message was sent to an incompatible broker. See the broker logs for more details."
)


def describe_configs(view: NodeView, request: DescribeConfigsRequest) -> DescribeConfigsResponse:
    """Answers a DescribeConfigs request.

    Raises INVALID_REQUEST if a resource has an unknown type.
    """
    if not all(has_configs(resource.resource_type, view.profile) for resource in request.resources):
        raise invalid_request(_MALFORMED)
    described = _Described(view, request)
    results = tuple(_result(described, resource) for resource in request.resources)
    return DescribeConfigsResponse(results=results)


def refused(resource: DescribeConfigsResource, error: ApiError) -> DescribeConfigsResult:
    """Returns the result of a resource that is refused."""
    return DescribeConfigsResult(
        error_code=error.code,
        error_message=error.message,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


def _result(described: "_Described", resource: DescribeConfigsResource) -> DescribeConfigsResult:
    try:
        configs = described.configs(resource)
    except ApiError as error:
        return refused(resource, error)
    return DescribeConfigsResult(
        resource_type=resource.resource_type, resource_name=resource.resource_name, configs=configs
    )


class _Described:
    """The configurations of the resources of one request.

    Topics with the same own configurations share their description, which is encoded once.
    """

    def __init__(self, view: NodeView, request: DescribeConfigsRequest) -> None:
        self._view = view
        self._levels = view.levels
        self._includes_synonyms = request.include_synonyms
        self._includes_documentation = request.include_documentation
        self._of_topics: dict[object, tuple[DescribeConfigsEntry, ...]] = {}

    def configs(self, resource: DescribeConfigsResource) -> tuple[DescribeConfigsEntry, ...]:
        """Returns the requested configurations; raises ApiError for a resource without any."""
        name, keys = resource.resource_name, resource.configuration_keys
        if resource.resource_type != ResourceType.TOPIC:
            return self._entries(resource)
        _check_topic(self._view, name)
        own = self._view.image.configs.get((TOPIC_RESOURCE, name), {})
        key = (keys, *own.items())
        if key not in self._of_topics:
            self._of_topics[key] = self._entries(resource)
        return self._of_topics[key]

    def _entries(self, resource: DescribeConfigsResource) -> tuple[DescribeConfigsEntry, ...]:
        keys, describe = resource.configuration_keys, _DESCRIBED[resource.resource_type]
        is_of_metrics = resource.resource_type == ResourceType.CLIENT_METRICS
        if is_of_metrics and not self._view.profile.describes_metrics_defaults:
            return tuple(_set_metrics(self._view, resource.resource_name))
        entries = describe(self._view, self._levels, resource.resource_name)
        by_name = {entry.name: entry for entry in entries if not keys or entry.name in keys}
        if self._includes_documentation:
            by_name = {name: _documented(entry) for name, entry in by_name.items()}
        return tuple(
            by_name[name] if self._includes_synonyms else _without_synonyms(by_name[name])
            for name in in_hash_order(by_name)
        )


def _documented(entry: DescribeConfigsEntry) -> DescribeConfigsEntry:
    from .documentation import documentation_of

    return replace(entry, documentation=documentation_of(entry.name))


def _without_synonyms(entry: DescribeConfigsEntry) -> DescribeConfigsEntry:
    return DescribeConfigsEntry(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        config_source=entry.config_source,
        is_sensitive=entry.is_sensitive,
        config_type=entry.config_type,
        documentation=entry.documentation,
    )


def _check_topic(view: NodeView, name: str) -> None:
    if (reason := flaw(name)) is not None:
        text = f"Topic name is invalid: {reason}"
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, text)
    if name not in view.image.topic_ids:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")


def _topic(view: NodeView, levels: Levels, name: str) -> Entries:
    own = view.image.configs.get((TOPIC_RESOURCE, name), {})
    in_use = applied(view, levels)
    for config in TOPIC_CONFIGS[view.profile.topic_configs].values():
        if config.default is None and config.name not in own:
            continue
        brokers = BROKER_NAMES.get(config.name, ())
        synonyms = synonyms_of(levels, brokers[0], is_sensitive=False) if brokers else []
        default = topic_default(in_use, config.name)  # "" is a list without elements
        text = own.get(config.name, config.default or "" if default is None else default)
        # Of an internal one LogConfig keeps no parsed value: Kafka shows it as it was given.
        is_internal = config.default is None
        value = text if is_internal else shown(config.kind, config.name, text)
        yield _own_entry(config, value, own, FROM_TOPIC, synonyms)
    if not view.profile.skips_unknown_configs:
        for unknown in own.keys() - TOPIC_CONFIGS[view.profile.topic_configs].keys():
            yield _unknown_entry(unknown)


def _group(view: NodeView, levels: Levels, name: str) -> Entries:
    if not name:
        raise invalid_request("Group name must not be empty")
    own = view.image.configs.get((ResourceType.GROUP, name), {})
    in_use = applied(view, levels)
    for config in GROUP_CONFIGS[view.profile.topic_configs].values():
        if config.default is None and config.name not in own:
            continue
        broker_name = f"group.{BROKER_NAMES_OF_GROUPS.get(config.name, config.name)}"
        synonyms = _group_synonyms(view, levels, config, broker_name, is_set=config.name in own)
        text = own.get(config.name, in_force(in_use, broker_name) or config.default)
        value = shown(config.kind, config.name, text)
        yield _own_entry(config, value, own, FROM_GROUP, synonyms)


def _group_synonyms(
    view: NodeView, levels: Levels, config: Configuration, broker_name: str, *, is_set: bool
) -> list[DescribeConfigsSynonym]:
    """Returns the values that apply to a group which sets none: the brokers', or the default.

    In 4.1 a group that sets one has no other, and brokers have none.
    """
    synonyms: list[DescribeConfigsSynonym] = []
    if view.profile.names_brokers_of_groups:
        synonyms = synonyms_of(levels, broker_name, is_sensitive=False)
    elif is_set:
        return []
    if synonyms or config.default is None:
        return synonyms
    return [DescribeConfigsSynonym(name=config.name, value=config.default, source=FROM_DEFAULT)]


def _set_metrics(view: NodeView, name: str) -> Entries:
    """Yields what a subscription sets, without types and whatever was asked for, as 3.9 does."""
    _expect_subscription(name)
    own = view.image.configs.get((ResourceType.CLIENT_METRICS, name), {})
    for key in in_hash_order(own):
        yield DescribeConfigsEntry(
            name=key, value=own[key], config_source=FROM_CLIENT_METRICS, documentation=""
        )


def _expect_subscription(name: str) -> None:
    if not name:
        raise invalid_request("Client metrics subscription name must not be empty")


def _client_metrics(view: NodeView, levels: Levels, name: str) -> Entries:
    _expect_subscription(name)
    own = view.image.configs.get((ResourceType.CLIENT_METRICS, name), {})
    for config in METRICS_CONFIGS.values():
        value = shown(config.kind, config.name, own.get(config.name, config.default))
        yield _own_entry(config, value, own, FROM_CLIENT_METRICS, [])


def _own_entry(
    config: Configuration,
    value: str | None,
    own: Mapping[str, str],
    source: int,
    synonyms: list[DescribeConfigsSynonym],
) -> DescribeConfigsEntry:
    """Returns an entry of a topic, group or subscription whose own configurations are `own`."""
    if config.name in own:
        set_here = DescribeConfigsSynonym(name=config.name, value=value, source=source)
        synonyms = [set_here, *synonyms]
    return DescribeConfigsEntry(
        name=config.name,
        value=value,
        config_source=synonyms[0].source if synonyms else FROM_DEFAULT,
        synonyms=tuple(synonyms),
        config_type=_TYPE_OF_KIND[LIST if config.is_list else config.kind],
    )


def _unknown_entry(name: str) -> DescribeConfigsEntry:
    """Returns an entry of a topic's configuration that the release does not know (rule 7.9)."""
    return DescribeConfigsEntry(
        name=name,
        value=None,
        config_source=FROM_TOPIC,
        is_sensitive=True,
        synonyms=(DescribeConfigsSynonym(name=name, value=None, source=FROM_TOPIC),),
        config_type=TYPE_NUMBERS["UNKNOWN"],
    )


def _broker(view: NodeView, levels: Levels, name: str) -> Entries:
    if not name:
        cluster = view.dynamic("")
        return [_cluster_entry(view, cluster, key) for key in cluster]
    _check_node(view, name, "expected {} or empty string, but received {}")
    in_use = applied(view, levels)
    return [_node_entry(view, levels, in_use, key) for key in all_names(view, levels)]


def _cluster_entry(view: NodeView, cluster: Mapping[str, str], name: str) -> DescribeConfigsEntry:
    """Returns an entry of the whole cluster, whose text Kafka shows as it was given."""
    levels = ((FROM_CLUSTER_DEFAULT, cluster),)
    entry = _node_entry(view, levels, levels, name)
    return entry if entry.is_sensitive else replace(entry, value=cluster[name])


def _node_entry(view: NodeView, levels: Levels, in_use: Levels, name: str) -> DescribeConfigsEntry:
    type_name = type_of(view, name)
    is_sensitive = type_name in ("UNKNOWN", "PASSWORD")
    synonyms = synonyms_of(levels, name, is_sensitive=is_sensitive)
    text = in_force(in_use, name)
    config = view.known.get(name)
    return DescribeConfigsEntry(
        name=name,
        value=None if is_sensitive else shown(kind_of(view, type_name), name, text),
        read_only=config is None or not config.is_dynamic,
        config_source=synonyms[0].source if synonyms else FROM_DEFAULT,
        is_sensitive=is_sensitive,
        synonyms=tuple(synonyms),
        config_type=TYPE_NUMBERS[type_name],
    )


def _broker_loggers(view: NodeView, levels: Levels, name: str) -> Entries:
    if not name:
        raise invalid_request("Broker id must not be empty")
    _check_node(view, name, "expected {} but received {}")
    return ()


def _check_node(view: NodeView, name: str, expectation: str) -> None:
    """Raises INVALID_REQUEST unless the name is the node's own id."""
    number = parse_integer(name, 32)
    if number is None:
        raise invalid_request(f"Broker id must be an integer, but it is: {name}")
    if number != view.node_id:
        raise invalid_request("Unexpected broker id, " + expectation.format(view.node_id, name))


_DESCRIBED: Mapping[int, Callable[[NodeView, Levels, str], Entries]] = {
    ResourceType.TOPIC: _topic,
    ResourceType.BROKER: _broker,
    ResourceType.BROKER_LOGGER: _broker_loggers,
    ResourceType.CLIENT_METRICS: _client_metrics,
    ResourceType.GROUP: _group,
}
