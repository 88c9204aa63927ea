"""Snapshots in a living cluster: taken by size and time, and what late ones get (10.44-10.46)."""

from collections.abc import Sized

import pytest

from kraftsim.controller.node import loading
from kraftsim.scenarios.properties import ALWAYS
from kraftsim.scenarios.running.watch import watch
from kraftsim.simulation.topology import BrokerSpec
from kraftsim.simulation.world import World
from tests.worlds import SECOND_US, create_topic, pass_time, unstarted_world, world_of

BYTES = 3000  # between two snapshots: some twenty idle seconds


def small_snapshots(controllers: int = 1) -> World:
    return world_of(controllers=controllers, metadata_log_max_record_bytes_between_snapshots=BYTES)


@pytest.mark.rule("10.46", "10.47", "9.46")
def test_the_log_does_not_grow_without_end() -> None:
    world = small_snapshots()
    pass_time(world, 120)

    node = world.controller.node
    snapshot = node.quorum.snapshot
    assert snapshot is not None
    assert 0 < node.log.start_offset < snapshot.snapshot_id.end_offset <= node.high_watermark
    assert node.log.end_offset > 200
    assert len(node.log.batches) < 150
    assert world.are_unfenced((1, 2, 3))


@pytest.mark.slow
@pytest.mark.python_modules
@pytest.mark.rule("10.46", "10.47")
def test_nobody_keeps_what_lies_behind_everybodys_snapshot() -> None:
    """A day of nothing is 170,000 records: neither the world nor who watches it may keep them."""
    world = unstarted_world(controllers=3, metadata_log_max_record_bytes_between_snapshots=BYTES)
    watching = watch(world, ALWAYS)
    world.start()
    pass_time(world, 240)

    assert world.committed_log.end_offset > 400
    assert 0 < world.committed_log.start_offset == world.log_start
    assert len(world.committed_log.batches) < 150
    kept = [len(size) for rule in ("S4", "S5", "S8") for size in sized(watching.properties[rule])]
    assert kept
    assert max(kept) < 150
    assert watching.finish() == ()


def sized(rule: object) -> list[Sized]:
    return [value for value in vars(rule).values() if isinstance(value, dict | set)]


@pytest.mark.rule("10.46")
def test_an_hour_is_worth_a_snapshot_if_anything_was_committed() -> None:
    world = world_of(metadata_log_max_snapshot_interval_ms=10_000)
    pass_time(world, 15)

    assert world.controller.node.quorum.snapshot is not None


@pytest.mark.rule("10.34", "10.44", "10.45")
def test_a_broker_that_comes_late_begins_with_the_snapshot() -> None:
    world = small_snapshots()
    create_topic(world, "early", (1, 2, 3))
    pass_time(world, 120)

    world.add_broker(BrokerSpec(broker_id=9, port=9999))

    assert world.run_until(lambda: world.are_unfenced((9,)), limit_us=20 * SECOND_US)
    assert "early" in world.agents[9].agent.image.topic_ids


@pytest.mark.rule("10.45", "9.40")
def test_a_controller_that_was_away_for_long_begins_with_the_snapshot() -> None:
    world = small_snapshots(controllers=3)
    assert world.active is not None
    away = next(size for size, process in world.controllers.items() if process is not world.active)
    world.kill_controller(away)
    create_topic(world, "missed", (1, 2, 3))
    pass_time(world, 120)

    world.start_controller(away)
    pass_time(world, 3)

    node = world.controllers[away].node
    assert node.log.start_offset > 0
    assert "missed" in node.committed.topic_ids
    assert node.high_watermark == world.controller.node.high_watermark


@pytest.mark.rule("10.3", "9.31")
def test_a_controller_comes_back_over_a_snapshot_and_what_follows_it() -> None:
    world = small_snapshots()
    create_topic(world, "kept", (1, 2, 3))
    pass_time(world, 120)
    before = world.controller.node.committed.topics

    world.kill_controller(3000)
    world.start_controller(3000)
    pass_time(world, 5)

    node = world.controller.node
    assert node.is_active
    assert before.keys() == node.committed.topics.keys()
    assert world.are_unfenced((1, 2, 3))


@pytest.mark.python_modules
@pytest.mark.rule("10.46", "10.47")
def test_a_controller_that_loads_its_log_again_takes_no_snapshot_of_its_past(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a restart a snapshot is due at once, and the image is old until the log is loaded."""
    monkeypatch.setattr(loading, "LOADED_RECORDS_MAX", 20)
    world = world_of(controllers=3, metadata_log_max_snapshot_interval_ms=60_000)
    pass_time(world, 70)
    process = next(each for each in world.controllers.values() if each is not world.active)
    before = process.node.quorum.snapshot_id

    process.kill()
    process.start()
    ends = []
    for _ in range(130):
        pass_time(world, 1)
        snapshot_id, log = process.node.quorum.snapshot_id, process.node.log
        ends.append(-1 if snapshot_id is None else snapshot_id.end_offset)
        assert log.batches[0].base_offset == log.start_offset

    assert before is not None
    assert [before.end_offset, *ends] == sorted([before.end_offset, *ends])
    assert ends[-1] > before.end_offset
