"""Worlds that can be searched, and their default limits.

A search with the default limits takes about half a minute and visits every state. Three voters with
a broker have too many states: that search ends at its bound and reports it.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from kraftsim.controller.core.errors import Impossible

from ..explore.brokers import cluster_of, led_cluster, running_cluster
from ..explore.limits import Limits
from ..explore.state import State
from ..explore.voters import quorum_of
from ..explore.world import World
from .lone_partition import partition_of

STATES_MAX = 1_000_000  # about one gigabyte


@dataclass(frozen=True)
class Subject:
    """The nodes of a search: a number of voters, and with `has_broker` one broker.

    With `has_partition` two brokers have a partition, and the only voter is their controller.
    """

    voters: int
    has_broker: bool
    has_partition: bool = False

    def __str__(self) -> str:
        if self.has_partition:
            return "1 voter, 2 brokers and 1 partition"
        voters = f"{self.voters} voter{'s' if self.voters > 1 else ''}"
        return f"{voters} and 1 broker" if self.has_broker else voters


LIMITS: Mapping[Subject, Limits] = {
    Subject(2, False): Limits(writes=0),
    Subject(3, False): Limits(timeouts=1, losses=1, asks_around=False),
    Subject(1, True): Limits(writes=0, timeouts=0, losses=0, sessions=1, rebirths=1, stops=1),
    Subject(2, True): Limits(writes=0, crashes=0, timeouts=1, losses=0, sessions=1),
    Subject(3, True): Limits(writes=0, crashes=0, timeouts=1, losses=0, sessions=1),
    Subject(1, False, has_partition=True): Limits(crashes=0, sessions=1),
}


def world_of(subject: Subject, limits: Limits) -> tuple[World, tuple[State, ...]]:
    """Returns a world and the states from which its search begins.

    Without a broker, the only state has empty disks. With a broker there are two states, both
    with a leading controller: in the first the broker is unregistered, in the second unfenced.
    With a partition both brokers are unfenced, and are its ISR.
    """
    if subject.has_partition:
        world = partition_of(limits)
        return world, (world.beginning(),)
    if not subject.has_broker:
        world = quorum_of(subject.voters, limits)
        return world, (world.beginning(),)
    world = cluster_of(subject.voters, limits)
    return world, tuple(_reached(world)) or (world.beginning(),)


def _reached(world: World) -> Iterator[State]:
    """Yields the two states; stops at a broken rule, which the search then finds and reports."""
    with suppress(Impossible):
        yield led_cluster(world)
        yield running_cluster(world)
