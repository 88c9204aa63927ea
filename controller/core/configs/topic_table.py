"""The topic configurations of each release: kind, default, validator, broker names.

Rows are in the order in which Kafka defines them, because Kafka reports the first of several
invalid values. The values come from the released jars; a new release needs an entry in RELEASES of
`configuration.py` and the rows that it changed.
"""

from .configuration import Configuration, by_release
from .validators import (
    BOOLEAN,
    DISTINCT_LIST,
    DOUBLE,
    INT,
    LIST,
    LONG,
    STRING,
    at_least,
    between,
    each_of,
    each_of_without_empty,
    format_version,
    gzip_level,
    one_of,
    throttled_replicas,
)

_NEVER = str(2**63 - 1)
COMPRESSIONS = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
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
    Configuration("segment.bytes", INT, "1073741824", at_least(14), until="3.9"),
    Configuration("segment.bytes", INT, "1073741824", at_least(1024 * 1024), since="4.1"),
    Configuration("segment.ms", LONG, "604800000", at_least(1)),
    Configuration("segment.jitter.ms", LONG, "0", at_least(0)),
    Configuration("segment.index.bytes", INT, "10485760", at_least(4)),
    Configuration("flush.messages", LONG, _NEVER, at_least(1)),
    Configuration("flush.ms", LONG, _NEVER, at_least(0)),
    Configuration("retention.bytes", LONG, "-1"),
    Configuration("retention.ms", LONG, "604800000", at_least(-1)),
    Configuration("max.message.bytes", INT, "1048588", at_least(0)),
    Configuration(
        "max.decompressed.message.bytes", INT, str(_ARRAY_MAX), between(1, _ARRAY_MAX), since="4.4"
    ),
    Configuration("index.interval.bytes", INT, "4096", at_least(0)),
    Configuration("delete.retention.ms", LONG, "86400000", at_least(0)),
    Configuration("min.compaction.lag.ms", LONG, "0", at_least(0)),
    Configuration("max.compaction.lag.ms", LONG, _NEVER, at_least(1)),
    Configuration("file.delete.delay.ms", LONG, "60000", at_least(0)),
    Configuration("min.cleanable.dirty.ratio", DOUBLE, "0.5", between(0, 1)),
    Configuration("cleanup.policy", LIST, "delete", each_of("compact", "delete"), until="4.1"),
    Configuration(
        "cleanup.policy",
        DISTINCT_LIST,
        "delete",
        each_of_without_empty("compact", "delete"),
        since="4.3",
    ),
    Configuration("unclean.leader.election.enable", BOOLEAN, "false"),
    Configuration("min.insync.replicas", INT, "1", at_least(1)),
    Configuration("compression.type", STRING, "producer", one_of(*COMPRESSIONS)),
    Configuration("compression.gzip.level", INT, "-1", gzip_level),
    Configuration("compression.lz4.level", INT, "9", between(1, 17)),
    Configuration("compression.zstd.level", INT, "3", between(-131072, 22)),
    Configuration("preallocate", BOOLEAN, "false"),
    Configuration(
        "message.format.version", STRING, "3.0-IV1", format_version(_FORMATS), until="3.9"
    ),
    Configuration(
        "message.timestamp.type", STRING, "CreateTime", one_of("CreateTime", "LogAppendTime")
    ),
    Configuration("message.timestamp.difference.max.ms", LONG, _NEVER, at_least(0), until="3.9"),
    Configuration("message.timestamp.before.max.ms", LONG, _NEVER, at_least(0)),
    Configuration("message.timestamp.after.max.ms", LONG, _NEVER, at_least(0), until="3.9"),
    Configuration("message.timestamp.after.max.ms", LONG, "3600000", at_least(0), since="4.1"),
    Configuration("leader.replication.throttled.replicas", LIST, "", throttled_replicas),
    Configuration("follower.replication.throttled.replicas", LIST, "", throttled_replicas),
    Configuration("message.downconversion.enable", BOOLEAN, "true", until="3.9"),
    Configuration("remote.storage.enable", BOOLEAN, "false"),
    Configuration("local.retention.ms", LONG, "-2", at_least(-2)),
    Configuration("local.retention.bytes", LONG, "-2", at_least(-2)),
    Configuration("remote.log.copy.disable", BOOLEAN, "false"),
    Configuration("remote.copy.lag.ms", LONG, "0", at_least(-1), since="4.4"),
    Configuration("remote.copy.lag.bytes", LONG, "-1", at_least(-1), since="4.4"),
    Configuration("remote.log.delete.on.disable", BOOLEAN, "false"),
    Configuration("errors.deadletterqueue.group.enable", BOOLEAN, "false", since="4.4"),
    Configuration("internal.segment.bytes", INT, None, since="4.1"),
)

TOPIC_CONFIGS = by_release(_ROWS)
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
