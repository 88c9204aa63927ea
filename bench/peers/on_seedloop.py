"""The workload on seedloop, with its own messages instead of streams; it fixes 1 to 20 ms each."""

import asyncio
from typing import Any

import seedloop

from bench.peers.workload import (
    BEAT_S,
    BROKERS,
    CONTROLLERS,
    SIMULATED_S,
    SWEEP_S,
    LeaseKeeper,
    Tally,
    measure,
)


class Controller:
    """A controller that answers heartbeats and sweeps leases."""

    def __init__(self, world: Any, number: int, tally: Tally) -> None:
        self._end = world.net.bind(BROKERS + number)
        self._keeper = LeaseKeeper(tally)

    async def run(self) -> None:
        """Answers heartbeats until the sweeps end."""
        clock = asyncio.get_running_loop().time
        sweeping = asyncio.ensure_future(self._sweep())
        while not sweeping.done():
            sender, number = await self._end.recv()
            self._keeper.renew(number, clock())
            await self._end.send(sender, number)

    async def _sweep(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(SWEEP_S)
            self._keeper.sweep(clock())


class Broker:
    """A broker that sends heartbeats to every controller."""

    def __init__(self, world: Any, number: int, tally: Tally) -> None:
        self._end = world.net.bind(number)
        self._number, self._tally = number, tally

    async def run(self) -> None:
        """Sends heartbeats until the listener ends."""
        listening = asyncio.ensure_future(self._listen())
        await asyncio.sleep(BEAT_S * self._number / BROKERS)
        while not listening.done():
            self._tally.events += 1
            for controller_id in range(CONTROLLERS):
                await self._end.send(BROKERS + controller_id, self._number)
            await asyncio.sleep(BEAT_S)

    async def _listen(self) -> None:
        while True:
            await self._end.recv()
            self._tally.events += 1


def run(seed: int) -> Tally:
    """Runs the cluster once."""
    tally = Tally()

    async def cluster(world: Any) -> None:
        controllers = [
            Controller(world, controller_id, tally) for controller_id in range(CONTROLLERS)
        ]
        world.start(
            *controllers, *(Broker(world, broker_id, tally) for broker_id in range(BROKERS))
        )
        await asyncio.sleep(SIMULATED_S)

    seedloop.check(cluster, seeds=[seed])
    return tally


if __name__ == "__main__":
    measure(run)
