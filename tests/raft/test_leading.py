"""What a leader does: opens its epoch, counts who has what, keeps those who wait, steps down."""

import pytest

from kraftsim.controller.core.errors import ErrorCode, Impossible
from kraftsim.controller.core.log.control_records import KRaftVersion, LeaderChange, Voters
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.raft import conduct, leading
from kraftsim.controller.raft.roles import Resigned
from kraftsim.controller.time.timeline import NEVER_MS
from tests.builders import uuid_of
from tests.raft.replicas import Replicas
from tests.raft.requests import add_voter, begin, fetch_by, remove_voter, slice_of, vote
from tests.raft.standing import ME, lead, standing, win


@pytest.fixture
def leader():
    """ME leads 2 and 3, which have all there is; all that was on its way is lost."""
    replicas = standing("leader")
    replicas.run_for(2000)
    replicas.lose_everything()
    return replicas


def elected(voters, kraft_version=1):
    """ME has just won, and nobody has fetched."""
    replicas = Replicas(voters, kraft_version=kraft_version)
    win(replicas)
    return replicas


def data_of(response):
    assert response.error_code == 0, response
    return response.responses[0].partitions[0]


# The beginning of an epoch


@pytest.mark.rule("10.19", "10.20", "10.21", "10.49")
def test_an_epoch_begins_with_one_control_batch():
    (batch,) = elected((1, 2, 3)).quorums[ME].log.batches

    change, version, voters = batch.records
    assert (True, 0, 1) == (batch.is_control, batch.base_offset, batch.epoch)
    assert LeaderChange(leader_id=1, voters=(1, 2, 3), granting_voters=(1, 2)) == change
    assert KRaftVersion(kraft_version=1) == version
    assert [1, 2, 3] == [voter.voter_id for voter in voters.voters]


@pytest.mark.rule("10.21")
def test_static_voters_are_not_written():
    (batch,) = elected((1, 2, 3), kraft_version=0).quorums[ME].log.batches

    assert [LeaderChange] == [type(record) for record in batch.records]


@pytest.mark.rule("10.21")
def test_voters_that_the_log_tells_already_are_not_written_again(leader):
    leader.resign(ME)
    leader.elect()

    opening = next(
        batch for batch in leader.leader.log.batches if batch.epoch == leader.leader.epoch
    )
    assert [LeaderChange] == [type(record) for record in opening.records]


@pytest.mark.rule("10.21")
def test_a_leader_that_listens_elsewhere_than_the_voters_say_writes_where():
    replicas = Replicas((1, 2, 3))
    lead(replicas, 2)
    replicas.crash(ME)
    replicas.ports[ME] = 7777
    replicas.start(ME)
    replicas.run_for(1000)
    replicas.resign(2, successor_id=ME)
    while replicas.leader is None or replicas.leader.me.node_id != ME:
        leading_now = replicas.elect().me.node_id
        if leading_now != ME:
            replicas.resign(leading_now, successor_id=ME)

    opening = next(
        batch for batch in replicas.leader.log.batches if batch.epoch == replicas.leader.epoch
    )
    assert [LeaderChange, KRaftVersion, Voters] == [type(record) for record in opening.records]
    assert 7777 == replicas.leader.voters.find(ME).endpoints[0].port
    assert [1, 2, 3] == list(replicas.leader.voters.ids)


@pytest.mark.rule("10.24")
@pytest.mark.parametrize("role", ["follower", "candidate", "resigned"])
def test_only_a_leader_appends(role):
    replicas = standing(role)

    with pytest.raises(Impossible, match="appends"):
        replicas.quorums[ME].append((NoOpRecord(),), (0,), replicas.turn())


# The high watermark


@pytest.mark.rule("10.19", "10.27", "9.39")
def test_the_high_watermark_is_unknown_until_something_of_the_epoch_is_committed():
    replicas = elected((1, 2, 3))
    quorum = replicas.quorums[ME]
    assert -1 == leading.known_high_watermark(quorum)

    replicas.submit(ME, fetch_by(2, quorum), "two")

    assert quorum.log.end_offset == leading.known_high_watermark(quorum)


@pytest.mark.rule("10.29", "10.32")
@pytest.mark.parametrize(
    ("voters", "offsets", "expected"),
    [
        (2, [4], 4),
        (3, [4, -1], 4),
        (3, [4, 6], 6),
        (4, [6, 4, -1], 4),
        (5, [6, 4, -1, -1], 4),
        (5, [6, 5, 4, 4], 5),
        (3, [-1, -1], 0),
        (5, [6, -1, -1, -1], 0),
    ],
)
def test_what_a_majority_has_is_committed(voters, offsets, expected):
    """-1: has not fetched. The opening batch ends at 3."""
    replicas = elected(range(1, voters + 1))
    for _ in range(3):
        replicas.write()
    quorum = replicas.quorums[ME]
    for node_id, offset in enumerate(offsets, 2):
        if offset >= 0:
            replicas.submit(ME, fetch_by(node_id, quorum, offset=offset), node_id)

    assert expected == quorum.high_watermark


