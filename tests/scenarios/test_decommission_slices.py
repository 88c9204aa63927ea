"""A decommission in slices survives failovers at any moment: each partition changes once."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log.records import PartitionChangeRecord, UnregisterBrokerRecord
from kraftsim.controller.core.rpc import DecommissionBrokerRequest, DecommissionBrokerResponse
from kraftsim.simulation.world import World
from tests.worlds import SECOND_US, create_topic, partition, world_of

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
