"""What other controllers say to the one under test, so that it gains or loses leadership."""

from typing import Any

from kraftsim.controller.core.rpc import (
    BeginQuorumEpochPartition,
    BeginQuorumEpochRequest,
    BeginQuorumEpochTopic,
    EndQuorumEpochPartition,
    EndQuorumEpochRequest,
    EndQuorumEpochTopic,
    PreferredCandidate,
    QuorumEndpoint,
    VotePartition,
    VoteRequest,
    VoteTopic,
)
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.messages import METADATA_TOPIC
from kraftsim.controller.raft.protocol import Deadline, Event, Started, Submitted

CONTROLLER_ID = 3000
OTHER_CONTROLLER_ID = 3001


def lost_leadership(node: Node, leader_id: int = OTHER_CONTROLLER_ID) -> Event:
    """Another voter says that `leader_id` leads the next epoch; -1: that it wants to lead it."""
    epoch = node.epoch + 1
    if leader_id < 0:
        ask = VotePartition(
            replica_epoch=epoch,
            replica_id=OTHER_CONTROLLER_ID,
            last_offset_epoch=0,
            last_offset=0,
        )
        vote = VoteTopic(topic_name=METADATA_TOPIC, partitions=(ask,))
        return Submitted(request=VoteRequest(topics=(vote,)), token=_ignore)
    partition = BeginQuorumEpochPartition(leader_id=leader_id, leader_epoch=epoch)
    return Submitted(
        request=BeginQuorumEpochRequest(
            topics=(BeginQuorumEpochTopic(topic_name=METADATA_TOPIC, partitions=(partition,)),),
            leader_endpoints=(QuorumEndpoint(name="CONTROLLER", host="127.0.0.1", port=1),),
        ),
        token=_ignore,
    )


def won_again(node: Node) -> tuple[Event, ...]:
    """Another one leads, and gives up in favour of this one; no time passes."""
    partition = EndQuorumEpochPartition(
        leader_id=OTHER_CONTROLLER_ID,
        leader_epoch=node.epoch + 1,
        preferred_candidates=(PreferredCandidate(candidate_id=CONTROLLER_ID),),
    )
    end = EndQuorumEpochRequest(
        topics=(EndQuorumEpochTopic(topic_name=METADATA_TOPIC, partitions=(partition,)),)
    )
    return lost_leadership(node), Submitted(request=end, token=_ignore), Deadline()


def elected(node: Node) -> tuple[Event, ...]:
    """It leads now: its first process starts, or another one gives up in its favour."""
    return (Started(),) if node.epoch == 0 else won_again(node)


def nobody_else(send: Any, on_answer: Any) -> None:
    """What a lone controller sends to others: nobody is there to answer."""


def _ignore(reply: Any) -> None:
    pass
