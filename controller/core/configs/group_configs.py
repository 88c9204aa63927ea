"""The configurations of groups of each release, and their validation."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from ..hash_order import in_hash_order, in_properties_order
from ..profile import Profile
from .configuration import Configuration, by_release
from .node_definitions import Definition, described
from .validators import (
    BOOLEAN,
    INT,
    LIST,
    LONG,
    STRING,
    Value,
    at_least,
    invalid,
    offset_reset,
    one_of,
    without_empty,
)

_ASSIGNOR, _DEAD_LETTERS = "streams.assignor.name", "errors.deadletterqueue.topic.name"
_TAGS = "streams.rack.aware.assignment.tags"
_REGISTERED_ASSIGNOR = "sticky"
_AMONG_DEFAULTS = "4.3"  # puts what a group sets into a map of the brokers' values, and checks all
_AMONG_CONSUMERS = "4.1"  # puts them into Properties with the brokers' values of consumers
_OF_CONSUMERS = ("consumer.session.timeout.ms", "consumer.heartbeat.interval.ms")


_ROWS = (
    Configuration("consumer.session.timeout.ms", INT, "45000", at_least(1), since="4.1"),
    Configuration("consumer.heartbeat.interval.ms", INT, "5000", at_least(1), since="4.1"),
    Configuration("consumer.assignment.interval.ms", INT, "1000", at_least(0), since="4.3"),
    Configuration("consumer.assignor.offload.enable", BOOLEAN, None, since="4.4"),
    Configuration("share.session.timeout.ms", INT, "45000", at_least(1), since="4.1"),
    Configuration("share.heartbeat.interval.ms", INT, "5000", at_least(1), since="4.1"),
    Configuration("share.record.lock.duration.ms", INT, "30000", at_least(1000), since="4.1"),
    Configuration("share.delivery.count.limit", INT, "5", at_least(2), since="4.3"),
    Configuration("share.partition.max.record.locks", INT, "2000", at_least(100), since="4.3"),
    Configuration("share.auto.offset.reset", STRING, "latest", offset_reset, since="4.1"),
    Configuration(
        "share.isolation.level",
        STRING,
        "read_uncommitted",
        one_of("read_committed", "read_uncommitted"),
        since="4.1",
    ),
    Configuration("share.renew.acknowledge.enable", BOOLEAN, "true", since="4.3"),
    Configuration("share.assignment.interval.ms", INT, "1000", at_least(0), since="4.3"),
    Configuration("share.assignor.offload.enable", BOOLEAN, None, since="4.4"),
    Configuration("streams.session.timeout.ms", INT, "45000", at_least(1), since="4.1"),
    Configuration("streams.heartbeat.interval.ms", INT, "5000", at_least(1), since="4.1"),
    Configuration("streams.num.standby.replicas", INT, "0", at_least(0), since="4.1"),
    Configuration("streams.initial.rebalance.delay.ms", INT, "3000", at_least(0), since="4.3"),
    Configuration("streams.assignment.interval.ms", INT, "1000", at_least(0), since="4.3"),
    Configuration("streams.assignor.offload.enable", BOOLEAN, None, since="4.4"),
    Configuration("streams.task.offset.interval.ms", INT, None, at_least(1), since="4.4"),
    Configuration("streams.num.warmup.replicas", INT, None, at_least(0), since="4.4"),
    Configuration(_TAGS, LIST, "", without_empty, since="4.4"),
    Configuration("streams.acceptable.recovery.lag", LONG, None, at_least(0), since="4.4"),
    Configuration(_ASSIGNOR, STRING, _REGISTERED_ASSIGNOR, since="4.4"),
    Configuration(_DEAD_LETTERS, STRING, "", since="4.4"),
    Configuration("errors.deadletterqueue.copy.record.enable", BOOLEAN, "false", since="4.4"),
)

GROUP_CONFIGS = by_release(_ROWS)
"""Group configurations by release, then by name. Kafka 3.9 has none."""
BROKER_NAMES_OF_GROUPS = {_ASSIGNOR: "streams.assignors"}
"""Configurations whose name at brokers is another, without the prefix "group."."""


_BOUNDED = (
    "consumer.heartbeat.interval.ms",
    "consumer.session.timeout.ms",
    "consumer.assignment.interval.ms",
    "share.heartbeat.interval.ms",
    "share.session.timeout.ms",
    "share.record.lock.duration.ms",
    "share.delivery.count.limit",
    "share.partition.max.record.locks",
    "share.assignment.interval.ms",
    "streams.heartbeat.interval.ms",
    "streams.session.timeout.ms",
    "streams.num.standby.replicas",
    "streams.assignment.interval.ms",
    "streams.task.offset.interval.ms",
    "streams.num.warmup.replicas",
)
_NAMED_OTHERWISE = {
    "num.standby.replicas": "standby.replicas",
    "num.warmup.replicas": "warmup.replicas",
}


def _limits() -> Iterator[str]:
    for name in _BOUNDED:
        kind, rest = name.split(".", 1)
        for word in ("min", "max"):
            yield f"group.{kind}.{word}.{_NAMED_OTHERWISE.get(rest, rest)}"
        if rest in ("session.timeout.ms", "heartbeat.interval.ms"):
            yield f"group.{name}"


LIMITS_OF_GROUPS = frozenset(_limits())
"""Configurations of a node by which `check` judges those of groups."""


def check(configs: Mapping[str, str], profile: Profile, static: Mapping[str, str]) -> None:
    """Raises INVALID_CONFIG for invalid configurations.

    Kafka checks names first, then that no tag stands twice, values, bounds, the assignor, sessions
    and the queue of dead letters. The bounds, and what a group does not set, are those of `static`,
    the property file of the node that checks.
    """
    known = GROUP_CONFIGS[profile.topic_configs]
    for name in _in_order_of(profile.topic_configs, known, configs):
        if name not in known:
            raise invalid(f"Unknown group config name: {name}")
    _check_tags(configs.get(_TAGS, ""))
    values = {
        name: config.parse(configs[name]) for name, config in known.items() if name in configs
    }
    of_node = _OfNode(described(profile.topic_configs), static)
    for name in _BOUNDED:
        if name in values:
            _check_bounds(name, int(str(values[name])), of_node, profile)
    _check_assignor(values.get(_ASSIGNOR))
    for kind in ("consumer", "share", "streams"):
        _check_session(kind, values, of_node)
    if str(values.get(_DEAD_LETTERS, "")).startswith("__"):  # the names of internal topics
        raise invalid(f"{_DEAD_LETTERS}: DLQ topic name must not start with '__'")


def _in_order_of(release: str, known: Iterable[str], configs: Collection[str]) -> Iterable[str]:
    """Returns the names in the order in which the release looks for unknown ones."""
    if release == _AMONG_DEFAULTS:
        return in_hash_order((*known, *configs))
    if release == _AMONG_CONSUMERS:
        return in_properties_order(_OF_CONSUMERS, configs)
    return configs


def _check_tags(text: str) -> None:
    """Raises INVALID_CONFIG if a key of a tag stands twice."""
    tags = LIST(_TAGS, text)
    if len(set(tags)) < len(tags):
        raise invalid(f"{_TAGS} must not contain duplicate tag keys.")


def _check_assignor(assignor: Value | None) -> None:
    """Raises INVALID_CONFIG unless brokers have the assignor; they have Kafka's only one."""
    if assignor not in (None, _REGISTERED_ASSIGNOR):
        raise invalid(
            f"{_ASSIGNOR} '{assignor}' is not a registered task assignor. Registered assignors "
            f"are: [{_REGISTERED_ASSIGNOR}]."
        )


