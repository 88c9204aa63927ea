"""Warnings about peers of another cluster, and about voters with unexpected directory ids.

The protocol answers such peers with an error code only, and each peer retries forever. A warning is
logged once per voter and cause. Peers that are not voters may be a whole fleet, so for all of them
together it is logged once per cause.
"""

import logging

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.uuid import ZERO_UUID, Uuid, uuid_text
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.raft.protocol import Send

NO_VOTER = -1  # stands for every peer that is not a voter

# The requests and responses with which replicas make contact.
Greeting = rpc.FetchRequest | rpc.VoteRequest | rpc.BeginQuorumEpochRequest
Welcome = rpc.FetchResponse | rpc.VoteResponse | rpc.BeginQuorumEpochResponse

log = logging.getLogger("kraftsim.controller")


class ForeignPeers:
    """Logs a warning for each peer that does not belong to this quorum.

    `config` is the configuration of this controller.
    """

    def __init__(self, config: NodeConfig) -> None:
        self._config = config
        self._logged: set[tuple[int, ErrorCode]] = set()

    def check_request(self, request: rpc.Request) -> None:
        """Warns if the request names another cluster, or another directory of this controller."""
        if not isinstance(request, Greeting):
            return
        config = self._config
        sender, listed = _sender(request), _directory(request)
        if request.cluster_id not in (None, config.cluster_id):
            self._warn_of_cluster(sender, f"names {request.cluster_id}")
        elif listed not in (ZERO_UUID, config.directory_id) and _means(request, config.node_id):
            own = uuid_text(config.directory_id)
            self._warn_once(
                sender,
                ErrorCode.INVALID_VOTER_KEY,
                f"controller {sender} lists this one, {config.node_id}, under directory id "
                f"{uuid_text(listed)}: expected {own}; this controller does not vote. "
                + _way_out(config.node_id, f"{config.host}:{config.port}:{own}"),
            )

    def check_response(self, send: Send, response: rpc.Response | None) -> None:
        """Warns if the peer refused the request because of its cluster id or its directory id."""
        request, peer_id, at = send.request, send.peer_id, send.endpoint
        if not (isinstance(request, Greeting) and isinstance(response, Welcome)) or at is None:
            return
        if response.error_code == ErrorCode.INCONSISTENT_CLUSTER_ID:
            self._warn_of_cluster(peer_id, f"refuses this id (at {at.host}:{at.port})")
        elif ErrorCode.INVALID_VOTER_KEY in _partition_errors(response):
            self._warn_once(
                peer_id,
                ErrorCode.INVALID_VOTER_KEY,
                f"controller {peer_id} at {at.host}:{at.port} has another directory id than the "
                "quorum "
                f"lists: expected {uuid_text(_directory(request))}; it does not vote. "
                + _way_out(peer_id, f"{at.host}:{at.port}:DIRECTORY"),
            )

    def _warn_of_cluster(self, peer_id: int, statement: str) -> None:
        peer = f"node {peer_id}" if peer_id >= 0 else "a bootstrap server"
        text = f"{peer} belongs to another cluster: expected {self._config.cluster_id}, but it "
        text += f"{statement}. Give both the same --cluster-id, or correct --voters"
        self._warn_once(peer_id, ErrorCode.INCONSISTENT_CLUSTER_ID, text)

    def _warn_once(self, peer_id: int, cause: ErrorCode, text: str) -> None:
        is_voter = any(voter.voter_id == peer_id for voter in self._config.voters)
        warning = (peer_id if is_voter else NO_VOTER, cause)
        if warning not in self._logged:
            self._logged.add(warning)
            log.warning("%s: %s", cause.name, text)


def _way_out(node_id: int, address: str) -> str:
    return (
        f"Correct --voters; or, if it lost its directory, `kraftsim controller remove {node_id}`, "
        f"then `kraftsim controller add {node_id}@{address}`, both with --bootstrap-controllers"
    )


def _sender(request: Greeting) -> int:
    """Returns the node id of the sender; -1 if the request has no such field."""
    match request:
        case rpc.FetchRequest():
            return max(request.replica_id, request.replica_state.replica_id)
        case rpc.VoteRequest(topics=(vote, *_)) if vote.partitions:
            return vote.partitions[0].replica_id
        case rpc.BeginQuorumEpochRequest(topics=(begin, *_)) if begin.partitions:
            return begin.partitions[0].leader_id
        case _:
            return -1


def _means(request: Greeting, node_id: int) -> bool:
    return not isinstance(request, rpc.FetchRequest) and request.voter_id == node_id


def _directory(request: Greeting) -> Uuid:
    """Returns the directory id that the request expects its receiver to have.

    Returns the zero id if the request names no directory.
    """
    match request:
        case rpc.VoteRequest(topics=(vote, *_)) if vote.partitions:
            return vote.partitions[0].voter_directory_id
        case rpc.BeginQuorumEpochRequest(topics=(begin, *_)) if begin.partitions:
            return begin.partitions[0].voter_directory_id
        case _:
            return ZERO_UUID


def _partition_errors(response: Welcome) -> set[int]:
    if isinstance(response, rpc.FetchResponse):
        return set()
    return {partition.error_code for topic in response.topics for partition in topic.partitions}
