"""Messages in virtual time: what idle partitions cost, and how fast producers and consumers run."""

from collections.abc import Iterator
from statistics import median

from kraftsim.scenarios.language.reading import read
from kraftsim.scenarios.properties import ALWAYS
from kraftsim.scenarios.running.digest import Digest
from kraftsim.scenarios.running.watch import watch
from kraftsim.scenarios.stage.stage import Stage
from kraftsim.scenarios.verbs import VERBS
from kraftsim.simulation.world import World
from tests.worlds import create_topic

from ..report import Row
from .simulation import RUNS, SECOND_US, cpu_s, new_world, started

FLEET, IDLE_PARTITIONS = 100, 1_000
IDLE_S, HOUR_S = 120, 3_600
BROKERS, PARTITIONS, REPLICAS = 6, 30, 3
LOAD_S = 10
SHAPES = {"34 records a second": (34, "1s"), "10 records each 300 ms": (10, "300ms")}
"""Batches of a partition that make 1,000 records a second in all: their records and interval."""


def messages() -> Iterator[Row]:
    """Measures virtual time with stored messages, interpreted."""
    yield _idle()
    for name, (records, every) in SHAPES.items():
        for delays, network in ((False, "no delays"), (True, "delays of 1 to 10 ms")):
            rate = _rate(records, every, delays=delays)
            text = f"1,000 records/s, all properties, {name}, {network}"
            yield Row(text, f"{rate:.0f} x real time", goal=">= 20 x")


def _idle() -> Row:
    """Compares 100 brokers that store messages with 100 that have no partition, in turns."""
    bare, storing = _fleet(0), _fleet(IDLE_PARTITIONS)
    pairs = [(cpu_s(bare, IDLE_S), cpu_s(storing, IDLE_S)) for _ in range(RUNS)]
    hours = HOUR_S / IDLE_S
    alone, beside = (median(times) * hours for times in zip(*pairs, strict=True))
    return Row(
        "a virtual hour of 100 brokers, 1,000 idle partitions",
        f"{beside:.1f} s",
        f"without {alone:.1f} s",
        median(its / their for their, its in pairs),
        "<= 1.10",
    )


def _fleet(partitions: int) -> World:
    """Returns a world of 100 brokers, with partitions that each have a message."""
    world = started(new_world(1, brokers=FLEET, delays=False))
    if partitions:
        _create(world, FLEET, partitions)
        _write(world, {"records": 1, "every": "1s", "for": "3s"})
    world.advance(10 * SECOND_US)
    return world


def _rate(records: int, every: str, *, delays: bool) -> float:
    """Returns the virtual seconds a second while each partition is written and read."""
    world = new_world(1, brokers=BROKERS, delays=delays)
    watch(world, ALWAYS)
    Digest(world)
    started(world)
    _create(world, BROKERS, PARTITIONS)
    _write(world, {"records": records, "every": every})
    world.advance(10 * SECOND_US)
    return median(LOAD_S / cpu_s(world, LOAD_S) for _ in range(RUNS))


def _create(world: World, brokers: int, partitions: int) -> None:
    rows = (range(first, first + REPLICAS) for first in range(partitions))
    create_topic(world, "t", *[tuple(1 + place % brokers for place in row) for row in rows])
    world.advance(2 * SECOND_US)


def _write(world: World, words: dict[str, object]) -> None:
    """Lets a client write to each partition, and read it."""
    verb = read(VERBS["topic.write"], {"name": "t", **words})
    Stage(world).begin(verb, "topic.write", "fault-1")
