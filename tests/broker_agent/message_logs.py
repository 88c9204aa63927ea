"""Logs with batches, for tests."""

from kraftsim.broker_agent.log.log import Instant, Log
from kraftsim.broker_agent.log.producers import Appended
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.log.validation import check
from kraftsim.broker_agent.replication.copying import (
    begin_future,
    copy_rest,
    follow_marks,
    take_place,
)
from tests.batches import NOW_MS

SHIPPED = LogSettings()
MEBIBYTE = 1024 * 1024
STAMPED = "LogAppendTime"


def instant(after_ms: int = 0) -> Instant:
    return Instant(after_ms, NOW_MS + after_ms)


def append(
    log: Log, data: bytes, *, after_ms: int = 0, epoch: int = 0, settings: LogSettings = SHIPPED
) -> Appended:
    at = instant(after_ms)
    appended, _ = log.append(check(data, settings, "t-0", at.wall_ms), epoch, at, settings)
    log.high_watermark = log.end_offset
    return appended


def filled(*batches: bytes, settings: LogSettings = SHIPPED) -> Log:
    log = Log(0)
    for data in batches:
        append(log, data, settings=settings)
    return log


def bases(log: Log) -> list[int]:
    return [segment.base_offset for segment in log.segments]


def everything(log: Log, offset: int) -> bytes:
    return b"".join(log.read(offset, log.end_offset, 10**9, reads_one=True))


def moved(log: Log) -> Log:
    """The log as it is once it has moved to another directory."""
    future = begin_future(log, 0)
    copy_rest(log, future, instant(), SHIPPED)
    follow_marks(log, future, 0)
    take_place(log, future)
    return future
