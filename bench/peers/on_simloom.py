"""The workload on simloom, which traces every step."""

from functools import partial
from random import Random
from typing import Any

import simloom

from bench.peers.streams import broker, controller
from bench.peers.workload import BEAT_S, BROKERS, CONTROLLERS, DELAY_S, SIMULATED_S, Tally, measure


def run(seed: int) -> Tally:
    """Runs the cluster once."""
    tally, draw = Tally(), Random(seed)

    async def cluster(world: Any) -> None:
        world.net.set_latency(*DELAY_S)
        hosts = [f"controller-{controller_id}" for controller_id in range(CONTROLLERS)]
        for host in hosts:
            world.host(host).spawn(partial(controller, host, tally))
        for number in range(BROKERS):
            beating = partial(broker, number, hosts, tally, BEAT_S * draw.random())
            world.host(f"broker-{number}").spawn(beating)
        await world.sleep(SIMULATED_S)

    simloom.run(cluster, seed=seed)
    return tally


if __name__ == "__main__":
    measure(run)
