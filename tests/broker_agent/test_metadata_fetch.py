"""How far a broker has fetched the metadata log, when the log of another leader differs (10.34)."""

import pytest

from kraftsim.broker_agent.metadata_fetch import LogPosition
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import VersionRange, Voter, Voters
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.raft.voters import ReplicaKey


def batch(first: int, last: int, epoch: int) -> Batch:
    records = (NoOpRecord(),) * (last - first + 1)
    versions = (0,) * len(records)
    return Batch(base_offset=first, epoch=epoch, timestamp_ms=0, records=records, versions=versions)


def at(position: LogPosition) -> tuple[int, int]:
    return position.end_offset, position.last_epoch


@pytest.mark.rule("10.34")
def test_a_record_of_a_later_epoch_is_given_back_although_the_leader_has_its_offset():
    """Hunts of S44 found a broker that counted it as one of the leader's."""
    position = LogPosition()
    position.append([batch(0, 76, 4), batch(77, 77, 5)])

    position.truncate(epoch=4, end_offset=79)

    assert (77, 4) == at(position)


@pytest.mark.rule("10.34")
def test_what_the_leader_lacks_of_an_epoch_is_given_back():
    position = LogPosition()
    position.append([batch(0, 9, 4), batch(10, 19, 4)])

    position.truncate(epoch=4, end_offset=10)

    assert (10, 4) == at(position)


@pytest.mark.rule("10.34")
def test_the_epoch_before_a_truncation_is_that_of_the_last_record_that_is_left():
    position = LogPosition()
    position.append([batch(0, 9, 2), batch(10, 19, 5), batch(20, 29, 6)])

    position.truncate(epoch=4, end_offset=15)

    assert (10, 2) == at(position)


def test_batches_that_are_known_already_change_nothing():
    position = LogPosition()
    position.append([batch(0, 9, 2), batch(10, 19, 5)])

    position.append([batch(0, 9, 2)])

    assert (20, 5) == at(position)


def test_epochs_that_are_committed_are_not_kept():
    position = LogPosition()
    for epoch in range(1, 1000):
        position.append([batch(10 * epoch, 10 * epoch + 9, epoch)])
        position.high_watermark = position.end_offset

    assert len(position.epoch_starts) < 4


@pytest.mark.rule("10.34")
def test_the_epoch_before_a_truncation_may_be_that_of_a_snapshot():
    position = LogPosition()
    position.append([batch(0, 9, 2)])
    position.begin_at(100, 7)
    position.append([batch(100, 109, 9)])

    position.truncate(epoch=8, end_offset=105)

    assert (100, 7) == at(position)


def voters_at(offset: int, *node_ids: int) -> Batch:
    versions = VersionRange(min_supported_version=0, max_supported_version=1)
    voters = tuple(
        Voter(
            voter_id=node_id,
            voter_directory_id=b"d" * 16,
            endpoints=(),
            k_raft_version_feature=versions,
        )
        for node_id in node_ids
    )
    return Batch(
        base_offset=offset,
        epoch=1,
        timestamp_ms=0,
        records=(Voters(voters=voters),),
        versions=(0,),
        is_control=True,
    )


@pytest.mark.rule("10.57", "10.50")
def test_the_voters_are_those_of_the_latest_record_that_is_not_given_back():
    position = LogPosition()
    position.append([voters_at(0, 3000), batch(1, 9, 1), voters_at(10, 1, 3000)])
    assert ReplicaKey(1, b"d" * 16) in position.voters

    position.truncate(epoch=1, end_offset=10)

    assert {ReplicaKey(3000, b"d" * 16)} == position.voters
