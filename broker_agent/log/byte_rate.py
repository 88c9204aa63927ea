"""The bytes of a client in a second, as Kafka's SampledStat and Rate measure them (B2.36)."""

import math
from dataclasses import dataclass

_INT, _LONG = 2**32, 2**63  # Java's


@dataclass(slots=True)
class _Sample:
    started_ms: int
    noted_ms: int
    total: float = 0.0


class ByteRate:
    """The bytes of a client in the last `samples` times `sample_ms`."""

    __slots__ = ("_current", "_sample_ms", "_samples", "_samples_max")

    def __init__(self, samples: int, sample_ms: int, now_ms: int) -> None:
        self._samples_max, self._sample_ms = samples, sample_ms
        self._samples, self._current = [_Sample(now_ms, now_ms)], 0

    def note(self, size: float, now_ms: int) -> None:
        """Counts bytes; a negative number takes them back."""
        sample = self._samples[self._current]
        if now_ms - sample.started_ms >= self._sample_ms:
            sample = self._next(now_ms)
        sample.total += size
        sample.noted_ms = now_ms

    def _next(self, now_ms: int) -> _Sample:
        self._current = (self._current + 1) % (self._samples_max + 1)
        if self._current < len(self._samples):
            self._samples[self._current] = _Sample(now_ms, now_ms)
        else:
            self._samples.append(_Sample(now_ms, now_ms))
        return self._samples[self._current]

    def throttle_ms(self, limit: float, now_ms: int) -> int:
        """Returns how long to wait until the rate is no more than `limit` bytes per second.

        Kafka narrows the milliseconds to an int: too many of them may be none.
        """
        rate = self.per_second(now_ms)
        if rate <= limit:
            return 0
        wait_ms = (rate - limit) / limit * self._window_ms(now_ms) if limit else math.inf
        return max(_as_java_int(wait_ms), 0)

    def per_second(self, now_ms: int) -> float:
        """Returns the bytes of a second, as measured now."""
        for number, sample in enumerate(self._samples):
            if now_ms - sample.noted_ms >= self._samples_max * self._sample_ms:
                self._samples[number] = _Sample(now_ms, now_ms)
        return sum(sample.total for sample in self._samples) * 1000 / self._window_ms(now_ms)

    def _window_ms(self, now_ms: int) -> int:
        """Returns the time since the oldest sample, with whole samples that are not there yet."""
        elapsed_ms = self._elapsed_ms(now_ms)
        missing = max(self._samples_max - 1 - elapsed_ms // self._sample_ms, 0)
        return max(elapsed_ms + missing * self._sample_ms, 1)

    def _elapsed_ms(self, now_ms: int) -> int:
        """Returns the time since the oldest sample."""
        return now_ms - min(sample.started_ms for sample in self._samples)


class SimpleByteRate(ByteRate):
    """The bytes of replication, as Kafka's SimpleRate measures them (B5.50): a burst counts whole.

    The window is the time that was measured, and at least a sample.
    """

    __slots__ = ()

    def note_polls(self, now_ms: int) -> None:
        """Counts fetches without a byte, as if somebody had fetched since the last count."""
        kept_ms = (self._samples_max + 1) * self._sample_ms
        last_ms = max(self._samples[self._current].noted_ms, now_ms - kept_ms)
        for at_ms in range(last_ms + self._sample_ms, now_ms + 1, self._sample_ms):
            self.note(0, at_ms)

    def _window_ms(self, now_ms: int) -> int:
        return max(self._elapsed_ms(now_ms), self._sample_ms)


def _as_java_int(number: float) -> int:
    """Returns what Java makes of a double that is rounded to a long and narrowed to an int."""
    if math.isnan(number):
        return 0
    rounded = _LONG - 1 if number >= _LONG else math.floor(number + 0.5)
    return (rounded + _INT // 2) % _INT - _INT // 2
