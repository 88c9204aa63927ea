"""Draws successions: leaders of one partition that follow each other while its replicas lag.

Logs diverge where faults strike the few replicas of one written partition within some seconds,
which faults of brokers that are drawn one by one rarely do.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from .lot import Words, log_uniform_ms
from .steps import step_of

REPLICAS_MAX = 4
ELECTED_AFTER_MS = 900  # from the reassignment, which has nothing to copy
GAPS_MS = (1_000, 8_000)  # between two turns
LAGGED_MS = (100, 3_000)  # from the begin of a follower's lag to the death of its leader
LASTING_MS = (1_000, 20_000)  # of a fault
# Milliseconds between two batches, and the bytes of each: a reply to a follower has at most 1 MiB.
PACES = ((100, 10), (300, 300), (1_000, 1_000), (3_000, 6_000), (700, 400_000))
# How fast a slow follower copies, as part of what is written: it falls behind or catches up.
PARTS_OF_PACE = (0.2, 0.7, 1.5, 2.0, 5.0)
ACKS = ("leader", "leader", "all")
PART_BESIDE_LAGS = 0.5  # of the turns: a leader dies soon after a follower begins to lag
DEATHS = ("proc.crash", "proc.crash", "proc.pause", "net.partition")


class Contested(NamedTuple):
    """Partition 0 of a topic: its replicas, and how many bytes are written to it in a second."""

    topic: str
    replicas: list[int]
    bytes_per_second: float


Turn = Callable[[Random, Contested], tuple[str, Words]]
"""Draws a step: its verb, and the words of the verb."""


def succession(stream: Random, topic: str, brokers: range, run_ms: int) -> Iterator[Words]:
    """Yields the steps of a succession, which lasts until the end of the run."""
    replicas = stream.sample(brokers, min(len(brokers), stream.randint(2, REPLICAS_MAX)))
    pace_ms, size = stream.choice(PACES)
    contested = Contested(topic, replicas, size * 1_000 / pace_ms)
    at_ms = stream.randrange(run_ms // 10)
    yield step_of(at_ms, "reassignment.start", {"name": topic, "to": replicas})
    yield step_of(at_ms + ELECTED_AFTER_MS, *_elect(stream, contested))
    write = {
        "name": topic,
        "partition": 0,
        "every": f"{pace_ms}ms",
        "size": size,
        "acks": stream.choice(ACKS),
        "for": f"{run_ms - at_ms}ms",
    }
    yield step_of(at_ms, "topic.write", write)
    while (at_ms := at_ms + log_uniform_ms(stream, *GAPS_MS)) < run_ms:
        if stream.random() < PART_BESIDE_LAGS:
            yield step_of(at_ms, *stream.choice(LAGS)(stream, contested))
            at_ms += log_uniform_ms(stream, *LAGGED_MS)
            yield step_of(at_ms, *_leader_dies(stream, contested))
        else:
            yield step_of(at_ms, *stream.choice(TURNS)(stream, contested))


def _lasting(stream: Random) -> Words:
    return {"for": f"{log_uniform_ms(stream, *LASTING_MS)}ms"}


def _elect(stream: Random, contested: Contested) -> tuple[str, Words]:
    return "topic.elect_leaders", {"name": contested.topic}


def _leader_dies(stream: Random, contested: Contested) -> tuple[str, Words]:
    return stream.choice(DEATHS), {"on": {"leader_of": contested.topic}} | _lasting(stream)


def _replica_dies(stream: Random, contested: Contested) -> tuple[str, Words]:
    return stream.choice(DEATHS), {"on": stream.choice(contested.replicas)} | _lasting(stream)


def _replica_stops(stream: Random, contested: Contested) -> tuple[str, Words]:
    return "replica.stop", {"on": stream.choice(contested.replicas)} | _lasting(stream)


def _replica_is_slow(stream: Random, contested: Contested) -> tuple[str, Words]:
    rate = max(1, round(contested.bytes_per_second * stream.choice(PARTS_OF_PACE)))
    on = stream.choice(contested.replicas)
    return "replica.slow", {"on": on, "bytes_per_second": rate} | _lasting(stream)


LAGS: tuple[Turn, ...] = (_replica_stops, _replica_is_slow)
TURNS: tuple[Turn, ...] = (_elect, _leader_dies, _replica_dies, *LAGS)
