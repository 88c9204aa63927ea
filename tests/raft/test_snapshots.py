"""A snapshot stands for the beginning of a log, and comes slice by slice to those who are late."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode, Impossible
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import (
    FetchRequest,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    SnapshotId,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.raft import conduct
from kraftsim.controller.raft.roles import Follower
from kraftsim.controller.raft.snapshot import READ_RECORDS_MAX, REFERENCES_MAX, by_reference
from tests.raft.replicas import Replicas, key_of
from tests.raft.requests import add_voter, begin, fetch_by, slice_of
from tests.raft.standing import ME, lead, standing


@pytest.fixture
def leader():
    """ME leads 2 and 3, and has a snapshot of all that is committed; two records follow it."""
    replicas = standing("leader")
    replicas.write(5)
    replicas.run_for(1000)
    replicas.take_snapshot(ME)
    replicas.write(2)
    replicas.run_for(1000)
    return replicas


def data_of(response):
    assert response.error_code == 0, response
    return response.topics[0].partitions[0]


def snapshot_of(replicas):
    return replicas.quorums[ME].snapshot


# What the leader says


@pytest.mark.rule("10.34", "10.47", "9.46")
@pytest.mark.parametrize(
    ("offset", "last_epoch", "is_told"),
    [
        (0, 0, True),  # nothing yet
        (5, 1, True),  # before the log begins
        (8, 0, True),  # at its beginning, of another epoch
        (9, 0, True),  # of an epoch before the snapshot's
        (8, 1, False),
        (9, 1, False),
        (10, 1, False),
    ],
)
def test_who_is_not_within_the_log_is_told_of_the_snapshot(leader, offset, last_epoch, is_told):
    quorum = leader.quorums[ME]
    assert (8, 10) == (quorum.log.start_offset, quorum.log.end_offset)
    request = fetch_by(9, quorum, offset=offset, last_epoch=last_epoch, high_watermark=0)
    response = leader.ask(ME, request)

    data = response.responses[0].partitions[0]
    assert (SnapshotId(end_offset=8, epoch=1) if is_told else SnapshotId()) == data.snapshot_id
    assert not (is_told and data.records)
    assert quorum.high_watermark == data.high_watermark


@pytest.mark.rule("5.32", "10.34")
def test_a_fetch_that_is_answered_with_a_snapshot_acknowledges_nothing(leader):
    before = dict(leader.quorums[ME].role.progress)
    leader.ask(ME, fetch_by(2, leader.quorums[ME], offset=0))

    assert before == leader.quorums[ME].role.progress


@pytest.mark.rule("10.34")
def test_the_log_behind_a_snapshot_goes_on_in_the_same_epoch(leader):
    """A replica that has more of the snapshot's epoch than the leader gives back only that."""
    leader.resign(ME)
    leader.elect()
    leader.run_for(3000)
    log = leader.quorums[ME].log

    assert (1, 10) == log.end_offset_for_epoch(1)


