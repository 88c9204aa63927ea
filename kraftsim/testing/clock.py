"""The clock of a cluster under test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..api.cluster import Cluster
from ..api.documents import ClockDocument


class ClusterClock:
    """The verbs of a cluster that concern its clock, and a lock for a block of code."""

    def __init__(self, cluster: Cluster) -> None:
        self.advance = cluster.advance
        self.run_until = cluster.run_until
        self.sleep = cluster.sleep
        self.show = cluster.clock
        self.pause = cluster.pause_clock
        self.resume = cluster.resume_clock
        self.speed = cluster.speed_clock
        self._cluster = cluster

    @asynccontextmanager
    async def held(self, owner: str, expiry: str = "30s") -> AsyncIterator[ClockDocument]:
        """Holds the clock during a block: nobody moves it meanwhile."""
        yield await self._cluster.lock_clock(owner, expiry)
        await self._cluster.unlock_clock(owner)
