"""The speed of virtual time relative to real time, in processor time of this process."""

import os
import time
from collections.abc import Callable
from statistics import median

from kraftsim.scenarios.properties import ALWAYS
from kraftsim.scenarios.running.digest import Digest
from kraftsim.scenarios.running.watch import watch
from kraftsim.simulation.delays import uniform
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import BrokerSpec, ControllerSpec, Topology, unbound_port
from kraftsim.simulation.world import World
from tools import native

from .load import rss_mb
from .processes import CLUSTER_ID
from .report import Row

RUNS = 5
SECOND_US = 1_000_000
DELAY_US = (1_000, 10_000)  # of every message, in each direction
FLEET = 1_000
REGISTERS_WITHIN_S = 600  # each broker of the fleet restarts once in this time
HOURS = 3, 12  # virtual hours at which memory is compared
FLEET_S = 60  # the measured part of REGISTERS_WITHIN_S; the rest is extrapolated


def simulation() -> list[Row]:
    """Returns the figures of the interpreted and of the compiled simulation (`tools/native.py`)."""
    native.main()
    return [
        *_rows("", steady_rate(), fleet_s(), start_ms()),
        *_rows(", native", *(_natively(measure) for measure in (steady_rate, fleet_s, start_ms))),
        Row(
            f"memory of 3 + 3, watched, from hour {HOURS[0]} to hour {HOURS[1]}",
            f"{_natively(grown_mb):+.1f} MB",
            goal="flat",
        ),
    ]


def _natively(measure: Callable[[], float]) -> float:
    name = measure.__name__
    return float(native.output("-c", f"from bench.simulation import {name}; print({name}())"))


def _rows(suffix: str, rate: float, took_s: float, took_ms: float) -> list[Row]:
    steady = f"3 controllers + 10 brokers, all properties, digest{suffix}"
    fleet = f"1,000 brokers re-register in 10 simulated minutes{suffix}"
    return [
        Row(steady, f"{rate:,.0f} x real time", goal=">= 1,500 x"),
        Row(fleet, f"{took_s:.0f} s (from {FLEET_S} s of it)", goal="<= 120 s"),
        Row(
            f"a world of 3 + 3 starts, elected at once{suffix}", f"{took_ms:.1f} ms", goal="<= 5 ms"
        ),
    ]


def steady_rate() -> float:
    """Returns virtual seconds per second with only heartbeats, idle records and fetches."""
    world = _watched(brokers=10)
    seconds = 60
    return median(seconds / _cpu_s(world, seconds) for _ in range(RUNS))


def fleet_s() -> float:
    """Returns the processor time to restart each broker once within ten virtual minutes.

    It is extrapolated from FLEET_S of them.
    """
    world = _started(_world(1, brokers=FLEET))
    world.advance(10 * SECOND_US)
    for position, agent in enumerate(world.agents.values()):
        begins_us = position * REGISTERS_WITHIN_S * SECOND_US // FLEET
        world.timeline.after(begins_us, agent.kill)
        world.timeline.after(begins_us, agent.start)
    return _cpu_s(world, FLEET_S) * REGISTERS_WITHIN_S / FLEET_S


def grown_mb() -> float:
    """Returns the growth of memory in MiB after the first snapshots, which are taken hourly."""
    world = _watched(brokers=3)
    first, last = HOURS
    world.advance(first * 3600 * SECOND_US)
    before = rss_mb(os.getpid())
    world.advance((last - first) * 3600 * SECOND_US)
    return rss_mb(os.getpid()) - before


def start_ms() -> float:
    """Returns the milliseconds from nothing to three unfenced brokers, with an immediate election.

    An election after its usual timeout, more than a virtual second of requests between three
    voters, would cost another four times as much.
    """
    took_ms = []
    for seed in range(21):
        began = time.process_time()
        _started(_world(seed, brokers=3), elects_at_once=True)
        took_ms.append((time.process_time() - began) * 1000)
    return median(took_ms)


def _watched(*, brokers: int) -> World:
    """Returns a world with all properties and a digest, ten virtual seconds after its start."""
    world = _world(1, brokers=brokers)
    watch(world, ALWAYS)
    Digest(world)
    _started(world)
    world.advance(10 * SECOND_US)
    return world


def _world(seed: int, *, brokers: int) -> World:
    topology = Topology(
        cluster_id=CLUSTER_ID,
        controllers=tuple(
            ControllerSpec(node_id=controller_id) for controller_id in (3000, 3001, 3002)
        ),
        brokers=tuple(
            BrokerSpec(broker_id=broker_id, port=unbound_port(broker_id))
            for broker_id in range(1, brokers + 1)
        ),
    )
    world = World(topology, streams=Streams(seed))
    world.network.delay_us = uniform(*DELAY_US, world.streams.of("delay"))
    return world


def _started(world: World, *, elects_at_once: bool = False) -> World:
    world.start(elects_at_once=elects_at_once)
    brokers = [broker.broker_id for broker in world.topology.brokers]
    if not world.run_until(lambda: world.are_unfenced(brokers), limit_us=120 * SECOND_US):
        raise RuntimeError("expected every broker unfenced within 2 minutes of the start")
    return world


def _cpu_s(world: World, seconds: int) -> float:
    """Returns the processor time of this many virtual seconds."""
    began = time.process_time()
    world.advance(seconds * SECOND_US)
    return time.process_time() - began