@pytest.mark.rule("10.44")
@pytest.mark.parametrize(
    ("fields", "top_level"),
    [
        ({"cluster_id": "another"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        ({"topics": ()}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_request_for_a_slice_is_refused_as_a_whole(leader, fields, top_level):
    known = snapshot_of(leader).snapshot_id
    request = (
        FetchSnapshotRequest(**fields) if "topics" in fields else slice_of(known, 9, 1, **fields)
    )

    assert FetchSnapshotResponse(error_code=top_level) == leader.ask(ME, request)


@pytest.mark.rule("10.44", "10.33")
@pytest.mark.parametrize(
    ("epoch", "fields", "code"),
    [
        (1, {"topic": "another"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (1, {"partition": 1}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (0, {}, ErrorCode.FENCED_LEADER_EPOCH),
        (2, {}, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (1, {"position": -1}, ErrorCode.POSITION_OUT_OF_RANGE),
        (1, {"position": 16}, ErrorCode.POSITION_OUT_OF_RANGE),
        (1, {"position": 15}, ErrorCode.NONE),
        (1, {"cluster_id": None}, ErrorCode.NONE),
    ],
)
def test_a_request_for_a_slice_is_checked_in_order(leader, epoch, fields, code):
    request = slice_of(snapshot_of(leader).snapshot_id, 9, epoch, **fields)

    data = data_of(leader.ask(ME, request))
    assert (code, ME, 1) == (
        data.error_code,
        data.current_leader.leader_id,
        data.current_leader.leader_epoch,
    )


@pytest.mark.rule("10.44", "10.33")
def test_only_a_leader_gives_slices(leader):
    known = snapshot_of(leader).snapshot_id
    leader.resign(ME)

    assert (
        ErrorCode.NOT_LEADER_OR_FOLLOWER
        == data_of(leader.ask(ME, slice_of(known, 9, 1))).error_code
    )


@pytest.mark.rule("10.44")
@pytest.mark.parametrize("end_offset", [0, 7, 9])
def test_an_unknown_snapshot_is_answered_as_badly_as_kafka_does(leader, end_offset):
    request = slice_of(SnapshotId(end_offset=end_offset, epoch=1), 9, 1)

    assert FetchSnapshotResponse(error_code=-1) == leader.ask(ME, request)


@pytest.mark.rule("10.44")
@pytest.mark.parametrize(
    ("position", "max_bytes", "expected"),
    [(0, 100, 16), (0, 5, 5), (5, 5, 5), (15, 5, 1), (0, 0, 0)],
)
def test_a_slice_is_no_longer_than_asked_and_says_how_long_the_whole_is(
    leader, position, max_bytes, expected
):
    snapshot = snapshot_of(leader)
    request = slice_of(snapshot.snapshot_id, 9, 1, position=position, max_bytes=max_bytes)

    data = data_of(leader.ask(ME, request))
    assert snapshot.data[position : position + expected] == data.unaligned_records
    assert (16, position, snapshot.snapshot_id) == (data.size, data.position, data.snapshot_id)


# What the follower does


@pytest.fixture
def newcomer(leader):
    """4 has just been told of the snapshot."""
    leader.add(4)
    while leader.quorums[4].download is None:
        leader.deliver(leader.in_flight[0])
    return leader


def the_request(replicas):
    (message,) = replicas.requests(FetchSnapshotRequest, sender=4)
    return message


@pytest.mark.rule("10.58")
@pytest.mark.parametrize(("bounds_fetches", "expected"), [(True, 5), (False, 8 * 1024 * 1024)])
def test_a_slice_has_as_many_bytes_as_configured_from_4_3_on(bounds_fetches, expected):
    settings = Settings(controller_quorum_fetch_snapshot_max_bytes=5)
    replicas = Replicas((1, 2, 3), settings=settings, bounds_fetches=bounds_fetches)
    lead(replicas, ME)
    replicas.run_for(1000)
    replicas.take_snapshot(ME)
    replicas.add(4)
    while replicas.quorums[4].download is None:
        replicas.deliver(replicas.in_flight[0])

    assert expected == the_request(replicas).sent.request.max_bytes


@pytest.mark.rule("10.34", "10.44", "10.45")
def test_a_snapshot_comes_in_slices_and_replaces_the_log(newcomer):
    for expected in (0, 5, 10, 15):
        message = the_request(newcomer)
        wanted = message.sent.request.topics[0].partitions[0]
        assert (expected, 0) == (wanted.position, newcomer.quorums[4].log.start_offset)
        request = slice_of(wanted.snapshot_id, 4, 1, position=wanted.position, max_bytes=5)
        newcomer.answer(message, newcomer.ask(ME, request))

    quorum = newcomer.quorums[4]
    assert (8, 8, 1) == (quorum.log.start_offset, quorum.log.end_offset, quorum.log.last_epoch)
    assert (8, snapshot_of(newcomer)) == (quorum.high_watermark, quorum.snapshot)
    assert snapshot_of(newcomer) == newcomer.disks[4].snapshot
    assert (1, 2, 3) == quorum.voters.ids
    (fetch,) = newcomer.requests(FetchRequest, sender=4)
    assert 8 == fetch.sent.request.topics[0].partitions[0].fetch_offset


@pytest.mark.rule("10.45", "10.34")
def test_a_newcomer_has_the_whole_log_in_the_end(newcomer):
    newcomer.run_for(1000)

    quorum = newcomer.quorums[4]
    assert newcomer.quorums[ME].log.batches == quorum.log.batches
    assert newcomer.quorums[ME].log.end_offset_for_epoch(1) == quorum.log.end_offset_for_epoch(1)
    assert 10 == quorum.high_watermark


@pytest.fixture
def large(leader):
    """A snapshot that takes three steps to read."""
    leader.run_for(1000)
    header, batches = snapshot_of(leader).batches[0], []
    for place in range(3):
        records = (NoOpRecord(),) * READ_RECORDS_MAX
        offset = len(header.records) + place * READ_RECORDS_MAX
        versions = (0,) * READ_RECORDS_MAX
        batches.append(
            replace(
                header,
                base_offset=offset,
                records=records,
                versions=versions,
                is_control=False,
            )
        )
    whole = (header, *batches)
    snapshot = replace(
        snapshot_of(leader), batches=whole, data=leader.snapshot_format.encode(whole)
    )
    leader.quorums[ME].snapshot = snapshot
    return leader


@pytest.mark.rule("10.36", "10.45")
def test_a_large_snapshot_is_read_in_steps_and_nothing_is_asked_meanwhile(large):
    large.add(4)
    while (quorum := large.quorums[4]).reading is None:
        large.deliver(large.in_flight[0])
    for _ in range(2):
        large.now_ms += 1500
        assert 0 == quorum.log.start_offset
        assert not large.requests(FetchRequest, sender=4)
        large.step(4, conduct.go_on)
        assert large.now_ms + 2000 == quorum.role.fetch_ms
    large.step(4, conduct.go_on)

    assert quorum.reading is None
    assert snapshot_of(large) == quorum.snapshot == large.disks[4].snapshot
    (fetch,) = large.requests(FetchRequest, sender=4)
    assert 8 == fetch.sent.request.topics[0].partitions[0].fetch_offset


@pytest.mark.rule("10.44", "10.9")
def test_reading_ends_with_its_leader(large):
    large.add(4)
    while large.quorums[4].reading is None:
        large.deliver(large.in_flight[0])

    large.ask(4, begin(2, 7))

    assert large.quorums[4].reading is None
    large.step(4, conduct.go_on)
    assert 0 == large.quorums[4].log.start_offset


@pytest.mark.rule("10.36")
def test_a_slice_gives_the_leader_a_whole_new_time(newcomer):
    newcomer.now_ms += 1500
    message = the_request(newcomer)
    wanted = message.sent.request.topics[0].partitions[0]
    newcomer.answer(message, newcomer.ask(ME, slice_of(wanted.snapshot_id, 4, 1, max_bytes=5)))

    assert newcomer.now_ms + 2000 == newcomer.quorums[4].role.fetch_ms


@pytest.mark.rule("10.44")
@pytest.mark.parametrize("how", ["lost", "unknown", "refused"])
def test_a_download_that_fails_begins_again_with_a_fetch(newcomer, how):
    message = the_request(newcomer)
    wanted = message.sent.request.topics[0].partitions[0]
    response = {
        "lost": lambda: None,
        "unknown": lambda: FetchSnapshotResponse(error_code=-1),
        "refused": lambda: newcomer.ask(ME, slice_of(wanted.snapshot_id, 4, 1, position=99)),
    }[how]()
    newcomer.answer(message, response)
    newcomer.in_flight.clear()
    newcomer.run_for(5000)

    assert newcomer.quorums[ME].log.end_offset == newcomer.quorums[4].log.end_offset


@pytest.mark.rule("10.44", "10.9")
def test_a_download_ends_with_its_leader(newcomer):
    newcomer.ask(4, begin(2, 7))

    assert newcomer.quorums[4].download is None
    assert isinstance(newcomer.quorums[4].role, Follower)


# Beginning from a snapshot


@pytest.mark.rule("9.46", "10.46")
def test_a_snapshot_never_holds_what_is_not_committed():
    replicas = standing("leader")
    replicas.isolate(ME)
    snapshot = replicas.take_snapshot(ME)
    end_offset = replicas.write(2)
    beyond = SnapshotId(end_offset=end_offset, epoch=1)

    with pytest.raises(Impossible, match=r"9\.46"):
        replicas.quorums[ME].take_snapshot(
            type(snapshot)(beyond, snapshot.batches, snapshot.data), replicas.turn()
        )


@pytest.mark.rule("10.3", "10.43", "10.50")
def test_a_process_begins_with_its_snapshot_and_the_voters_that_it_tells():
    replicas = Replicas((1,))
    replicas.add(2)
    replicas.run_for(1000)
    replicas.submit(1, add_voter(2), "add")
    replicas.run_for(1000)
    for node_id in (1, 2):
        replicas.take_snapshot(node_id)
        replicas.restart(node_id)

    assert [(1, 2)] * 2 == [quorum.voters.ids for quorum in replicas.quorums.values()]
    assert key_of(2).directory_id == replicas.quorums[1].voters.find(2).voter_directory_id
    replicas.add(3)
    leader = replicas.elect()
    replicas.run_for(2000)
    assert leader.log.end_offset == replicas.quorums[3].log.end_offset
    assert (1, 2) == replicas.quorums[3].voters.ids


@pytest.mark.rule("10.47")
def test_the_same_log_is_led_on_after_a_snapshot(leader):
    leader.restart(ME)
    leader.elect()
    leader.write(3)
    leader.run_for(3000)

    ends = {quorum.log.end_offset for quorum in leader.quorums.values()}
    assert 1 == len(ends)
    assert {quorum.high_watermark for quorum in leader.quorums.values()} == ends


@pytest.mark.rule("10.34", "10.45")
def test_a_voter_that_slept_through_a_snapshot_catches_up():
    replicas = Replicas((1, 2, 3))
    lead(replicas, ME)
    replicas.run_for(1000)
    replicas.crash(3)
    replicas.write(5)
    replicas.run_for(1000)
    replicas.take_snapshot(ME)
    replicas.start(3)
    replicas.run_for(5000)

    assert replicas.quorums[ME].snapshot == replicas.quorums[3].snapshot
    assert replicas.quorums[ME].log.end_offset == replicas.quorums[3].high_watermark


def test_only_the_last_references_to_snapshots_are_kept(leader):
    form, batches = by_reference(), snapshot_of(leader).batches
    first, *others = [form.encode(batches) for _ in range(REFERENCES_MAX + 1)]

    assert {batches} == {form.read(data) for data in others}
    with pytest.raises(KeyError):
        form.read(first)
