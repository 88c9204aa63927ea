"""The time of a cluster that runs in a simulated loop: that of the loop, to the microsecond."""

import asyncio
import math

from kraftsim.controller.server.runtime import Runtime

from .loop import SimulatedLoop
from .tcp import OpenLinks


class LoopRuntime(Runtime):
    """Advances `timeline` with the time of a simulated loop, `speed` times as fast."""

    _loop: SimulatedLoop
    _began_us: float

    def close(self) -> None:
        """Ends the time of the cluster; connections meet no faults any more."""
        super().close()
        self._loop.hosts.links = OpenLinks()

    def _begin(self) -> None:
        self._began_us = self._now_us() - self.timeline.now_us / (self.speed or 1.0)

    def _passed_us(self) -> int:
        return round((self._now_us() - self._began_us) * self.speed)

    def _call_at(self, at_us: int) -> asyncio.TimerHandle:
        due_us = math.ceil(self._began_us + at_us / self.speed)  # earlier, it would not be due
        return self._loop.call_at(max(due_us, self._now_us()) / 1e6, self._fire)

    def _now_us(self) -> int:
        return self._loop.timeline.now_us
