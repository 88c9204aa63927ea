"""The topic configurations of each release: kind, default, validator, broker names.

Rows are in the order in which Kafka defines them, because Kafka reports the first of several
invalid values. The values come from the released jars; a new release needs an entry in RELEASES and
the rows that it changed.
"""

from ..value import value
from .config_validators import (
    BOOLEAN,
    DOUBLE,
    INT,
    LIST,
    LONG,
    STRING,
    Kind,
    Validator,
    Value,
    at_least,
    between,
    each_of,
    each_of_without_empty,
    format_version,
    gzip_level,
    one_of,
    throttled_replicas,
)

RELEASES = ("3.9", "4.1", "4.3", "4.4")


@value(kw_only=False)
class TopicConfig:
    """One topic configuration, as the releases from `since` to `until` define it."""

    name: str
    kind: Kind
    default: str | None
    """None: replies show the configuration only if the topic sets it."""
    validator: Validator | None = None
    since: str = RELEASES[0]
    until: str = RELEASES[-1]

    def parse(self, text: str) -> Value:
        """Returns the parsed value; raises INVALID_CONFIG if `text` is invalid."""
        value = self.kind(self.name, text)
        if self.validator is not None:
            self.validator(self.name, value)
        return value


_NEVER = str(2**63 - 1)
_COMPRESSIONS = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
_ARRAY_MAX = 2**31 - 9
_DEVELOPMENT_VERSIONS = {
    **{"0.8.0": 0, "0.8.1": 0, "0.8.2": 0, "0.9.0": 0, "0.10.0": 2, "0.10.1": 3, "0.10.2": 1},
    **{"0.11.0": 3, "1.0": 1, "1.1": 1, "2.0": 2, "2.1": 3, "2.2": 2, "2.3": 2, "2.4": 2, "2.5": 1},
    **{"2.6": 1, "2.7": 3, "2.8": 2, "3.0": 2, "3.1": 1, "3.2": 1, "3.3": 4, "3.4": 1, "3.5": 3},
    **{"3.6": 3, "3.7": 5, "3.8": 1, "3.9": 1, "4.0": 2},
}
"""Number of development versions of each release that 3.9.1 knows; 4.0 was not yet released."""
_FORMATS = {
    *(_DEVELOPMENT_VERSIONS.keys() - {"4.0"}),
    *(f"{of}-IV{number}" for of, count in _DEVELOPMENT_VERSIONS.items() for number in range(count)),
}

_ROWS = (
    TopicConfig("segment.bytes", INT, "1073741824", at_least(14), until="3.9"),
    TopicConfig("segment.bytes", INT, "1073741824", at_least(1024 * 1024), since="4.1"),
    TopicConfig("segment.ms", LONG, "604800000", at_least(1)),
    TopicConfig("segment.jitter.ms", LONG, "0", at_least(0)),
    TopicConfig("segment.index.bytes", INT, "10485760", at_least(4)),
    TopicConfig("flush.messages", LONG, _NEVER, at_least(1)),
    TopicConfig("flush.ms", LONG, _NEVER, at_least(0)),
    TopicConfig("retention.bytes", LONG, "-1"),
    TopicConfig("retention.ms", LONG, "604800000", at_least(-1)),
    TopicConfig("max.message.bytes", INT, "1048588", at_least(0)),
    TopicConfig(
        "max.decompressed.message.bytes", INT, str(_ARRAY_MAX), between(1, _ARRAY_MAX), since="4.4"
    ),
    TopicConfig("index.interval.bytes", INT, "4096", at_least(0)),
    TopicConfig("delete.retention.ms", LONG, "86400000", at_least(0)),
    TopicConfig("min.compaction.lag.ms", LONG, "0", at_least(0)),
    TopicConfig("max.compaction.lag.ms", LONG, _NEVER, at_least(1)),
    TopicConfig("file.delete.delay.ms", LONG, "60000", at_least(0)),
    TopicConfig("min.cleanable.dirty.ratio", DOUBLE, "0.5", between(0, 1)),
    TopicConfig("cleanup.policy", LIST, "delete", each_of("compact", "delete"), until="4.1"),
    TopicConfig(
        "cleanup.policy", LIST, "delete", each_of_without_empty("compact", "delete"), since="4.3"
    ),
    TopicConfig("unclean.leader.election.enable", BOOLEAN, "false"),
    TopicConfig("min.insync.replicas", INT, "1", at_least(1)),
    TopicConfig("compression.type", STRING, "producer", one_of(*_COMPRESSIONS)),
    TopicConfig("compression.gzip.level", INT, "-1", gzip_level),
    TopicConfig("compression.lz4.level", INT, "9", between(1, 17)),
    TopicConfig("compression.zstd.level", INT, "3", between(-131072, 22)),
    TopicConfig("preallocate", BOOLEAN, "false"),
    TopicConfig("message.format.version", STRING, "3.0-IV1", format_version(_FORMATS), until="3.9"),
    TopicConfig(
        "message.timestamp.type", STRING, "CreateTime", one_of("CreateTime", "LogAppendTime")
    ),
    TopicConfig("message.timestamp.difference.max.ms", LONG, _NEVER, at_least(0), until="3.9"),
    TopicConfig("message.timestamp.before.max.ms", LONG, _NEVER, at_least(0)),
    TopicConfig("message.timestamp.after.max.ms", LONG, _NEVER, at_least(0), until="3.9"),
    TopicConfig("message.timestamp.after.max.ms", LONG, "3600000", at_least(0), since="4.1"),
    TopicConfig("leader.replication.throttled.replicas", LIST, "", throttled_replicas),
    TopicConfig("follower.replication.throttled.replicas", LIST, "", throttled_replicas),
    TopicConfig("message.downconversion.enable", BOOLEAN, "true", until="3.9"),
    TopicConfig("remote.storage.enable", BOOLEAN, "false"),
    TopicConfig("local.retention.ms", LONG, "-2", at_least(-2)),
    TopicConfig("local.retention.bytes", LONG, "-2", at_least(-2)),
    TopicConfig("remote.log.copy.disable", BOOLEAN, "false"),
    TopicConfig("remote.copy.lag.ms", LONG, "0", at_least(-1), since="4.4"),
    TopicConfig("remote.copy.lag.bytes", LONG, "-1", at_least(-1), since="4.4"),
    TopicConfig("remote.log.delete.on.disable", BOOLEAN, "false"),
    TopicConfig("errors.deadletterqueue.group.enable", BOOLEAN, "false", since="4.4"),
    TopicConfig("internal.segment.bytes", INT, None, since="4.1"),
)

