"""A replica that stands in a given role, reached by what leads there and nothing else."""

from kraftsim.controller.core.rpc import (
    VotePartitionResult,
    VoteRequest,
    VoteResponse,
    VoteTopicResult,
)
from kraftsim.controller.raft import conduct, messages
from kraftsim.controller.raft.roles import Candidate, Prospective
from tests.raft.replicas import Replicas
from tests.raft.requests import begin

ME = 1
ROLES = (
    "unattached",
    "follower",
    "content follower",
    "prospective",
    "candidate",
    "leader",
    "resigned",
)


def standing(role, **options):
    """Three voters of which ME is what `role` says; what was sent by then is lost."""
    replicas = Replicas((1, 2, 3), **options)
    {
        "unattached": lambda: None,
        "follower": lambda: replicas.ask(ME, begin(2, 1)),
        "content follower": lambda: _content(replicas),
        "prospective": lambda: prospect(replicas),
        "candidate": lambda: _candidate(replicas),
        "leader": lambda: lead(replicas, ME),
        "resigned": lambda: (lead(replicas, ME), replicas.resign(ME)),
    }[role]()
    replicas.lose_everything()
    return replicas


def _content(replicas):
    """It follows 2, which has answered a fetch."""
    lead(replicas, 2)
    replicas.run_for(600)


def _candidate(replicas):
    prospect(replicas)
    grant(replicas, votes_asked(replicas)[0])
    assert isinstance(replicas.quorums[ME].role, Candidate)


def prospect(replicas, node_id=ME):
    """It hears nothing until its patience ends."""
    while not isinstance(replicas.quorums[node_id].role, Prospective):
        replicas.lose_everything()
        replicas.fire(node_id)


def votes_asked(replicas, node_id=ME):
    """What it asks everybody that has not answered, all lines being free."""
    replicas.lose_everything()
    replicas.step(node_id, conduct.on_deadline)
    return replicas.requests(VoteRequest, sender=node_id)


def lead(replicas, node_id):
    """`node_id` is first to lose its patience, and wins."""
    prospect(replicas, node_id)
    replicas.elect()
    assert replicas.leader.me.node_id == node_id, replicas.leader.me


def win(replicas, node_id=ME):
    """Half of the others grant what it asks for; nobody has fetched from it."""
    if len(replicas.ids) > 1:
        prospect(replicas, node_id)
        for _ in ("pre-vote", "vote"):
            for request in votes_asked(replicas, node_id)[: len(replicas.ids) // 2]:
                grant(replicas, request)
    assert replicas.quorums[node_id].is_leader
    replicas.lose_everything()


def grant(replicas, message, *, granted=True, error=0):
    """The vote that `message` asks for."""
    asked = messages.vote_partition(message.sent.request)
    replicas.answer(message, vote_answer(asked.replica_epoch, granted=granted, error=error))


def vote_answer(epoch, *, granted=True, error=0, leader_id=-1, endpoints=()):
    partition = VotePartitionResult(
        error_code=error, leader_id=leader_id, leader_epoch=epoch, vote_granted=granted
    )
    topics = (VoteTopicResult(topic_name=messages.METADATA_TOPIC, partitions=(partition,)),)
    return VoteResponse(topics=topics, node_endpoints=endpoints)
