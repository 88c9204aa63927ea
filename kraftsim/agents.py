"""`kraftsim agent`: simulated brokers over real sockets, against any KRaft controller's address."""

import argparse
import asyncio
import logging
import random
import time
from collections.abc import Coroutine, Sequence

from kraftsim.broker_agent.fleet import Fleet
from kraftsim.controller.core.uuid import random_uuid
from kraftsim.controller.server.kafka_caller import Address
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.timeline import Timeline
from kraftsim.scenarios.topology import PORT_MAX, BrokerSpec, Topology, agent_config, unbound_port

from .errors import FAILED, GOOD
from .options import ClusterOptions, topology_of
from .up import log_to_stderr, run_until_signalled, settings_of, stop_signals

AGENTS_MAX = 1000
DRAIN_LIMIT_S = 10.0  # after SIGTERM: what has not drained by then is dropped

log = logging.getLogger("kraftsim.agent")


def run_agents(given: argparse.Namespace) -> int:
    log_to_stderr()
    if not 1 <= given.count <= AGENTS_MAX:
        raise ValueError(f"--count: expected 1 to {AGENTS_MAX}, got {given.count}")
    controllers = [address_of("--controller", one) for one in given.controller.split(",")]
    options = ClusterOptions(
        brokers=given.count, racks=given.rack, settings=settings_of(given.config)
    )
    topology = topology_of(options, given.cluster_id)
    return run_until_signalled(_run(topology, controllers, given.first_id))


def address_of(option: str, text: str) -> Address:
    """The host and port that `text` names."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) <= PORT_MAX:
        raise ValueError(f"{option}: expected host:port, got {text!r}")
    return host, int(port)


async def _run(topology: Topology, controllers: Sequence[Address], first_id: int) -> int:
    stopping = stop_signals()
    entropy = random.SystemRandom().random
    timeline = Timeline(wall_start_ms=time.time_ns() // 1_000_000)
    runtime = Runtime(timeline)
    fleet = Fleet(timeline, runtime, controllers=controllers, random=entropy)
    progress = _Progress(len(topology.brokers))
    specs = [
        BrokerSpec(
            broker_id=first_id + place,
            host=one.host,
            port=unbound_port(first_id + place),
            rack=one.rack,
        )
        for place, one in enumerate(topology.brokers)
    ]
    configs = [agent_config(topology, spec, random_uuid(entropy)) for spec in specs]
    try:
        fleet.start(configs, progress.heard)
        await _first(stopping.wait(), progress.all_gone.wait())
        fleet.stop()
        await _first(asyncio.sleep(DRAIN_LIMIT_S), progress.all_gone.wait())
    finally:
        fleet.close()
        runtime.close()
    return GOOD if stopping.is_set() else FAILED


async def _first(*waits: Coroutine[object, object, object]) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()


class _Progress:
    """Tells on stdout when all are RUNNING, and knows when all are gone."""

    def __init__(self, count: int) -> None:
        self.all_gone = asyncio.Event()
        self._states: dict[int, str] = {}
        self._count = count
        self._told = False
        self._began = time.monotonic()

    def heard(self, broker_id: int, state: str) -> None:
        self._states[broker_id] = state
        states = self._states.values()
        if not self._told and sum(one == "RUNNING" for one in states) == self._count:
            self._told = True
            took_s = time.monotonic() - self._began
            print(f"KRAFTSIM_AGENTS_RUNNING={self._count}", flush=True)
            log.info("%d agents registered and unfenced in %.2f s", self._count, took_s)
        if all(one == "NOT_RUNNING" for one in states) and len(self._states) == self._count:
            self.all_gone.set()