TOPIC_CONFIGS: dict[str, dict[str, TopicConfig]] = {
    release: {
        row.name: row
        for row in _ROWS
        if RELEASES.index(row.since) <= number <= RELEASES.index(row.until)
    }
    for number, release in enumerate(RELEASES)
}
"""Topic configurations by release, then by name."""

BROKER_NAMES: dict[str, tuple[str, ...]] = {
    "segment.bytes": ("log.segment.bytes",),
    "segment.ms": ("log.roll.ms", "log.roll.hours"),
    "segment.jitter.ms": ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    "segment.index.bytes": ("log.index.size.max.bytes",),
    "flush.messages": ("log.flush.interval.messages",),
    "flush.ms": ("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
    "retention.bytes": ("log.retention.bytes",),
    "retention.ms": ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    "max.message.bytes": ("message.max.bytes",),
    "max.decompressed.message.bytes": ("max.decompressed.message.bytes",),
    "index.interval.bytes": ("log.index.interval.bytes",),
    "delete.retention.ms": ("log.cleaner.delete.retention.ms",),
    "min.compaction.lag.ms": ("log.cleaner.min.compaction.lag.ms",),
    "max.compaction.lag.ms": ("log.cleaner.max.compaction.lag.ms",),
    "file.delete.delay.ms": ("log.segment.delete.delay.ms",),
    "min.cleanable.dirty.ratio": ("log.cleaner.min.cleanable.ratio",),
    "cleanup.policy": ("log.cleanup.policy",),
    "unclean.leader.election.enable": ("unclean.leader.election.enable",),
    "min.insync.replicas": ("min.insync.replicas",),
    "compression.type": ("compression.type",),
    "compression.gzip.level": ("compression.gzip.level",),
    "compression.lz4.level": ("compression.lz4.level",),
    "compression.zstd.level": ("compression.zstd.level",),
    "preallocate": ("log.preallocate",),
    "message.format.version": ("log.message.format.version",),
    "message.timestamp.type": ("log.message.timestamp.type",),
    "message.timestamp.difference.max.ms": ("log.message.timestamp.difference.max.ms",),
    "message.timestamp.before.max.ms": ("log.message.timestamp.before.max.ms",),
    "message.timestamp.after.max.ms": ("log.message.timestamp.after.max.ms",),
    "message.downconversion.enable": ("log.message.downconversion.enable",),
    "local.retention.ms": ("log.local.retention.ms",),
    "local.retention.bytes": ("log.local.retention.bytes",),
    "remote.copy.lag.ms": ("log.remote.copy.lag.ms",),
    "remote.copy.lag.bytes": ("log.remote.copy.lag.bytes",),
}
"""Broker settings of the same meaning; the first one that is set applies."""
