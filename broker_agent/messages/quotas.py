"""The byte quotas of clients (KIP-13, KIP-219): measured rates, and for how long to throttle.

A rate is measured over the samples of a window, as Kafka's SampledStat and Rate measure it (B2.36).
"""

from dataclasses import dataclass

from kraftsim.controller.core.mutations import Limit, limit_of
from kraftsim.controller.core.rpc.senders import Requester

from ..hosted_agent import HostedAgent

PRODUCER_RATE, CONSUMER_RATE = "producer_byte_rate", "consumer_byte_rate"
SAMPLES = 11  # quota.window.num
SAMPLE_S = 1  # quota.window.size.seconds
RATES_MAX = 10_000  # of clients of one broker; Kafka drops those that were idle for an hour


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


class ByteQuotas:
    """The byte quotas that one broker enforces; its process has the rates."""

    def __init__(self, hosted: HostedAgent) -> None:
        self._hosted = hosted
        config = hosted.agent.config
        self._samples = config.number("quota.window.num", SAMPLES)
        self._sample_ms = 1000 * config.number("quota.window.size.seconds", SAMPLE_S)

    def limit(self, quota: str, requester: Requester) -> Limit | None:
        """Returns the limit of a client, the most specific first; None if it has none."""
        image = self._hosted.agent.image
        return limit_of(image, requester, quota) if image.client_quotas else None

    def bytes_max(self, limit: Limit) -> int:
        """Returns the most bytes of one response: what the limit allows in a window (B4.30)."""
        return min(int(limit.rate * (self._samples - 1) * self._sample_ms / 1000), 2**31 - 1)

    def note(self, quota: str, limit: Limit, size: float) -> int:
        """Counts the bytes of a client; returns for how many milliseconds it is throttled."""
        rates, key = self._hosted.byte_rates, (quota, limit.bucket)
        now_ms = self._hosted.clock.now_ms
        rate = rates.pop(key, None)
        if rate is None:
            if len(rates) >= RATES_MAX:
                del rates[next(iter(rates))]
            rate = ByteRate(self._samples, self._sample_ms, now_ms)
        rates[key] = rate
        rate.note(size, now_ms)
        return rate.throttle_ms(limit.rate, now_ms) if size > 0 else 0
