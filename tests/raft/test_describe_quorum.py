"""DescribeQuorum: the quorum as its leader sees it."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    QuorumEndpoint,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft.messages import METADATA_TOPIC
from kraftsim.controller.raft.roles import OBSERVERS_MAX, Progress
from tests.builders import uuid_of
from tests.raft.replicas import WALL_START_MS, Replicas, key_of
from tests.raft.requests import add_voter, describe, fetch_by
from tests.raft.standing import ME, lead, standing, win


@pytest.fixture
def leader():
    """ME leads 2 and 3, which have not fetched since it was elected; nothing is committed."""
    replicas = Replicas((1, 2, 3))
    win(replicas)
    return replicas


def told(replicas, node_id=ME):
    response = replicas.ask(node_id, describe())
    assert response.error_code == 0, response
    return response.topics[0].partitions[0]


def state_of(replicas, node_id):
    partition = told(replicas)
    (state,) = [
        replica
        for replica in (*partition.current_voters, *partition.observers)
        if replica.replica_id == node_id
    ]
    return state.log_end_offset, state.last_fetch_timestamp, state.last_caught_up_timestamp


def wall(replicas):
    return WALL_START_MS + replicas.now_ms


@pytest.mark.rule("5.24")
@pytest.mark.parametrize(
    "named",
    [
        [("another", 0)],
        [(METADATA_TOPIC, 1)],
        [(METADATA_TOPIC, 0), ("another", 0)],
        [(METADATA_TOPIC, 0), (METADATA_TOPIC, 0)],
    ],
)
def test_only_the_metadata_is_described(leader, named):
    """Golden 4.3.1 A6, seq 28."""
    response = leader.ask(ME, describe(*named))

    partitions = [partition for topic in response.topics for partition in topic.partitions]
    text = "This server does not host this topic-partition."
    assert {(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text, 0, 0)} == {
        (partition.error_code, partition.error_message, partition.leader_id, partition.leader_epoch)
        for partition in partitions
    }
    assert [index for _, index in named] == [partition.partition_index for partition in partitions]
    assert (0, ()) == (response.error_code, response.nodes)


@pytest.mark.rule("5.24")
def test_nothing_is_described_if_nothing_is_asked(leader):
    assert DescribeQuorumResponse() == leader.ask(ME, DescribeQuorumRequest())


@pytest.mark.rule("5.25")
@pytest.mark.parametrize("role", ["follower", "candidate", "resigned"])
def test_only_a_leader_describes(role):
    response = standing(role).ask(ME, describe())

    (voter,) = response.topics[0].partitions
    assert (0, ErrorCode.NOT_LEADER_OR_FOLLOWER, 0, 0, ()) == (
        response.error_code,
        voter.error_code,
        voter.leader_id,
        voter.leader_epoch,
        response.nodes,
    )
    assert voter.error_message.startswith("For requests intended only for the leader")


@pytest.mark.rule("5.26", "5.27", "9.39")
def test_a_leader_describes_before_it_has_committed_anything(leader):
    partition = told(leader)

    assert (ME, 1, -1) == (partition.leader_id, partition.leader_epoch, partition.high_watermark)
    leader.submit(ME, fetch_by(2, leader.quorums[ME]), "two")
    assert leader.quorums[ME].log.end_offset == told(leader).high_watermark


@pytest.mark.rule("5.28", "5.29", "5.30", "5.35")
def test_a_new_leader_knows_only_itself(leader):
    leader.now_ms += 700
    end_offset = leader.quorums[ME].log.end_offset

    assert (end_offset, wall(leader), wall(leader)) == state_of(leader, ME)
    assert (-1, -1, -1) == state_of(leader, 2) == state_of(leader, 3)
    assert () == told(leader).observers
    assert [1, 2, 3] == sorted(voter.replica_id for voter in told(leader).current_voters)


@pytest.mark.rule("5.29", "5.31")
def test_a_fetch_with_everything_is_caught_up_now(leader):
    leader.submit(ME, fetch_by(2, leader.quorums[ME]), "two")

    assert (leader.quorums[ME].log.end_offset, wall(leader), wall(leader)) == state_of(leader, 2)


@pytest.mark.rule("5.31")
def test_a_fetch_with_what_was_there_at_the_last_one_is_caught_up_as_of_then(leader):
    quorum = leader.quorums[ME]
    leader.submit(ME, fetch_by(2, quorum, offset=0), "first")
    then = wall(leader)
    assert (0, then, -1) == state_of(leader, 2)
    had = quorum.log.end_offset
    leader.write(2)
    leader.now_ms += 300

    leader.submit(ME, fetch_by(2, quorum, offset=had), "second")

    assert (had, wall(leader), then) == state_of(leader, 2)


@pytest.mark.rule("5.31")
def test_who_lags_keeps_the_time_at_which_it_was_caught_up(leader):
    quorum = leader.quorums[ME]
    leader.submit(ME, fetch_by(2, quorum), "first")
    then, had = wall(leader), quorum.log.end_offset
    for _ in range(2):
        leader.write(2)
        leader.now_ms += 300
        leader.submit(ME, fetch_by(2, quorum, offset=had - 3), "again")

    assert (had - 3, wall(leader), then) == state_of(leader, 2)


@pytest.mark.rule("5.33")
def test_caught_up_is_with_what_the_leader_has_on_disk():
    replicas = Replicas((1, 2), has_slow_disks=True)
    win(replicas)
    replicas.flush(ME)
    had = replicas.quorums[ME].log.end_offset
    replicas.write(2)
    replicas.submit(ME, fetch_by(2, replicas.quorums[ME], offset=had), "two")

    assert (had, wall(replicas), wall(replicas)) == state_of(replicas, 2)


@pytest.mark.rule("5.32")
@pytest.mark.parametrize("what", ["diverging", "snapshot"])
def test_a_fetch_that_is_not_valid_changes_nothing(what):
    replicas = Replicas((1, 2, 3))
    lead(replicas, ME)
    replicas.run_for(1000)
    replicas.take_snapshot(ME)
    before = state_of(replicas, 2)
    replicas.now_ms += 300
    offset = 0 if what == "snapshot" else replicas.quorums[ME].log.end_offset + 9
    replicas.ask(ME, fetch_by(2, replicas.quorums[ME], offset=offset))

    assert before == state_of(replicas, 2)


@pytest.mark.rule("5.28", "5.34")
def test_an_observer_is_forgotten_five_minutes_after_its_last_fetch(leader):
    leader.submit(ME, fetch_by(9, leader.quorums[ME]), "nine")
    (voter,) = told(leader).observers
    assert (9, key_of(9).directory_id) == (voter.replica_id, voter.replica_directory_id)

    leader.now_ms += 299_999
    assert 1 == len(told(leader).observers)
    leader.now_ms += 1
    assert () == told(leader).observers


@pytest.mark.rule("5.28")
def test_who_invents_replica_ids_does_not_fill_the_leaders_memory(leader):
    role = leader.quorums[ME].role
    role.observers = {key_of(node_id): Progress() for node_id in range(100, 100 + OBSERVERS_MAX)}

    leader.submit(ME, fetch_by(9, leader.quorums[ME]), "nine")

    assert OBSERVERS_MAX == len(role.observers)
    assert (key_of(9) in role.observers, key_of(100) in role.observers) == (True, False)


@pytest.mark.rule("5.36")
def test_a_voter_under_another_directory_is_an_observer_of_the_same_id(leader):
    leader.submit(ME, fetch_by(2, leader.quorums[ME], directory=uuid_of("reborn")), "two")

    partition = told(leader)
    assert [(2, uuid_of("reborn"))] == [
        (observer.replica_id, observer.replica_directory_id) for observer in partition.observers
    ]
    assert {-1} == {
        voter.log_end_offset for voter in partition.current_voters if voter.replica_id != ME
    }


@pytest.mark.rule("5.36", "5.37", "5.38")
def test_static_voters_have_no_directory_and_any_fits():
    replicas = Replicas((1, 2, 3), kraft_version=0)
    win(replicas)
    for node_id in (2, 9):
        replicas.submit(ME, fetch_by(node_id, replicas.quorums[ME]), node_id)

    partition = told(replicas)
    assert {ZERO_UUID} == {voter.replica_directory_id for voter in partition.current_voters}
    assert [key_of(9).directory_id] == [
        observer.replica_directory_id for observer in partition.observers
    ]


@pytest.mark.rule("5.38")
def test_nodes_are_the_voters_and_where_they_listen(leader):
    leader.submit(ME, fetch_by(9, leader.quorums[ME]), "nine")

    assert {
        node_id: (QuorumEndpoint(name="CONTROLLER", host="127.0.0.1", port=9000 + node_id),)
        for node_id in (1, 2, 3)
    } == {node.node_id: node.listeners for node in leader.ask(ME, describe()).nodes}


@pytest.mark.rule("5.28", "10.51")
def test_an_observer_that_becomes_a_voter_is_listed_once():
    replicas = Replicas((1, 2, 3))
    lead(replicas, ME)
    replicas.add(4)
    replicas.run_for(3000)
    replicas.submit(ME, add_voter(4), "add")
    replicas.run_for(1000)

    partition = told(replicas)
    assert ([1, 2, 3, 4], ()) == (
        [voter.replica_id for voter in partition.current_voters],
        partition.observers,
    )


@pytest.mark.rule("9.47")
def test_the_high_watermark_is_at_most_what_a_majority_has():
    replicas = Replicas((1, 2, 3, 4, 5))
    lead(replicas, ME)
    for lost in (5, 4):
        replicas.write(2)
        replicas.run_for(50)
        replicas.isolate(lost)
        partition = told(replicas)
        ends = sorted((voter.log_end_offset for voter in partition.current_voters), reverse=True)
        assert ends[2] >= partition.high_watermark
        assert replicas.quorums[ME].log.end_offset >= partition.high_watermark
