"""The speed of virtual time relative to real time, in processor time of this process."""

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

from kraftsim.controller.core.node_id import broker_node, controller_node
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.scenarios.language.reading import read
from kraftsim.scenarios.oracles.property import Property
from kraftsim.scenarios.properties import ALWAYS
from kraftsim.scenarios.running.digest import Digest
from kraftsim.scenarios.running.watch import watch
from kraftsim.scenarios.stage.stage import Stage
from kraftsim.scenarios.verbs import VERBS
from kraftsim.simulation.delays import uniform
from kraftsim.simulation.message import Message
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import BrokerSpec, ControllerSpec, Topology, unbound_port
from kraftsim.simulation.world import World
from tools import native

from ..load import rss_mb
from ..processes import CLUSTER_ID
from ..report import Row

RUNS = 5
SECOND_US = 1_000_000
DELAY_US = (1_000, 10_000)  # of every message, in each direction
FLEET = 1_000
REGISTERS_WITHIN_S = 600  # each broker of the fleet restarts once in this time
HOURS = 3, 12  # virtual hours at which memory is compared
RULES, REQUESTS = 100, 100_000  # faults of requests, and requests of one measure
BROKER = 7
FLEET_S = 60  # the measured part of REGISTERS_WITHIN_S; the rest is extrapolated


def simulation() -> list[Row]:
    """Returns the figures of the interpreted and of the compiled simulation (`tools/native.py`)."""
    native.main()
    return [
        *_rows("", steady_rate(), fleet_s(), start_ms()),
        *_rows(", native", *(_natively(measure) for measure in (steady_rate, fleet_s, start_ms))),
        _watching_row("", watching_share()),
        _watching_row(", native", _natively(watching_share)),
        Row(
            f"memory of 3 + 3, watched, from hour {HOURS[0]} to hour {HOURS[1]}",
            f"{_natively(grown_mb):+.1f} MB",
            goal="flat",
        ),
    ]


def _natively(measure: Callable[[], float]) -> float:
    name = measure.__name__
    return float(
        native.output("-c", f"from bench.virtual.simulation import {name}; print({name}())")
    )


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


def _watching_row(suffix: str, share: float) -> Row:
    name = f"what all properties add to the run without them{suffix}"
    return Row(name, f"{share:.2f}", goal="<= 0.40")


def steady_rate() -> float:
    """Returns virtual seconds per second with only heartbeats, idle records and fetches."""
    world = _watched(brokers=10)
    seconds = 60
    return median(seconds / cpu_s(world, seconds) for _ in range(RUNS))


def watching_share() -> float:
    """Returns the processor time of all properties, as a share of the run with a digest alone."""
    bare, watched = _watched(brokers=10, classes=()), _watched(brokers=10)
    seconds = 10
    pairs = [(cpu_s(bare, seconds), cpu_s(watched, seconds)) for _ in range(RUNS)]
    return median(its / their - 1 for their, its in pairs)


def fleet_s() -> float:
    """Returns the processor time to restart each broker once within ten virtual minutes.

    It is extrapolated from FLEET_S of them.
    """
    world = started(new_world(1, brokers=FLEET))
    world.advance(10 * SECOND_US)
    for position, agent in enumerate(world.agents.values()):
        begins_us = position * REGISTERS_WITHIN_S * SECOND_US // FLEET
        world.timeline.after(begins_us, agent.kill)
        world.timeline.after(begins_us, agent.start)
    return cpu_s(world, FLEET_S) * REGISTERS_WITHIN_S / FLEET_S


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
        started(new_world(seed, brokers=3), elects_at_once=True)
        took_ms.append((time.process_time() - began) * 1000)
    return median(took_ms)


def _watched(*, brokers: int, classes: Sequence[type[Property]] = ALWAYS) -> World:
    """Returns a world with properties and a digest, ten virtual seconds after its start."""
    world = new_world(1, brokers=brokers)
    watch(world, classes)
    Digest(world)
    started(world)
    world.advance(10 * SECOND_US)
    return world


def new_world(seed: int, *, brokers: int, delays: bool = True) -> World:
    """Returns a world of three controllers and some brokers that has not started.

    With `delays` each message takes DELAY_US.
    """
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
    if delays:
        world.network.delay_us = uniform(*DELAY_US, world.streams.of("delay"))
    return world


def started(world: World, *, elects_at_once: bool = False) -> World:
    """Returns the world once all its brokers are unfenced; raises RuntimeError if that fails."""
    world.start(elects_at_once=elects_at_once)
    brokers = [broker.broker_id for broker in world.topology.brokers]
    if not world.run_until(lambda: world.are_unfenced(brokers), limit_us=120 * SECOND_US):
        raise RuntimeError("expected every broker unfenced within 2 minutes of the start")
    return world


def cpu_s(world: World, seconds: int) -> float:
    """Returns the processor time of this many virtual seconds."""
    began = time.process_time()
    world.advance(seconds * SECOND_US)
    return time.process_time() - began


def request_faults() -> list[Row]:
    """Measures what the rules add to the delivery of a heartbeat to a controller."""
    heartbeat = {"api": "BrokerHeartbeat"}
    of_others = [heartbeat | {"broker": 1000 + number} for number in range(RULES)]
    of_one = [*of_others[1:], heartbeat | {"broker": BROKER}]
    of_stale_epochs = [heartbeat | {"epoch": "stale"}] * RULES
    of_another_epoch = [heartbeat | {"epoch": number} for number in range(RULES)]
    return [
        _fault_row("no fault of requests", [], "<= 1 us"),
        _fault_row("100, of another API", [{"api": "Vote"}] * RULES, "<= 1 us"),
        _fault_row("100, of other brokers", of_others, "<= 5 us"),
        _fault_row("100, one of this broker observes", of_one, "<= 5 us"),
        _fault_row("100 of every broker, each with another epoch", of_another_epoch, "<= 5 us"),
        _fault_row("100 of every broker, stale epochs", of_stale_epochs, "<= 5 us"),
    ]


def _fault_row(name: str, faults: list[dict[str, object]], goal: str) -> Row:
    world = World(Topology(cluster_id="bench"), streams=Streams(1))
    stage = Stage(world)
    for number, words in enumerate(faults):
        stage.begin(read(VERBS["rpc.observe"], words), "rpc.observe", f"fault-{number}")
    added_us = median(_added_us(world) for _ in range(RUNS))
    return Row(f"cost of a request: {name}", f"{added_us:.2f} us", "", None, goal)


def _added_us(world: World) -> float:
    """Returns the microseconds that the rules add to a delivery, which itself does nothing."""
    request = BrokerHeartbeatRequest(
        broker_id=BROKER,
        broker_epoch=BROKER,
        current_metadata_offset=0,
        want_fence=False,
        want_shut_down=False,
    )
    message = Message(broker_node(BROKER), controller_node(3000), request)
    process = world.controllers[3000]
    process.is_alive = True
    receive = partial(world.request_rules.receive, message, process, _nothing, None)
    return (_elapsed_ns(receive) - _elapsed_ns(partial(_nothing, request, None))) / REQUESTS / 1000


def _elapsed_ns(deliver: Callable[[], None]) -> int:
    began = time.perf_counter_ns()
    for _ in range(REQUESTS):
        deliver()
    return time.perf_counter_ns() - began


def _nothing(request: object, reply_to: object) -> None:
    """Handles a request without doing anything."""