class _Bound(NamedTuple):
    """A bound of a node for groups: the name of the configuration, and its value."""

    name: str
    number: int


class _OfNode(NamedTuple):
    """The configurations of a node for all groups: its release's, and its property file."""

    known: Mapping[str, Definition]
    static: Mapping[str, str]

    def number(self, name: str) -> int:
        return int(str(INT(name, self.static.get(name, self.known[name].default or ""))))

    def bound(self, name: str) -> _Bound | None:
        return _Bound(name, self.number(name)) if name in self.known else None


def _check_session(kind: str, values: Mapping[str, Value], of_node: _OfNode) -> None:
    """Raises INVALID_CONFIG unless a session, which the group may set, outlasts a heartbeat."""
    session, heartbeat = f"{kind}.session.timeout.ms", f"{kind}.heartbeat.interval.ms"
    if session in values or heartbeat in values:
        lasts_ms, interval_ms = (
            int(str(values[name])) if name in values else of_node.number(f"group.{name}")
            for name in (session, heartbeat)
        )
        if lasts_ms <= interval_ms:
            raise invalid(f"{session} must be greater than {heartbeat}")


def _check_bounds(name: str, number: int, of_node: _OfNode, profile: Profile) -> None:
    """Raises INVALID_CONFIG unless the node's bounds for groups permit the number."""
    kind, rest = name.split(".", 1)
    rest = _NAMED_OTHERWISE.get(rest, rest)
    least, most = (of_node.bound(f"group.{kind}.{word}.{rest}") for word in ("min", "max"))
    if least is not None and number < least.number:
        raise invalid(f"{name} must be {_allowed('greater', least, most, profile)}")
    if most is not None and number > most.number:
        raise invalid(f"{name} must be {_allowed('less', most, least, profile)}")


def _allowed(word: str, bound: _Bound, other: _Bound | None, profile: Profile) -> str:
    """Returns what a value has to be that is beyond `bound`; `other` is the bound opposite."""
    if not profile.bounds_groups_by_range:
        return f"{word} than or equal to {bound.name}"
    if other is None:
        return f"{word} than or equal to {bound.number}"
    low, high = sorted((bound.number, other.number))
    return f"in the range {low} to {high} inclusive."
