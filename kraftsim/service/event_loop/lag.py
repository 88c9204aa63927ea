"""How late the event loop runs its callbacks: what every client of the service feels."""

import asyncio
from collections import deque

PERIOD_S = 0.5
SAMPLES = 120  # of one minute


class LoopLag:
    """Measures the lag of the running event loop every PERIOD_S until `close`."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lags_s: deque[float] = deque(maxlen=SAMPLES)
        self._due_s = self._loop.time() + PERIOD_S
        self._timer = self._loop.call_at(self._due_s, self._measure)

    @property
    def worst_s(self) -> float:
        """The longest lag of the last minute in seconds."""
        return max(self._lags_s, default=0.0)

    def _measure(self) -> None:
        now_s = self._loop.time()
        self._lags_s.append(max(now_s - self._due_s, 0.0))
        self._due_s = now_s + PERIOD_S
        self._timer = self._loop.call_at(self._due_s, self._measure)

    def close(self) -> None:
        """Stops measuring."""
        self._timer.cancel()
