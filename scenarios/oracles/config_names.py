"""The configurations that a controller of a release does not replay (rule 7.9).

Names that a later or an earlier release knows, by hand from the released jars: `LogConfig` and
`GroupConfig`. Releases before 4.3 replay every name.
"""

from collections.abc import Mapping

TOPIC, GROUP = 2, 32
Names = frozenset[tuple[int, str]]

_UNTIL_3_9: Names = frozenset(
    (TOPIC, name)
    for name in (
        "message.downconversion.enable",
        "message.format.version",
        "message.timestamp.difference.max.ms",
    )
)
_SINCE_4_4: Names = frozenset(
    (TOPIC, name)
    for name in (
        "errors.deadletterqueue.group.enable",
        "max.decompressed.message.bytes",
        "remote.copy.lag.bytes",
        "remote.copy.lag.ms",
    )
) | frozenset(
    (GROUP, name)
    for name in (
        "consumer.assignor.offload.enable",
        "errors.deadletterqueue.copy.record.enable",
        "errors.deadletterqueue.topic.name",
        "share.assignor.offload.enable",
        "streams.acceptable.recovery.lag",
        "streams.assignor.name",
        "streams.assignor.offload.enable",
        "streams.num.warmup.replicas",
        "streams.rack.aware.assignment.tags",
        "streams.task.offset.interval.ms",
    )
)
SKIPPED: Mapping[str, Names] = {
    "kafka-4.3": _UNTIL_3_9 | _SINCE_4_4,
    "kafka-4.4": _UNTIL_3_9,
    "kafka-trunk": _UNTIL_3_9,
    "kip-1372": _UNTIL_3_9,
}
"""The types of resources and names that a profile skips; no entry: none."""