@pytest.mark.rule("10.29", "9.40")
def test_what_an_older_epoch_wrote_is_not_committed_by_counting():
    """Only together with something of the leader's own epoch (Raft, figure 8)."""
    replicas = elected((1, 2, 3))
    replicas.write(2)
    replicas.resign(ME)
    replicas.ask(ME, vote(2, 4, voter=9))
    win(replicas)
    quorum = replicas.quorums[ME]
    start = quorum.role.epoch_start

    for node_id in (2, 3):
        replicas.submit(ME, fetch_by(node_id, quorum, offset=start), node_id)
    assert (0, -1) == (quorum.high_watermark, leading.known_high_watermark(quorum))
    replicas.submit(ME, fetch_by(2, quorum, offset=start + 1), 2)
    assert start + 1 == quorum.high_watermark


@pytest.mark.rule("10.30", "9.39")
def test_the_high_watermark_never_moves_down(leader):
    quorum = leader.quorums[ME]
    before = quorum.high_watermark
    for node_id in (2, 3):
        leader.submit(ME, fetch_by(node_id, quorum, offset=3), node_id)

    assert {3} == {progress.end_offset for progress in quorum.role.progress.values()}
    assert before == quorum.high_watermark


@pytest.mark.rule("10.32")
def test_what_the_leader_itself_has_not_on_disk_counts_for_nothing():
    replicas = Replicas((1, 2), has_slow_disks=True)
    win(replicas)
    quorum = replicas.quorums[ME]
    replicas.submit(ME, fetch_by(2, quorum), "two")
    assert 0 == quorum.high_watermark

    replicas.flush(ME)

    assert quorum.log.end_offset == quorum.high_watermark


@pytest.mark.rule("10.29", "5.36")
def test_who_is_no_voter_is_not_counted(leader):
    quorum = leader.quorums[ME]
    before = quorum.high_watermark
    leader.write()
    leader.submit(ME, fetch_by(9, quorum), "observer")
    leader.submit(ME, fetch_by(2, quorum, directory=uuid_of("reborn")), "reborn")

    assert before == quorum.high_watermark
    leader.submit(ME, fetch_by(2, quorum), "voter")
    assert before + 1 == quorum.high_watermark


@pytest.mark.rule("5.32", "10.32", "10.34")
def test_a_fetch_that_diverges_acknowledges_nothing(leader):
    quorum = leader.quorums[ME]
    before = quorum.high_watermark, dict(quorum.role.progress)
    leader.write()

    data = data_of(leader.ask(ME, fetch_by(2, quorum, offset=quorum.log.end_offset + 5)))

    assert quorum.log.end_offset == data.diverging_epoch.end_offset
    assert before == (quorum.high_watermark, quorum.role.progress)


# Those who wait


@pytest.mark.rule("10.35")
def test_a_fetch_waits_and_is_answered_when_its_time_is_over(leader):
    leader.submit(ME, fetch_by(2, leader.quorums[ME]), "two")
    assert [] == leader.answers("two")

    leader.now_ms += 499
    leader.step(ME, conduct.on_deadline)
    assert [] == leader.answers("two")
    leader.now_ms += 1
    leader.step(ME, conduct.on_deadline)
    (data,) = map(data_of, leader.answers("two"))
    assert (0, (), leader.quorums[ME].high_watermark) == (
        data.error_code,
        tuple(data.records),
        data.high_watermark,
    )


@pytest.mark.rule("10.35")
def test_an_append_answers_everybody_who_waits(leader):
    for node_id in (2, 9):
        leader.submit(ME, fetch_by(node_id, leader.quorums[ME]), node_id)
    end_offset = leader.write()

    for node_id in (2, 9):
        (data,) = map(data_of, leader.answers(node_id))
        assert [end_offset - 1] == [record.base_offset for record in data.records]


@pytest.mark.rule("10.35", "10.31")
def test_a_new_high_watermark_answers_those_who_named_the_old_one(leader):
    quorum = leader.quorums[ME]
    before = quorum.high_watermark
    end_offset = leader.write()
    leader.submit(ME, fetch_by(8, quorum, high_watermark=before), "named")
    leader.submit(ME, fetch_by(9, quorum), "silent")
    leader.submit(ME, fetch_by(7, quorum, high_watermark=end_offset), "knows")
    assert [] == leader.answers("named")

    leader.submit(ME, fetch_by(2, quorum), "voter")

    assert [end_offset] == [data_of(answer).high_watermark for answer in leader.answers("named")]
    assert [[], []] == [leader.answers("silent"), leader.answers("knows")]


