"""The workload on simloop, which traces every step."""

import asyncio
from typing import Any

import simloop

from bench.peers.streams import broker, controller
from bench.peers.workload import BEAT_S, BROKERS, CONTROLLERS, DELAY_S, SIMULATED_S, Tally, measure


def run(seed: int) -> Tally:
    """Runs the cluster once; raises RuntimeError if it fails."""
    tally = Tally()

    async def cluster() -> None:
        loop: Any = asyncio.get_running_loop()
        loop.net.set_defaults(latency=DELAY_S)
        hosts = [f"controller-{controller_id}" for controller_id in range(CONTROLLERS)]
        for host in hosts:
            loop.net.host(host).create_task(controller(host, tally))
        for number in range(BROKERS):
            first_s = BEAT_S * simloop.sim.random.random()
            beating = broker(number, hosts, tally, first_s)
            loop.net.host(f"broker-{number}").create_task(beating)
        await asyncio.sleep(SIMULATED_S)

    failure = simloop.explore(cluster, [seed])
    if failure:
        raise RuntimeError(failure.render())
    return tally


if __name__ == "__main__":
    measure(run)
