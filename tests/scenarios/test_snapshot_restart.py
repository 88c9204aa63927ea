"""A controller that starts from a snapshot, and what its brokers have to do then."""

import pytest

from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, SnapshotId
from kraftsim.controller.node import snapshotting
from kraftsim.controller.raft.voters import VoterHistory
from tests.scenarios.watched import BY_NUMBER, settled_world
from tests.worlds import ask, pass_time, world_of


@pytest.mark.rule("1.31")
def test_a_broker_of_a_snapshot_must_catch_up_with_the_snapshot() -> None:
    world = world_of(brokers=1, metadata_log_max_record_bytes_between_snapshots=200)
    world.agents[1].kill()
    pass_time(world, 30)
    controller = world.controllers[3000]
    registered = controller.node.committed.brokers[1]
    assert registered.fenced
    controller.kill()
    last_offset = controller.disk.stored.snapshot.snapshot_id.end_offset - 1
    controller.start()
    pass_time(world, 5)

    loaded = controller.node.committed.brokers[1]
    assert last_offset > registered.register_offset
    assert (loaded.register_offset, loaded.broker_epoch) == (last_offset, registered.broker_epoch)
    answers = [
        ask(
            world,
            BrokerHeartbeatRequest(
                broker_id=1,
                broker_epoch=loaded.broker_epoch,
                current_metadata_offset=offset,
                want_fence=False,
                want_shut_down=False,
            ),
        )
        for offset in (loaded.register_offset - 1, loaded.register_offset)
    ]

    assert [(answer.is_caught_up, answer.is_fenced) for answer in answers] == [
        (False, True),
        (True, False),
    ]


def snapshots_without_a_voter(patch):
    patch.setattr(VoterHistory, "at", lambda history, end_offset: history.latest.without(3000))


def snapshots_of_the_next_epoch(patch):
    patch.setattr(
        snapshotting,
        "SnapshotId",
        lambda end_offset, epoch: SnapshotId(end_offset=end_offset, epoch=epoch + 1),
    )


@pytest.mark.python_modules
@pytest.mark.rule("10.43")
@pytest.mark.parametrize("bug", [snapshots_without_a_voter, snapshots_of_the_next_epoch])
def test_a_snapshot_has_the_epoch_and_the_voters_of_the_log_at_its_end(bug, monkeypatch) -> None:
    """The replay of S36 left out control records, so that no property saw either."""
    world, watching = settled_world(
        brokers=1, classes=(BY_NUMBER["S36"],), metadata_log_max_record_bytes_between_snapshots=3000
    )
    pass_time(world, 60)
    assert watching.properties["S36"].exercised
    assert watching.finish() == ()

    bug(monkeypatch)
    pass_time(world, 60)

    assert "S36" in watching.violations
