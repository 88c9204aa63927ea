"""Voters are added one at a time; texts are those of golden 4.3.1."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    AddRaftVoterResponse,
    ApiVersionsResponse,
    BeginQuorumEpochRequest,
    QuorumEndpoint,
    SupportedFeatureKey,
)
from kraftsim.controller.core.uuid import ZERO_UUID, uuid_text
from tests.builders import uuid_of
from tests.raft.changes import led_with_an_observer, named, refusal, result, the_question
from tests.raft.replicas import SUPPORTED, Replicas, key_of
from tests.raft.requests import add_voter, fetch_by, remove_voter, update_voter
from tests.raft.standing import ME, standing, win

BUSY = "Request timed out waiting for leader to handle previous voter change request."
WITHOUT_LISTENER = (
    "Add voter request didn't include the endpoint (Endpoints(endpoints={{{}}})) for the default "
    "listener ListenerName(CONTROLLER)"
)


@pytest.fixture
def leader():
    return led_with_an_observer()


@pytest.mark.rule("10.51", "10.50")
def test_a_voter_that_is_added_is_asked_written_committed_and_then_announced(leader):
    quorum = leader.quorums[ME]
    leader.submit(ME, add_voter(4), "add")
    assert (1, 2, 3) == quorum.voters.ids
    question = the_question(leader)
    assert (4, 9004) == (question.receiver, question.sent.endpoint.port)

    leader.answer(question, SUPPORTED)
    assert (1, 2, 3, 4) == quorum.voters.ids
    assert [] == leader.answers("add")

    leader.run_for(500)
    assert [AddRaftVoterResponse()] == leader.answers("add")
    assert quorum.history.latest_offset < quorum.high_watermark
    assert {(1, 2, 3, 4)} == {quorum.voters.ids for quorum in leader.quorums.values()}


@pytest.mark.rule("10.51", "10.52")
def test_3_9_names_the_directory_of_a_voter_as_an_optional_value(leader):
    quorum = leader.quorums[ME]
    quorum.identity = replace(quorum.identity, prints_optional_ids=True)
    second, other = (uuid_text(key_of(node_id).directory_id) for node_id in (2, 4))

    named = f"ReplicaKey(id=2, directoryId=Optional[{second}])"
    assert named in refusal(leader, add_voter(2))[1]
    wrong = replace(remove_voter(2), voter_directory_id=key_of(4).directory_id)
    assert f"ReplicaKey(id=2, directoryId=Optional[{other}])" in refusal(leader, wrong)[1]


@pytest.mark.rule("10.51", "10.52")
def test_before_4_3_a_voter_that_was_added_or_removed_is_answered_with_the_text_none(leader):
    quorum = leader.quorums[ME]
    quorum.identity = replace(quorum.identity, says_none=True)

    leader.submit(ME, add_voter(4), "add")
    leader.answer(the_question(leader), SUPPORTED)
    leader.run_for(500)
    leader.submit(ME, remove_voter(4), "remove")
    leader.run_for(500)

    assert [(ErrorCode.NONE, "NONE")] == result(leader, "add")
    assert [(ErrorCode.NONE, "NONE")] == result(leader, "remove")


@pytest.mark.rule("10.51")
def test_the_name_of_a_listener_is_read_in_capitals(leader):
    listener = QuorumEndpoint(name="controller", host="127.0.0.1", port=9004)
    leader.submit(ME, add_voter(4, listeners=(listener,)), "add")
    leader.answer(the_question(leader), SUPPORTED)

    [endpoint] = leader.quorums[ME].voters.find(4).endpoints
    assert "CONTROLLER" == endpoint.name


@pytest.mark.rule("10.51")
def test_whoever_does_not_want_to_wait_for_the_commit_need_not(leader):
    leader.isolate(ME)
    leader.submit(ME, add_voter(4, ack_when_committed=False), "add")
    leader.answer(the_question(leader), SUPPORTED)

    assert [AddRaftVoterResponse()] == leader.answers("add")
    assert leader.quorums[ME].history.latest_offset >= leader.quorums[ME].high_watermark


@pytest.mark.rule("10.22", "5.28")
def test_a_voter_that_is_added_is_known_from_before(leader):
    leader.submit(ME, add_voter(4), "add")
    told = []
    while not leader.answers("add"):
        told += leader.requests(BeginQuorumEpochRequest)
        leader.deliver(leader.in_flight[0])

    role = leader.quorums[ME].role
    assert ({2, 3, 4}, {}, []) == (set(role.progress), role.observers, told)


@pytest.mark.rule("10.51")
@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        (
            {"cluster_id": "x", "voter_directory_id": ZERO_UUID},
            ErrorCode.INCONSISTENT_CLUSTER_ID,
            'The given id "x" doesn\'t match the cluster id "abcdefghijklmnopqrst4A"',
        ),
        (
            {"voter_directory_id": ZERO_UUID},
            ErrorCode.INVALID_REQUEST,
            "Add voter request didn't include a valid voter",
        ),
        (
            {"listeners": (QuorumEndpoint(name="OTHER", host="x", port=1),)},
            ErrorCode.INVALID_REQUEST,
            WITHOUT_LISTENER.format("ListenerName(OTHER)=x/<unresolved>:1"),
        ),
        ({"listeners": ()}, ErrorCode.INVALID_REQUEST, WITHOUT_LISTENER.format("")),
    ],
)
def test_an_addition_is_checked_in_order(leader, fields, code, text):
    assert (code, text) == refusal(leader, add_voter(4, **fields))


@pytest.mark.rule("10.51")
def test_a_voter_is_added_once(leader):
    """Also under another directory. Golden 4.3.1 A3, seq 227."""
    expected = f"The voter id for {named(2)} is already part of the set of voters {named(1, 2, 3)}."
    assert (ErrorCode.DUPLICATE_VOTER, expected) == refusal(leader, add_voter(2))
    reborn = add_voter(2, voter_directory_id=uuid_of("x"), cluster_id=None)
    assert ErrorCode.DUPLICATE_VOTER == refusal(leader, reborn)[0]


@pytest.mark.rule("10.51", "10.52")
@pytest.mark.parametrize("request_", [add_voter(4), remove_voter(2), remove_voter(9)])
def test_only_a_leader_changes_voters(request_):
    replicas = standing("follower")

    assert (ErrorCode.NOT_LEADER_OR_FOLLOWER, None) == refusal(replicas, request_)


@pytest.mark.rule("10.51", "10.52", "10.53")
def test_static_voters_do_not_change():
    """Golden 4.3.1 A6, seq 246 and 248."""
    replicas = standing("leader", kraft_version=0)
    text = "Cluster doesn't support {} voter because the kraft.version feature is 0"

    assert (35, text.format("adding")) == refusal(replicas, add_voter(4))
    assert (35, text.format("removing")) == refusal(replicas, remove_voter(2))
    assert ErrorCode.NONE == replicas.ask(ME, update_voter(2, 1)).error_code  # golden A2, 958


@pytest.mark.rule("10.51", "10.52", "10.53", "9.45")
@pytest.mark.parametrize("kraft_version", [0, 1])
def test_a_leader_that_has_committed_nothing_of_its_epoch_changes_no_voters(kraft_version):
    replicas = Replicas((1, 2, 3), kraft_version=kraft_version)
    win(replicas)

    code, text = refusal(replicas, add_voter(4))
    assert ErrorCode.REQUEST_TIMED_OUT == code
    assert "establish HWM" in text
    assert ErrorCode.REQUEST_TIMED_OUT == refusal(replicas, remove_voter(2))[0]
    assert ErrorCode.REQUEST_TIMED_OUT == replicas.ask(ME, update_voter(2, 1)).error_code


@pytest.mark.rule("9.45", "10.51", "10.52", "10.53")
@pytest.mark.parametrize("step", ["asked", "written"])
def test_voters_change_one_at_a_time(leader, step):
    leader.isolate(ME)
    leader.submit(ME, add_voter(4), "add")
    if step == "written":
        leader.answer(the_question(leader), SUPPORTED)

    assert (ErrorCode.REQUEST_TIMED_OUT, BUSY) == refusal(leader, add_voter(5))
    assert (ErrorCode.REQUEST_TIMED_OUT, BUSY) == refusal(leader, remove_voter(2))
    assert ErrorCode.REQUEST_TIMED_OUT == leader.ask(ME, update_voter(2, 1)).error_code


@pytest.mark.rule("9.45", "10.51", "10.52", "10.53")
def test_voters_that_are_written_and_not_committed_do_not_change(leader):
    leader.isolate(ME)
    leader.submit(ME, add_voter(4, ack_when_committed=False), "add")
    leader.answer(the_question(leader), SUPPORTED)

    code, text = refusal(leader, remove_voter(2))
    assert ErrorCode.REQUEST_TIMED_OUT == code
    assert "waiting for voters to commit the latest voter change" in text
    assert ErrorCode.REQUEST_TIMED_OUT == leader.ask(ME, update_voter(2, 1)).error_code


@pytest.mark.rule("10.51")
@pytest.mark.parametrize(
    ("response", "error"),
    [
        (None, "BROKER_NOT_AVAILABLE"),
        (ApiVersionsResponse(error_code=35), "UNSUPPORTED_VERSION"),
    ],
)
def test_a_voter_that_does_not_say_what_it_supports_is_not_added(leader, response, error):
    leader.submit(ME, add_voter(4), "add")
    leader.answer(the_question(leader), response)

    text = f"Aborted add voter operation for since API_VERSIONS returned an error {error}"
    assert [(ErrorCode.REQUEST_TIMED_OUT, text)] == result(leader, "add")
    assert (1, 2, 3) == leader.quorums[ME].voters.ids


@pytest.mark.rule("10.51", "10.54")
def test_a_voter_that_never_answers_is_given_up_after_the_request_timeout(leader):
    leader.crash(4)
    leader.submit(ME, add_voter(4), "add")
    leader.run_for(1999)
    assert [] == leader.answers("add")

    leader.run_for(1)

    assert [(ErrorCode.REQUEST_TIMED_OUT, "The request timed out.")] == result(leader, "add")


@pytest.mark.rule("10.51")
@pytest.mark.parametrize("range_", [(0, 0), (2, 3), None])
def test_a_voter_that_does_not_support_the_kraft_version_is_not_added(leader, range_):
    leader.submit(ME, add_voter(4), "add")
    features = ()
    if range_ is not None:
        low, high = range_
        features = (SupportedFeatureKey(name="kraft.version", min_version=low, max_version=high),)
    leader.answer(the_question(leader), ApiVersionsResponse(supported_features=features))

    ((code, text),) = result(leader, "add")
    assert ErrorCode.INVALID_REQUEST == code
    assert "doesn't support the finalized version 1" in text
    assert (1, 2, 3) == leader.quorums[ME].voters.ids


@pytest.mark.rule("10.51")
@pytest.mark.parametrize("how", ["never fetched", "never had everything", "an hour ago"])
def test_a_voter_that_is_not_caught_up_is_not_added(leader, how):
    quorum = leader.quorums[ME]
    node_id = 4 if how == "an hour ago" else 5
    if how == "never had everything":
        leader.submit(ME, fetch_by(5, quorum, offset=0), "observer")
    if how == "an hour ago":
        gone = quorum.role.observers[key_of(4)]
        quorum.role.observers[key_of(4)] = replace(gone, fetched_ms=leader.now_ms - 3_600_000)
    leader.submit(ME, add_voter(node_id), "add")
    leader.answer(the_question(leader), SUPPORTED)

    expected = f"Aborted add voter operation for {named(node_id)} since it is lagging behind"
    assert [(ErrorCode.REQUEST_TIMED_OUT, expected)] == result(leader, "add")


@pytest.mark.rule("10.51")
def test_what_one_new_voter_supports_is_not_believed_of_another(leader):
    leader.submit(ME, add_voter(4), "first")
    late = the_question(leader)
    leader.quorums[ME].role.change = None
    leader.submit(ME, fetch_by(5, leader.quorums[ME]), "observer")
    leader.submit(ME, add_voter(5), "second")
    leader.answer(late, SUPPORTED)

    assert 5 not in leader.quorums[ME].voters.ids
