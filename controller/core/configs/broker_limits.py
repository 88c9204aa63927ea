"""What values the configurations may have that a running node accepts, by the released jars.

A node ignores one with another value, and keeps the others (4.3.1 was asked).
"""

from functools import cache

from . import validators
from .configuration import RELEASES
from .topic_table import COMPRESSIONS

_LEAST = {
    -2: ("log.local.retention.bytes", "log.local.retention.ms"),
    -1: ("log.remote.copy.lag.bytes", "log.remote.copy.lag.ms"),
    0: (
        *("group.consumer.assignment.interval.ms", "group.share.assignment.interval.ms"),
        *("group.streams.assignment.interval.ms", "log.cleaner.backoff.ms"),
        *("log.cleaner.delete.retention.ms", "log.cleaner.io.buffer.size"),
        *("log.cleaner.min.compaction.lag.ms", "log.cleaner.threads", "log.index.interval.bytes"),
        *("log.message.timestamp.after.max.ms", "log.message.timestamp.before.max.ms"),
        *("log.message.timestamp.difference.max.ms", "log.segment.delete.delay.ms"),
        *("max.connection.creation.rate", "max.connections", "max.connections.per.ip"),
        "message.max.bytes",
    ),
    1: (
        *("background.threads", "log.cleaner.max.compaction.lag.ms", "log.flush.interval.messages"),
        *("min.insync.replicas", "num.io.threads", "num.network.threads"),
        *("num.recovery.threads.per.data.dir", "producer.id.expiration.ms"),
        *("remote.fetch.max.wait.ms", "remote.list.offsets.request.timeout.ms"),
        *("remote.log.index.file.cache.total.size.bytes", "remote.log.reader.threads"),
        "remote.log.manager.copy.max.bytes.per.second",
        "remote.log.manager.fetch.max.bytes.per.second",
        "remote.log.manager.follower.thread.pool.size",
    ),
    4: ("log.index.size.max.bytes",),
    524_288: (
        "group.coordinator.cached.buffer.max.bytes",
        "share.coordinator.cached.buffer.max.bytes",
    ),
}
_VALIDATORS: dict[str, validators.Validator] = {
    **{name: validators.at_least(least) for least, names in _LEAST.items() for name in names},
    "compression.gzip.level": validators.gzip_level,
    "compression.lz4.level": validators.between(1, 17),
    "compression.type": validators.one_of(*COMPRESSIONS),
    "compression.zstd.level": validators.between(-131_072, 22),
    "log.cleaner.min.cleanable.ratio": validators.between(0, 1),
    "log.message.timestamp.type": validators.one_of("CreateTime", "LogAppendTime"),
    "max.decompressed.message.bytes": validators.between(1, 2**31 - 9),
    "ssl.client.auth": validators.one_of("required", "requested", "none"),
}
_POLICIES = ("compact", "delete")
_OF_RELEASES: tuple[tuple[str, str, validators.Validator], ...] = (
    ("3.9", "log.segment.bytes", validators.at_least(14)),
    ("3.9", "log.cleanup.policy", validators.each_of(*_POLICIES)),
    ("4.1", "log.segment.bytes", validators.at_least(1024 * 1024)),
    ("4.1", "remote.log.manager.copier.thread.pool.size", validators.at_least(1)),
    ("4.1", "remote.log.manager.expiration.thread.pool.size", validators.at_least(1)),
    ("4.3", "log.cleanup.policy", validators.each_of_without_empty(*_POLICIES)),
    ("4.3", "num.replica.fetchers", validators.at_least(1)),
)
"""From a release on, of a configuration, until another row of it."""
_LISTS_CHECKED_SINCE = "4.3"


def checks_lists(release: str) -> bool:
    """True if a release refuses empty elements of lists; earlier ones accept them."""
    return RELEASES.index(release) >= RELEASES.index(_LISTS_CHECKED_SINCE)


def validator_of(release: str, name: str, type_name: str) -> validators.Validator | None:
    """Returns what checks the values of a configuration in a release; None if all are valid."""
    known = _validators(release).get(name)
    if known is None and type_name == "LIST":
        return validators.without_empty if checks_lists(release) else None
    return known


@cache
def _validators(release: str) -> dict[str, validators.Validator]:
    number = RELEASES.index(release)
    since = {name: of for begin, name, of in _OF_RELEASES if RELEASES.index(begin) <= number}
    return _VALIDATORS | since
