"""Elections and changes of voters are answered once they are committed (S16)."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    AllocateProducerIdsRequest,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    RemoveRaftVoterRequest,
)
from kraftsim.controller.core.rpc.voters import QuorumEndpoint
from kraftsim.controller.node.active import Active
from kraftsim.controller.raft import membership
from kraftsim.scenarios.properties.replies import AnswerAfterCommit
from tests.scenarios import planted_rules
from tests.scenarios.lives import follower_id
from tests.scenarios.watched import settled_world
from tests.worlds import ask, create_topic, partition, pass_time

S16 = AnswerAfterCommit.number


@pytest.fixture
def cluster():
    """(world, watch) of three controllers and three brokers; S16 is watched."""
    return settled_world(classes=(AnswerAfterCommit,))


def elect_preferred(world):
    """Broker 1, the preferred leader of orders-0, leads again after a crash."""
    create_topic(world, "orders", (1, 2, 3))
    world.agents[1].kill()
    pass_time(world, 15)
    world.agents[1].start()
    assert world.run_until(lambda: 1 in partition(world, "orders").isr, limit_us=60_000_000)
    orders = ElectedTopicPartitions(topic="orders", partitions=(0,))
    reply = ask(world, ElectLeadersRequest(topic_partitions=(orders,)))
    ((result,),) = (topic.partition_result for topic in reply.replica_election_results)
    assert ErrorCode.NONE == result.error_code
    pass_time(world, 2)


def remove_voter(world):
    """A follower is removed from the voters."""
    number = follower_id(world)
    config = world.controllers[number].node.config
    request = RemoveRaftVoterRequest(voter_id=number, voter_directory_id=config.directory_id)
    assert ErrorCode.NONE == ask(world, request).error_code
    pass_time(world, 2)
    return number


def add_voter(world, *, ack_when_committed=True):
    """A follower is removed from the voters, and added again."""
    number = remove_voter(world)
    me = world.controllers[number].node.quorum.identity.as_voter
    request = AddRaftVoterRequest(
        voter_id=number,
        voter_directory_id=me.voter_directory_id,
        timeout_ms=4_000,
        listeners=tuple(
            QuorumEndpoint(name=e.name, host=e.host, port=e.port) for e in me.endpoints
        ),
        ack_when_committed=ack_when_committed,
    )
    assert ErrorCode.NONE == ask(world, request).error_code
    pass_time(world, 2)


def allocate_producer_ids(world):
    broker = world.committed.brokers[2]
    request = AllocateProducerIdsRequest(
        broker_id=broker.broker_id, broker_epoch=broker.broker_epoch
    )
    assert ErrorCode.NONE == ask(world, request).error_code


def elections_are_answered_at_once(patch):
    submit = Active.submit

    def buggy(self, handler, request, token, turn):
        submit(self, handler, request, token, turn)
        waiting = self._deferred._waiting
        if isinstance(request, ElectLeadersRequest) and waiting and waiting[-1][1] is token:
            turn.replies += (waiting.pop()[1:],)

    patch.setattr(Active, "submit", buggy)


def changes_of_voters_are_answered_at_once(patch, kind):
    write = membership._write

    def buggy(quorum, change, voters, turn):
        write(quorum, change, voters, turn)
        if isinstance(change.request, kind):
            reply = membership._reply(quorum, change.request, ErrorCode.NONE, None)
            turn.replies += ((change.token, reply),)
            quorum.role.end_change()

    patch.setattr(membership, "_write", buggy)


@pytest.mark.parametrize(
    "change", [elect_preferred, remove_voter, add_voter, allocate_producer_ids]
)
def test_a_change_that_waits_for_its_commit_is_looked_up_and_found(cluster, change):
    world, watching = cluster
    change(world)

    assert {} == watching.violations
    assert watching.properties[S16].exercised >= 1


def test_an_election_that_is_answered_at_once_breaks_s16(cluster, monkeypatch):
    world, watching = cluster
    elections_are_answered_at_once(monkeypatch)
    elect_preferred(world)

    assert "gets a success for an election of " in watching.violations[S16].what


def test_a_block_of_producer_ids_that_another_broker_owns_breaks_s16(cluster, monkeypatch):
    world, watching = cluster
    planted_rules.gives_ids_to_another_broker(monkeypatch)
    allocate_producer_ids(world)

    assert (
        "gets a success for the producer ids up to 1000, for broker 2 of epoch "
        in watching.violations[S16].what
    )


def test_a_removal_that_is_answered_at_once_breaks_s16(cluster, monkeypatch):
    world, watching = cluster
    changes_of_voters_are_answered_at_once(monkeypatch, RemoveRaftVoterRequest)
    remove_voter(world)

    assert "gets a success for the removal, " in watching.violations[S16].what


def test_a_new_voter_that_is_answered_at_once_breaks_s16(cluster, monkeypatch):
    world, watching = cluster
    changes_of_voters_are_answered_at_once(monkeypatch, AddRaftVoterRequest)
    add_voter(world)

    assert "gets a success for the voter, " in watching.violations[S16].what


def test_a_voter_that_does_not_want_to_wait_may_be_answered_at_once(cluster):
    """KIP-1186: a controller that joins by itself learns of its membership from the log."""
    world, watching = cluster
    add_voter(world, ack_when_committed=False)

    assert {} == watching.violations
