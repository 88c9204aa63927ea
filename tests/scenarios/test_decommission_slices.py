"""A decommission in slices survives failovers at any moment: each partition changes once."""

from collections import Counter
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from kraftsim.controller.core.brokers import decommission
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log.records import PartitionChangeRecord, UnregisterBrokerRecord
from kraftsim.controller.core.rpc import DecommissionBrokerRequest, DecommissionBrokerResponse
from kraftsim.scenarios.expected import departures
from kraftsim.scenarios.properties.decisions import DecisionsFollowTheRules
from kraftsim.scenarios.properties.partitions import UnregisterRemovesReferences
from kraftsim.scenarios.running.watch import Watch
from kraftsim.simulation.world import World
from tests.scenarios.watched import settled_world
from tests.worlds import SECOND_US, ask, create_topic, partition, pass_time, world_of

PARTITIONS, LEAVING, SEEDS = 20, 1, 40
DISK_LATENCY_US = 20_000


def shrinking_world(seed: int) -> World:
    """Three controllers with slow disks, and partitions of which broker 1 has a replica each."""
    world = world_of(4, controllers=3, seed=seed, decommission_slice_records=3)
    create_topic(world, "t", *[(LEAVING, 2, 3), (4, 3, LEAVING)] * (PARTITIONS // 2))
    for process in world.controllers.values():
        process.disk.latency_us = lambda: DISK_LATENCY_US
    return world


def decommission_with_crash(world: World, after_us: int) -> list[Any]:
    """Sends the request, crashes the active controller, and returns the replies."""
    replies: list[Any] = []
    world.dispatch(DecommissionBrokerRequest(broker_id=LEAVING), replies.append)
    world.advance(after_us)
    active = world.active
    if active is not None:
        active.kill()
        active.start()
    world.run_until(lambda: world.active is not None, limit_us=30 * SECOND_US)
    return replies


@pytest.fixture
def asked_world() -> tuple[World, Watch]:
    """A cluster whose decommissions take slices of three records; S26 and S41 are watched."""
    world, watching = settled_world(
        4,
        classes=(UnregisterRemovesReferences, DecisionsFollowTheRules),
        decommission_slice_records=3,
    )
    create_topic(world, "t", *[(LEAVING, 2, 3), (4, 3, LEAVING)] * (PARTITIONS // 2))
    return world, watching


def flaws_of_decommissions(property_: DecisionsFollowTheRules) -> set[str | None]:
    node = property_.world.active.node
    view = property_.view_of(node)
    asks = [departures._decommission(view, turn) for turn in range(20)]
    return {property_.flaw_of(node, ask) for ask in asks}


def forgets_a_partition(patch: pytest.MonkeyPatch) -> None:
    """A slice leaves the first partition as it is."""
    leaving = decommission._leaving
    patch.setattr(decommission, "_leaving", lambda state, broker_id: leaving(state, broker_id)[1:])


def next_slice_forgets_a_partition(patch: pytest.MonkeyPatch) -> None:
    """Each slice but the first leaves the first partition as it is."""
    following = decommission._next_slice

    def buggy(request: Any, state: Any, now_ms: int) -> Any:
        with patch.context() as inner:
            forgets_a_partition(inner)
            return following(request, state, now_ms)

    patch.setattr(decommission, "_next_slice", buggy)


def unregisters_first(patch: pytest.MonkeyPatch) -> None:
    """A large decommission is decided at once."""
    patch.setattr(decommission, "_slice", partial(_undivided, decommission._slice))


def _undivided(slice_: Any, state: Any, *rest: Any, **named: Any) -> Any:
    settings = replace(state.settings, decommission_slice_records=1_000)
    return slice_(replace(state, settings=settings), *rest, **named)


@pytest.mark.rule("3.12")
def test_the_slices_of_a_decommission_are_judged_and_right(asked_world) -> None:
    world, watching = asked_world

    assert {None} == flaws_of_decommissions(watching.properties["S41"])
    assert isinstance(
        ask(world, DecommissionBrokerRequest(broker_id=LEAVING)), DecommissionBrokerResponse
    )
    assert {} == watching.violations
    assert watching.properties["S26"].exercised == 1


@pytest.mark.parametrize(
    ("bug", "flaw"),
    [
        (forgets_a_partition, "a slice changes"),
        (next_slice_forgets_a_partition, "the next slice of the same state"),
        (unregisters_first, "it is decided at once"),
    ],
)
def test_a_wrong_slice_is_a_flaw(asked_world, bug, flaw, monkeypatch) -> None:
    _, watching = asked_world
    bug(monkeypatch)

    flaws = flaws_of_decommissions(watching.properties["S41"])
    assert any(flaw in str(found) for found in flaws)


def test_a_last_slice_without_changes_must_have_left_every_partition(
    asked_world, monkeypatch
) -> None:
    """S26: the last slice has only the unregistration, as an UnregisterBroker has.

    The broker has left the ISRs: after an UnregisterBroker its replicas would be right.
    """
    world, watching = asked_world
    world.agents[LEAVING].kill()
    pass_time(world, 12)
    monkeypatch.setattr(decommission, "_leaving", _few(decommission._leaving))
    ask(world, DecommissionBrokerRequest(broker_id=LEAVING))

    assert (
        f"broker {LEAVING} is unregistered and in the replica set of "
        in watching.violations["S26"].what
    )


def _few(leaving: Any) -> Any:
    """Returns a bug: a decommission ends after four partitions."""

    def buggy(state: Any, broker_id: int) -> Any:
        found = leaving(state, broker_id)
        return found if len(found) > PARTITIONS - 4 else []

    return buggy


@pytest.mark.slow
@pytest.mark.rule("3.12")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_failovers_between_slices_lose_and_repeat_nothing(seed: int) -> None:
    world, random = shrinking_world(seed), Random(seed)
    begin = world.committed.offset
    for _ in range(3):
        decommission_with_crash(world, int(random.random() * 0.6 * SECOND_US))
    final: list[Any] = []
    if LEAVING in world.committed.brokers:
        world.dispatch(DecommissionBrokerRequest(broker_id=LEAVING), final.append)
        world.advance(10 * SECOND_US)

    log = next(process.node.log for process in world.controllers.values() if process.node.active)
    records = [
        record
        for batch in log.batches
        if batch.base_offset > begin and not batch.is_control
        for record in batch.records
    ]
    shrunk = Counter(
        record.partition_id
        for record in records
        if isinstance(record, PartitionChangeRecord) and record.replicas is not None
    )
    assert shrunk == Counter(range(PARTITIONS))
    assert [r for r in records if isinstance(r, UnregisterBrokerRecord)][1:] == []
    assert LEAVING not in world.committed.brokers
    assert all(LEAVING not in partition(world, "t", i).replicas for i in range(PARTITIONS))
    assert all(isinstance(reply, DecommissionBrokerResponse | ApiError) for reply in final)
