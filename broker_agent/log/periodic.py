"""Tasks that the process of a broker repeats."""

from kraftsim.controller.core.value import value


@value(kw_only=False)
class Periodic:
    """When a process does something: `first_ms` after its start, and again at an interval."""

    first_ms: int
    interval_ms: int

    def last_ms(self, started_ms: int, now_ms: int) -> int:
        """Returns the time of the last turn of a process by `now_ms`; -1 before the first."""
        since_ms = now_ms - started_ms - self.first_ms
        if since_ms < 0:
            return -1
        return now_ms - since_ms % self.interval_ms

    def since(self, started_ms: int, after_ms: int, now_ms: int) -> tuple[int, ...]:
        """Returns the first turn after a time and the last one by `now_ms`, which may be one."""
        last_ms = self.last_ms(started_ms, now_ms)
        if last_ms <= after_ms:
            return ()
        first_ms = self.next_ms(started_ms, after_ms)
        return (first_ms,) if first_ms == last_ms else (first_ms, last_ms)

    def next_ms(self, started_ms: int, after_ms: int) -> int:
        """Returns the first turn of a process after a time."""
        first_ms = started_ms + self.first_ms
        missed_ms = max(after_ms + 1 - first_ms, 0)
        return first_ms - (-missed_ms // self.interval_ms) * self.interval_ms


FIRST_MS = 30_000  # log.initial.task.delay.ms
RETENTION = Periodic(FIRST_MS, 300_000)  # log.retention.check.interval.ms
CLEANING = Periodic(0, 15_000)  # log.cleaner.backoff.ms
START_CHECKPOINT = Periodic(FIRST_MS, 60_000)  # log.flush.start.offset.checkpoint.interval.ms
