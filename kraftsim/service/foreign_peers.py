"""What a controller's process says in its log of peers that cannot be of its quorum: of another
cluster, or voters under other directory ids. All that they say to each other are error codes.

Once for each voter and cause, since every one of them asks again for ever; and once for all the
others, who may be a whole fleet.
"""

import logging

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    FetchRequest,
    FetchResponse,
    Request,
    Response,
    VoteRequest,
    VoteResponse,
)
from kraftsim.controller.core.uuid import ZERO_UUID, Uuid, uuid_text
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.raft.protocol import Send

OTHERS = -1  # whoever is no voter

# What replicas that have never met send each other first.
Greeting = FetchRequest | VoteRequest | BeginQuorumEpochRequest
Welcome = FetchResponse | VoteResponse | BeginQuorumEpochResponse

log = logging.getLogger("kraftsim.controller")


class Strangers:
    """`config` is this controller's own."""

    def __init__(self, config: NodeConfig) -> None:
        self._config = config
        self._told: set[tuple[int, ErrorCode]] = set()

    def look_at_request(self, request: Request) -> None:
        """Does its sender name another cluster, or another directory of this controller?"""
        if not isinstance(request, Greeting):
            return
        config = self._config
        sender, listed = _sender(request), _directory(request)
        if request.cluster_id not in (None, config.cluster_id):
            self._tell_of_cluster(sender, f"names {request.cluster_id}")
        elif listed not in (ZERO_UUID, config.directory_id) and _means(request, config.node_id):
            mine = uuid_text(config.directory_id)
            self._tell(
                sender,
                ErrorCode.INVALID_VOTER_KEY,
                f"controller {sender} lists this one, {config.node_id}, under directory id "
                f"{uuid_text(listed)}: expected {mine}; this one does not vote. "
                + _way_out(config.node_id, f"{config.host}:{config.port}:{mine}"),
            )

    def look_at_answer(self, send: Send, response: Response | None) -> None:
        """Is it refused because of our cluster id, or of the directory that we expect there?"""
        request, peer_id, at = send.request, send.peer_id, send.endpoint
        if not (isinstance(request, Greeting) and isinstance(response, Welcome)) or at is None:
            return
        if response.error_code == ErrorCode.INCONSISTENT_CLUSTER_ID:
            self._tell_of_cluster(peer_id, f"refuses that (at {at.host}:{at.port})")
        elif ErrorCode.INVALID_VOTER_KEY in _partition_errors(response):
            self._tell(
                peer_id,
                ErrorCode.INVALID_VOTER_KEY,
                f"controller {peer_id} at {at.host}:{at.port} has another directory id: expected "
                f"{uuid_text(_directory(request))}, as this quorum lists it; it does not vote. "
                + _way_out(peer_id, f"{at.host}:{at.port}:DIRECTORY"),
            )

    def _tell_of_cluster(self, peer_id: int, what: str) -> None:
        text = f"node {peer_id} is of another cluster: expected {self._config.cluster_id}, and it "
        text += f"{what}. Give both the same --cluster-id, or mend --voters"
        self._tell(peer_id, ErrorCode.INCONSISTENT_CLUSTER_ID, text)

    def _tell(self, peer_id: int, cause: ErrorCode, text: str) -> None:
        is_voter = any(one.voter_id == peer_id for one in self._config.voters)
        told = (peer_id if is_voter else OTHERS, cause)
        if told not in self._told:
            self._told.add(told)
            log.warning("%s: %s", cause.name, text)


def _way_out(node_id: int, address: str) -> str:
    return (
        f"Mend --voters; or, if it lost its directory, `kraftsim quorum remove {node_id}`, then "
        f"`kraftsim quorum add {node_id}@{address}`, both with --bootstrap-controllers"
    )


def _sender(request: Greeting) -> int:
    """-1: it does not say."""
    match request:
        case FetchRequest():
            return max(request.replica_id, request.replica_state.replica_id)
        case VoteRequest(topics=(vote, *_)) if vote.partitions:
            return vote.partitions[0].replica_id
        case BeginQuorumEpochRequest(topics=(begin, *_)) if begin.partitions:
            return begin.partitions[0].leader_id
        case _:
            return -1


def _means(request: Greeting, node_id: int) -> bool:
    return not isinstance(request, FetchRequest) and request.voter_id == node_id


def _directory(request: Greeting) -> Uuid:
    """The one that it expects of whom it asks; zero: it does not say."""
    match request:
        case VoteRequest(topics=(vote, *_)) if vote.partitions:
            return vote.partitions[0].voter_directory_id
        case BeginQuorumEpochRequest(topics=(begin, *_)) if begin.partitions:
            return begin.partitions[0].voter_directory_id
        case _:
            return ZERO_UUID


def _partition_errors(response: Welcome) -> set[int]:
    if isinstance(response, FetchResponse):
        return set()
    return {one.error_code for topic in response.topics for one in topic.partitions}
