"""Sets of voters, and what a log tells of them."""

import pytest

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import KRaftVersion, Voters
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft.voters import NOT_IN_LOG, ReplicaKey, VoterHistory, VoterSet
from tests.builders import uuid_of
from tests.raft.replicas import identity_of, key_of


def voters(*ids, kraft_version=1):
    return identity_of(1, ids, kraft_version=kraft_version).voters


def batch(offset, *records):
    return Batch(
        base_offset=offset,
        epoch=1,
        timestamp_ms=0,
        records=records,
        versions=(0,) * len(records),
        is_control=True,
    )


@pytest.fixture
def history():
    """1 is configured; offset 2 tells 1 and 2, offset 7 tells 1, 2, 3."""
    history = VoterHistory(voters(1), 0)
    told = [Voters(voters=voters(*ids).voters) for ids in ((1, 2), (1, 2, 3))]
    history.appended(batch(1, KRaftVersion(kraft_version=1), told[0]))
    history.appended(batch(7, told[1]))
    return history


@pytest.mark.rule("10.16")
@pytest.mark.parametrize(("count", "majority"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_a_majority_is_more_than_half(count, majority):
    assert majority == voters(*range(count)).majority


@pytest.mark.rule("5.36")
@pytest.mark.parametrize(
    ("kraft_version", "key", "expected"),
    [
        (1, key_of(2), True),
        (1, ReplicaKey(2, uuid_of("x")), False),
        (1, ReplicaKey(2), False),
        (1, key_of(9), False),
        (0, key_of(2), True),
        (0, ReplicaKey(2, uuid_of("x")), True),
        (0, ReplicaKey(2), True),
        (0, key_of(9), False),
    ],
)
def test_a_voter_is_known_by_its_id_and_directory(kraft_version, key, expected):
    assert expected == voters(1, 2, 3, kraft_version=kraft_version).includes(key)


@pytest.mark.rule("9.45")
def test_one_voter_comes_goes_or_moves():
    some = voters(1, 3)
    two = voters(2).find(2)

    assert voters(1, 2, 3) == some.with_voter(two)
    assert some == some.with_voter(two).without(2)
    assert some == some.without(9) == some.with_voter(some.find(3))
    assert VoterSet() == some.without(1).without(3)


@pytest.mark.rule("10.50")
def test_what_is_appended_counts_at_once(history):
    assert ((1, 2, 3), 7, 1) == (
        history.latest.ids,
        history.latest_offset,
        history.kraft_version,
    )


@pytest.mark.rule("10.50")
@pytest.mark.parametrize(
    ("end_offset", "ids", "offset", "version"),
    [(8, (1, 2, 3), 7, 1), (7, (1, 2), 2, 1), (2, (1,), NOT_IN_LOG, 1), (0, (1,), NOT_IN_LOG, 0)],
)
def test_what_is_truncated_goes_again(history, end_offset, ids, offset, version):
    assert (ids, version) == (history.at(end_offset).ids, history.version_at(end_offset))

    history.truncated(end_offset)

    assert (ids, offset, version) == (
        history.latest.ids,
        history.latest_offset,
        history.kraft_version,
    )


@pytest.mark.rule("10.49")
def test_only_control_records_tell_voters(history):
    data = Batch(base_offset=9, epoch=1, timestamp_ms=0, records=(), versions=())
    history.appended(data)

    assert 7 == history.latest_offset


@pytest.mark.rule("10.47")
def test_what_holds_at_a_snapshot_is_kept(history):
    history.forget_before(5)

    assert ((1, 2), (1, 2, 3), 1) == (
        history.at(5).ids,
        history.latest.ids,
        history.version_at(5),
    )
    history.truncated(6)
    assert (1, 2) == history.latest.ids


@pytest.mark.rule("10.45", "10.43")
def test_a_snapshot_tells_the_voters_and_replaces_all_others(history):
    four = Voters(voters=voters(4, 5).voters)
    history.restart((batch(0, KRaftVersion(kraft_version=1), four),))

    assert ((4, 5), NOT_IN_LOG, 1) == (
        history.latest.ids,
        history.latest_offset,
        history.kraft_version,
    )
    assert ZERO_UUID != history.latest.voters[0].voter_directory_id


@pytest.mark.rule("10.45")
def test_a_snapshot_that_tells_no_voters_leaves_those_that_were_configured(history):
    history.restart(())

    assert ((1,), 0) == (history.latest.ids, history.kraft_version)
