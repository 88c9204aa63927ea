"""The bytes of a client in a second, as Kafka's SampledStat and Rate measure them (B2.36)."""

from dataclasses import dataclass


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
        """Returns how long to wait until the rate is no more than `limit` bytes per second."""
        for number, sample in enumerate(self._samples):
            if now_ms - sample.noted_ms >= self._samples_max * self._sample_ms:
                self._samples[number] = _Sample(now_ms, now_ms)
        window_ms = self._window_ms(now_ms)
        rate = sum(sample.total for sample in self._samples) * 1000 / window_ms
        if rate <= limit:
            return 0
        if limit <= 0:
            return self._samples_max * self._sample_ms  # Kafka's quotient is no number
        return int((rate - limit) / limit * window_ms + 0.5)

    def _window_ms(self, now_ms: int) -> int:
        """Returns the time since the oldest sample, with whole samples that are not there yet."""
        elapsed_ms = now_ms - min(sample.started_ms for sample in self._samples)
        missing = max(self._samples_max - 1 - elapsed_ms // self._sample_ms, 0)
        return max(elapsed_ms + missing * self._sample_ms, 1)
