"""Three controllers: start, election, failover, registrations and heartbeats."""

import time
from collections.abc import Iterator
from math import ceil
from statistics import median

from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import ControllerSpec, Topology
from kraftsim.simulation.world import World
from tests.released.releases import NEWEST_WITH_TOOLS as RELEASE
from tools import native

from . import load
from .heartbeats import heartbeat, register, registration
from .processes import CLUSTER_ID, elapsed_ms, up
from .quorums import IDS, Processes, kraftsim_processes, released
from .report import Row

RUNS = 5
SECOND_US = 1_000_000
IN_FLIGHT = 64
KILLS = 20
PATIENCE_US = 1_999_000  # 1 ms less than the fetch timeout


def quorum() -> list[Row]:
    """Returns the figures of a quorum of three."""
    return [*_in_virtual_time(), *_ready(), *_failover(), *_registrations()]


def _in_virtual_time() -> list[Row]:
    """Measures elections and failovers in virtual time.

    An election counts from just before the fetch timeout to an active controller. A failover also
    includes the two seconds of that timeout.
    """
    election, took, virtual = [], [], []
    for seed in range(40):
        topology = Topology(
            cluster_id=CLUSTER_ID,
            controllers=tuple(ControllerSpec(node_id=node_id) for node_id in IDS),
        )
        world = World(topology, streams=Streams(seed))
        world.start()
        world.run_until(lambda world=world: world.active is not None, limit_us=60 * SECOND_US)
        assert world.active is not None
        world.kill_controller(world.active.node.config.node_id)
        began_us, began = world.timeline.now_us, time.perf_counter()
        world.timeline.run_until(began_us + PATIENCE_US)
        stood = time.perf_counter()
        world.run_until(lambda world=world: world.active is not None, limit_us=60 * SECOND_US)
        election.append(elapsed_ms(stood))
        took.append(elapsed_ms(began))
        virtual.append((world.timeline.now_us - began_us) / 1e6)
    return [
        Row("an election in virtual time: wall time", f"{median(election):.2f} ms", goal="< 1 ms"),
        Row("a failover in virtual time: wall time", f"{median(took):.1f} ms"),
        Row("a failover in virtual time: virtual time", f"{median(virtual):.2f} s"),
    ]


def _ready() -> list[Row]:
    took = []
    for _ in range(RUNS):
        began = time.perf_counter()
        with up("--controllers", "3"):
            took.append(elapsed_ms(began))
    goal = "<= 1,200 ms"
    return [Row("three controllers in one process: ready", f"{median(took):.0f} ms", goal=goal)]


def _failover() -> list[Row]:
    """Measures failovers of three processes; kraftsim and released Kafka take turns."""
    kraftsim_s, kafka_s = [], []
    with released() as kafka:
        for _ in range(KILLS):
            with kraftsim_processes() as processes:
                kraftsim_s.append(processes.failover_s())
            kafka_s.append(kafka.failover_s())
    return [
        _row("kill -9 of the leader to a heartbeat: median", median(kraftsim_s), median(kafka_s)),
        _row("kill -9 of the leader to a heartbeat: p90", _p90(kraftsim_s), _p90(kafka_s)),
    ]


def _row(name: str, kraftsim_s: float, kafka_s: float) -> Row:
    kafka = f"Kafka {RELEASE.version}: {kafka_s:.2f} s"
    return Row(name, f"{kraftsim_s:.2f} s", kafka, kafka_s / kraftsim_s, "ratio >= 1")


def _p90(took: list[float]) -> float:
    """Returns the 90th percentile of the durations."""
    return sorted(took)[ceil(0.9 * len(took)) - 1]


def _registrations() -> list[Row]:
    """Measures registrations, 64 in flight, each committed on three processes."""
    kraftsim, released_kafka = [], []
    with released() as kafka:
        for _ in range(3):
            with kraftsim_processes() as processes:
                kraftsim.append(_registrations_per_s(processes, range(2, 1_000_000)))
            first = 1_000_000 * len(kraftsim)
            released_kafka.append(_registrations_per_s(kafka, range(first, first + 1_000_000)))
    return [
        Row(
            "registrations, 64 in flight, three processes",
            f"{median(kraftsim):,.0f}/s",
            f"Kafka {RELEASE.version}: {median(released_kafka):,.0f}/s",
            median(kraftsim) / median(released_kafka),
            ">= 5",
        )
    ]


def _registrations_per_s(processes: Processes, broker_ids: range) -> float:
    leader, _ = processes.registered_at_the_leader()
    frames = (registration(broker_id) for broker_id in broker_ids)
    port = processes.ports[leader]
    return load.distinct(port, frames, in_flight=IN_FLIGHT, seconds=3.0)


def heartbeats_beside_kafka() -> Iterator[Row]:
    """Compares the leaders of three processes of kraftsim and of released Kafka, in turn."""
    native.main()
    with kraftsim_processes(is_native=True) as ours, released() as kafka:
        for connections in (16, 64):
            yield _heartbeats(ours, kafka, connections)


def _heartbeats(ours: Processes, kafka: Processes, connections: int) -> Row:
    pairs = []
    for _ in range(RUNS):
        pairs.append((_heartbeats_per_s(kafka, connections), _heartbeats_per_s(ours, connections)))
    return Row(
        f"heartbeats, {connections} connections, leader of three processes, native",
        f"{median(rate for _, rate in pairs):,.0f}/s",
        f"Kafka {RELEASE.version}: {median(rate for rate, _ in pairs):,.0f}/s",
        median(rate / peer for peer, rate in pairs),
        ">= 1.5",
    )


def _heartbeats_per_s(processes: Processes, connections: int) -> float:
    leader, _ = processes.registered_at_the_leader()
    port = processes.ports[leader]
    registered = register(port, range(2, 2 + connections))
    frames = [heartbeat(broker_id, epoch) for broker_id, epoch in registered]
    return load.run(port, frames, processes.running[leader].pid, seconds=3.0).per_second