@pytest.mark.rule("10.35", "10.33", "10.38")
@pytest.mark.parametrize(("what", "known"), [("resigns", (1, ME)), ("is told of another", (7, 3))])
def test_those_who_wait_for_a_leader_that_leads_no_more_are_refused(leader, what, known):
    leader.submit(ME, fetch_by(2, leader.quorums[ME]), "two")
    if what == "resigns":
        leader.resign(ME)
    else:
        leader.ask(ME, begin(3, 7))

    (data,) = map(data_of, leader.answers("two"))
    said = data.current_leader
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER == data.error_code
    assert known == (said.leader_epoch, said.leader_id)


# Check-quorum


def run_alone(replicas, milliseconds, fetching=()):
    """Time passes; of the others only these fetch, every 500 ms."""
    for _ in range(milliseconds // 500):
        replicas.now_ms += 500
        for node_id in fetching:
            if replicas.quorums[ME].is_leader:
                replicas.submit(ME, fetch_by(node_id, replicas.quorums[ME]), node_id)
        replicas.step(ME, conduct.on_deadline)


@pytest.mark.rule("10.25", "10.54")
def test_a_leader_that_no_majority_fetches_from_resigns_after_one_and_a_half_fetch_timeouts(leader):
    leader.submit(ME, fetch_by(2, leader.quorums[ME]), "two")
    run_alone(leader, 2500)
    assert leader.quorums[ME].is_leader

    run_alone(leader, 500)

    assert isinstance(leader.quorums[ME].role, Resigned)


@pytest.mark.rule("10.25")
@pytest.mark.parametrize(
    ("voters", "fetching", "stays"),
    [
        (2, (2,), True),
        (2, (), False),
        (3, (3,), True),
        (3, (9,), False),
        (5, (2,), False),
        (5, (2, 5), True),
        (1, (), True),
    ],
)
def test_a_majority_that_fetches_keeps_its_leader(voters, fetching, stays):
    replicas = elected(range(1, voters + 1))
    run_alone(replicas, 20_000, fetching)

    assert stays == replicas.quorums[ME].is_leader


@pytest.mark.rule("10.25")
def test_a_fetch_that_diverges_does_not_keep_a_leader(leader):
    for _ in range(8):
        leader.now_ms += 500
        if leader.quorums[ME].is_leader:
            end_offset = leader.quorums[ME].log.end_offset
            leader.ask(ME, fetch_by(2, leader.quorums[ME], offset=end_offset + 5))
        leader.step(ME, conduct.on_deadline)

    assert isinstance(leader.quorums[ME].role, Resigned)


@pytest.mark.rule("10.25", "10.44", "5.36")
@pytest.mark.parametrize(("directory", "stays"), [(None, True), (uuid_of("reborn"), False)])
def test_a_voter_that_fetches_a_snapshot_keeps_its_leader(leader, directory, stays):
    snapshot = leader.take_snapshot(ME)
    for _ in range(8):
        leader.now_ms += 500
        if leader.quorums[ME].is_leader:
            leader.ask(ME, slice_of(snapshot.snapshot_id, 2, 1, directory=directory))
        leader.step(ME, conduct.on_deadline)

    assert stays == leader.quorums[ME].is_leader


@pytest.mark.rule("10.25", "10.52")
def test_a_leader_whose_last_fellow_voter_is_removed_stays():
    replicas = Replicas((1, 2))
    lead(replicas, ME)
    replicas.run_for(1000)
    replicas.submit(ME, remove_voter(2), "remove")
    replicas.run_for(100)
    assert (ME,) == replicas.quorums[ME].voters.ids
    replicas.crash(2)
    replicas.run_for(60_000)

    assert (True, 1) == (replicas.quorums[ME].is_leader, replicas.quorums[ME].epoch)
    assert NEVER_MS == replicas.quorums[ME].role.check_quorum_ms


@pytest.mark.rule("10.25", "10.51")
def test_a_leader_that_gets_its_first_fellow_voter_needs_to_hear_from_it():
    replicas = Replicas((1,))
    replicas.add(2)
    replicas.run_for(2000)
    replicas.submit(ME, add_voter(2), "add")
    replicas.run_for(100)
    assert (1, 2) == replicas.quorums[ME].voters.ids
    replicas.crash(2)
    replicas.run_for(3600)

    assert not replicas.quorums[ME].is_leader


@pytest.mark.rule("10.26")
def test_a_leader_that_is_asked_to_resign_does_so(leader):
    leader.resign(ME)

    assert isinstance(leader.quorums[ME].role, Resigned)
    assert 1 == leader.quorums[ME].epoch


@pytest.mark.rule("10.13", "10.18")
def test_a_leader_steps_down_for_a_higher_epoch(leader):
    leader.ask(ME, vote(2, 5))

    assert (False, 5) == (leader.quorums[ME].is_leader, leader.quorums[ME].epoch)
