"""The configurations of a topic that govern its logs."""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import Any

from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.value import value

from .compression import CODECS, GZIP, LZ4, ZSTD

_NAMES = {
    "cleanup.policy": "cleanup_policy",
    "compression.gzip.level": "gzip_level",
    "compression.lz4.level": "lz4_level",
    "compression.type": "compression_type",
    "compression.zstd.level": "zstd_level",
    "delete.retention.ms": "delete_retention_ms",
    "flush.messages": "flush_messages",
    "follower.replication.throttled.replicas": "throttled_at_follower",
    "leader.replication.throttled.replicas": "throttled_at_leader",
    "max.compaction.lag.ms": "max_compaction_lag_ms",
    "max.message.bytes": "max_message_bytes",
    "message.timestamp.after.max.ms": "timestamp_after_max_ms",
    "message.timestamp.before.max.ms": "timestamp_before_max_ms",
    "message.timestamp.type": "timestamp_type",
    "min.cleanable.dirty.ratio": "min_cleanable_dirty_ratio",
    "min.compaction.lag.ms": "min_compaction_lag_ms",
    "min.insync.replicas": "min_insync_replicas",
    "retention.bytes": "retention_bytes",
    "retention.ms": "retention_ms",
    "segment.bytes": "segment_bytes",
    "segment.ms": "segment_ms",
}
NAMES = tuple(_NAMES)
"""The configurations that act; the others of a topic change nothing in a simulated log."""


def _listed(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


_PARSED: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("cleanup_policy", "compression_type", "timestamp_type"), str),
    **dict.fromkeys(("throttled_at_follower", "throttled_at_leader"), _listed),
    "min_cleanable_dirty_ratio": float,
}
"""How the texts are read that are no whole numbers."""


@value
class LogSettings:
    """The values in force for one topic; defaults are those of Kafka 4.3.

    Throttled replicas are listed as `partition:broker`; `*` stands for all.
    """

    cleanup_policy: str = "delete"
    gzip_level: int = -1
    lz4_level: int = 9
    zstd_level: int = 3
    compression_type: str = "producer"
    delete_retention_ms: int = 86_400_000
    flush_messages: int = 2**63 - 1
    throttled_at_follower: frozenset[str] = frozenset()
    throttled_at_leader: frozenset[str] = frozenset()
    max_compaction_lag_ms: int = 2**63 - 1
    max_message_bytes: int = 1048588
    timestamp_after_max_ms: int = 3_600_000
    timestamp_before_max_ms: int = 2**63 - 1
    timestamp_type: str = "CreateTime"
    min_cleanable_dirty_ratio: float = 0.5
    min_compaction_lag_ms: int = 0
    min_insync_replicas: int = 1
    retention_bytes: int = -1
    retention_ms: int = 604_800_000
    segment_bytes: int = 1024 * 1024 * 1024
    segment_ms: int = 604_800_000
    is_stamped: bool = field(init=False, default=False)
    """True if the leader stamps batches with the time of the append."""
    is_compacted: bool = field(init=False, default=False)
    """True if `cleanup.policy` has compact; no other policy has it in its name."""
    roll_ms: int = field(init=False, default=0)
    """The time of messages in a segment (LogConfig.maxSegmentMs)."""
    codec: int | None = field(init=False, default=None)
    """The codec of stored batches; None: that of their producer."""

    def __post_init__(self) -> None:
        """Derives what a leader asks at each append."""
        derive = partial(object.__setattr__, self)
        derive("is_stamped", self.timestamp_type == "LogAppendTime")
        derive("is_compacted", "compact" in self.cleanup_policy)
        lag_ms = self.max_compaction_lag_ms if self.is_compacted else self.segment_ms
        derive("roll_ms", min(self.segment_ms, lag_ms))
        derive("codec", CODECS.get(self.compression_type))

    @property
    def policies(self) -> frozenset[str]:
        """The names in `cleanup.policy`."""
        return frozenset(name.strip() for name in self.cleanup_policy.split(","))

    def is_enough(self, partition: Partition) -> bool:
        """True if so many replicas are in sync that the high watermark may move (B2.21, B6.30)."""
        return len(partition.isr) >= min(self.min_insync_replicas, len(partition.replicas))

    def level(self, codec: int) -> int:
        """Returns the level of a codec; 0 for one without levels."""
        levels = {GZIP: self.gzip_level, LZ4: self.lz4_level, ZSTD: self.zstd_level}
        return levels.get(codec, 0)


def settings_of(texts: Mapping[str, str]) -> LogSettings:
    """Returns the settings of configurations in force, which have been checked."""
    values = {_NAMES[name]: text for name, text in texts.items() if name in _NAMES}
    parsed: dict[str, Any] = {name: _PARSED.get(name, int)(text) for name, text in values.items()}
    return LogSettings(**parsed)
