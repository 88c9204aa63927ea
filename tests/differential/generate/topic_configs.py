"""Configurations of topics, good and bad."""

from typing import Any

from tests.differential.generate.draft import Draft

_NUMBERS = (
    "0",
    "1",
    "-1",
    "-2",
    "-3",
    "3",
    "4",
    "5",
    "2147483648",
    "1048576",
    "abc",
    "",
    " 7",
    "1.5",
)
_BOOLEANS = ("true", "FALSE", "yes", "")
TOPIC_VALUES: dict[str, tuple[str, ...]] = {
    "cleanup.policy": ("compact", "delete", "compact,delete", "compact,compact", "", "none", "x"),
    "compression.type": ("zstd", "none", "gzip", "producer", "uncompressed", ""),
    "compression.gzip.level": ("-1", "0", "1", "9", "10"),
    "compression.lz4.level": ("0", "1", "17", "18", "-1"),
    "compression.zstd.level": ("22", "23", "-131072", "-131073", "3"),
    "min.insync.replicas": ("0", "1", "2", "-1", "x"),
    "retention.ms": _NUMBERS,
    "retention.bytes": _NUMBERS,
    "local.retention.ms": _NUMBERS,
    "local.retention.bytes": _NUMBERS,
    "segment.bytes": _NUMBERS,
    "segment.ms": _NUMBERS,
    "max.message.bytes": _NUMBERS,
    "min.compaction.lag.ms": _NUMBERS,
    "max.compaction.lag.ms": _NUMBERS,
    "message.timestamp.type": ("CreateTime", "LogAppendTime", "createtime"),
    "min.cleanable.dirty.ratio": ("0", "1", "0.5", "1.5", "-0.1", "x", "1e-3"),
    "preallocate": _BOOLEANS,
    "remote.storage.enable": ("true", "false"),
    "unclean.leader.election.enable": ("true", "false"),
    "leader.replication.throttled.replicas": ("*", "", "0:1", "0:1,1:2", "x", "*,0:1", "none"),
    "follower.replication.throttled.replicas": ("*", "", "2:1", "0:1,x", "x", "0:1:2"),
    "flush.messages": _NUMBERS,
    "flush.ms": _NUMBERS,
    "delete.retention.ms": _NUMBERS,
    "file.delete.delay.ms": _NUMBERS,
    "index.interval.bytes": _NUMBERS,
    "internal.segment.bytes": _NUMBERS,
    "max.decompressed.message.bytes": _NUMBERS,
    "message.timestamp.after.max.ms": _NUMBERS,
    "message.timestamp.before.max.ms": _NUMBERS,
    "message.timestamp.difference.max.ms": _NUMBERS,
    "remote.copy.lag.bytes": _NUMBERS,
    "remote.copy.lag.ms": _NUMBERS,
    "segment.index.bytes": _NUMBERS,
    "segment.jitter.ms": _NUMBERS,
    "errors.deadletterqueue.group.enable": _BOOLEANS,
    "message.downconversion.enable": _BOOLEANS,
    "remote.log.copy.disable": _BOOLEANS,
    "remote.log.delete.on.disable": _BOOLEANS,
    "message.format.version": ("3.0-IV1", "2.8", "0.8.2", "3.9-IV0", "x", ""),
    "no.such.config": ("1",),
    "": ("1",),
}


def draw_configs(draft: Draft) -> list[dict[str, Any]]:
    """Mostly one configuration; of several bad ones the first by a hash or by definition fails."""
    count = 1 if draft.chance(0.7) else draft.random.randint(2, 4)
    names = draft.random.sample(sorted(TOPIC_VALUES), count)
    return [
        {"name": name, "value": None if draft.chance(0.04) else draft.one_of(*TOPIC_VALUES[name])}
        for name in names
    ]
