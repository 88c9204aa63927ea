"""The byte quotas of clients (KIP-13, KIP-219): measured rates, and for how long to throttle."""

import math

from kraftsim.controller.core.mutations import Limit, limit_of
from kraftsim.controller.core.rpc.senders import Requester

from ..hosted_agent import HostedAgent
from ..log.byte_rate import ByteRate

PRODUCER_RATE, CONSUMER_RATE = "producer_byte_rate", "consumer_byte_rate"
SAMPLES = 11  # quota.window.num
SAMPLE_S = 1  # quota.window.size.seconds
RATES_MAX = 10_000  # of clients of one broker; Kafka drops those that were idle for an hour


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
        bytes_max = limit.rate * (self._samples - 1) * self._sample_ms / 1000
        return 0 if math.isnan(bytes_max) else int(min(bytes_max, 2**31 - 1))

    def note(self, quota: str, limit: Limit, size: float) -> int:
        """Counts the bytes of a client; returns for how many milliseconds it is throttled."""
        rates, key = self._hosted.usage.byte_rates, (quota, limit.bucket)
        now_ms = self._hosted.clock.now_ms
        rate = rates.pop(key, None)
        if rate is None:
            if len(rates) >= RATES_MAX:
                del rates[next(iter(rates))]
            rate = ByteRate(self._samples, self._sample_ms, now_ms)
        rates[key] = rate
        rate.note(size, now_ms)
        return rate.throttle_ms(limit.rate, now_ms) if size > 0 else 0
