"""The configurations of groups of each release, and their validation."""

from collections.abc import Mapping

from ..profile import Profile
from .broker_table import broker_configs
from .configuration import Configuration, by_release
from .validators import BOOLEAN, INT, LIST, LONG, STRING, at_least, invalid, offset_reset, one_of

_ROWS = (
    Configuration("consumer.session.timeout.ms", INT, "45000", at_least(1), since="4.1"),
    Configuration("consumer.heartbeat.interval.ms", INT, "5000", at_least(1), since="4.1"),
    Configuration("consumer.assignment.interval.ms", INT, "1000", at_least(0), since="4.3"),
    Configuration("consumer.assignor.offload.enable", BOOLEAN, "true", since="4.4"),
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
    Configuration("share.assignor.offload.enable", BOOLEAN, "true", since="4.4"),
    Configuration("streams.session.timeout.ms", INT, "45000", at_least(1), since="4.1"),
    Configuration("streams.heartbeat.interval.ms", INT, "5000", at_least(1), since="4.1"),
    Configuration("streams.num.standby.replicas", INT, "0", at_least(0), since="4.1"),
    Configuration("streams.initial.rebalance.delay.ms", INT, "3000", at_least(0), since="4.3"),
    Configuration("streams.assignment.interval.ms", INT, "1000", at_least(0), since="4.3"),
    Configuration("streams.assignor.offload.enable", BOOLEAN, "true", since="4.4"),
    Configuration("streams.task.offset.interval.ms", INT, "60000", at_least(1), since="4.4"),
    Configuration("streams.num.warmup.replicas", INT, "2", at_least(0), since="4.4"),
    Configuration("streams.rack.aware.assignment.tags", LIST, "", since="4.4"),
    Configuration("streams.acceptable.recovery.lag", LONG, "10000", at_least(0), since="4.4"),
    Configuration("streams.assignor.name", STRING, None, since="4.4"),
    Configuration("errors.deadletterqueue.topic.name", STRING, "", since="4.4"),
    Configuration("errors.deadletterqueue.copy.record.enable", BOOLEAN, "false", since="4.4"),
)

GROUP_CONFIGS = by_release(_ROWS)
"""Group configurations by release, then by name. Kafka 3.9 has none."""


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
)
_NAMED_OTHERWISE = {"num.standby.replicas": "standby.replicas"}


def check(configs: Mapping[str, str], profile: Profile) -> None:
    """Raises INVALID_CONFIG for invalid configurations: names first, then values, then bounds."""
    known = GROUP_CONFIGS[profile.topic_configs]
    for name in configs:
        if name not in known:
            raise invalid(f"Unknown group config name: {name}")
    values = {
        name: config.parse(configs[name]) for name, config in known.items() if name in configs
    }
    for name in _BOUNDED:
        if name in values:
            _check_bounds(name, int(str(values[name])), profile)


def _check_bounds(name: str, number: int, profile: Profile) -> None:
    """Raises INVALID_CONFIG unless the brokers' bounds for groups permit the number."""
    kind, rest = name.split(".", 1)
    rest = _NAMED_OTHERWISE.get(rest, rest)
    brokers = broker_configs(profile.topic_configs)
    least, most = f"group.{kind}.min.{rest}", f"group.{kind}.max.{rest}"
    if least in brokers and number < int(brokers[least].default or ""):
        raise invalid(f"{name} must be greater than or equal to {least}")
    if most in brokers and number > int(brokers[most].default or ""):
        raise invalid(f"{name} must be less than or equal to {most}")
