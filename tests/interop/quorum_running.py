"""Three `kraftsim controller run` processes, as somebody who wants to kill one would run them."""

import secrets
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    DescribeQuorumPartition,
    DescribeQuorumPartitionResult,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumTopic,
    QuorumEndpoint,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    Request,
    Response,
)
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import decode_response, encode_request
from tests.free_ports import free_ports
from tests.interop.running import LIMIT_S, _running, eventually

CLUSTER_ID = "kraftsimTestCluster001"
IDS = (3000, 3001, 3002)
_KEYS = {api.request.model: api for api in APIS.values()}


@dataclass
class Quorum:
    """`voters` is what every one of its processes is told."""

    folder: Path
    ports: dict[int, int]
    directories: dict[int, str]
    running: ExitStack
    processes: dict[int, subprocess.Popen[str]] = field(default_factory=dict)

    @property
    def voters(self) -> str:
        return ",".join(
            f"{port}@127.0.0.1:{self.ports[port]}:{self.directories[port]}" for port in self.ports
        )

    @property
    def bootstrap_controllers(self) -> str:
        return ",".join(f"127.0.0.1:{port}" for port in self.ports.values())

    def start(self, node_id: int, *options: str) -> subprocess.Popen[str]:
        words = ("controller", "run", "--node-id", str(node_id), "--voters", self.voters)
        process = self.running.enter_context(
            _running(self.folder, (*words, "--cluster-id", CLUSTER_ID, *options))
        )
        self.processes[node_id] = process
        return process

    def kill(self, node_id: int) -> None:
        self.processes[node_id].send_signal(signal.SIGKILL)
        self.processes[node_id].wait(LIMIT_S)

    def remove_voter(self, node_id: int, directory_id: bytes) -> None:
        request = RemoveRaftVoterRequest(voter_id=node_id, voter_directory_id=directory_id)
        self._answered_or_done(request, ErrorCode.VOTER_NOT_FOUND)

    def add_voter(self, node_id: int, directory_id: bytes) -> None:
        endpoint = QuorumEndpoint(name="CONTROLLER", host="127.0.0.1", port=self.ports[node_id])
        request = AddRaftVoterRequest(
            timeout_ms=5000,
            voter_id=node_id,
            voter_directory_id=directory_id,
            listeners=(endpoint,),
        )
        self._answered_or_done(request, ErrorCode.DUPLICATE_VOTER)
        eventually(lambda: self._has_all(node_id), True, ignoring=OSError)

    def _has_all(self, node_id: int) -> bool:
        """True if the voter has all of its leader's log, and so knows that it is a voter.

        The leader commits an added voter without it. Until it has fetched that record it stays an
        observer, which refuses every pre-vote (rule 10.1): were the leader gone, nobody would lead.
        """
        seen = self._seen_by_leader()
        ends = {voter.replica_id: voter.log_end_offset for voter in seen.current_voters}
        return ends.get(node_id, -1) == ends.get(seen.leader_id)

    def _answered_or_done(
        self, request: AddRaftVoterRequest | RemoveRaftVoterRequest, done: ErrorCode
    ) -> None:
        """Asks until it is so: a busy quorum may commit a change after its request timed out."""
        answers = {ErrorCode.NONE, done}
        eventually(lambda: self._ask_leader(request).error_code in answers, True, ignoring=OSError)

    def _ask_leader(
        self, request: AddRaftVoterRequest | RemoveRaftVoterRequest
    ) -> AddRaftVoterResponse | RemoveRaftVoterResponse:
        leader = self.leader()
        if leader is None:
            raise ConnectionError("nobody leads")
        response = ask(self.ports[leader], request)
        assert isinstance(response, AddRaftVoterResponse | RemoveRaftVoterResponse)
        return response

    def leader(self) -> int | None:
        """Whoever says of itself that it leads and has committed something."""
        for node_id in self.ports:
            described = self.described(node_id)
            if described is not None and described.topics[0].partitions[0].high_watermark > 0:
                return node_id
        return None

    def voter_ids(self) -> set[int]:
        return {voter.replica_id for voter in self._seen_by_leader().current_voters}

    def voter_directories(self) -> dict[int, bytes]:
        voters = self._seen_by_leader().current_voters
        return {voter.replica_id: voter.replica_directory_id for voter in voters}

    def observers(self) -> set[int]:
        return {observer.replica_id for observer in self._seen_by_leader().observers}

    def observer_directories(self) -> dict[int, bytes]:
        observers = self._seen_by_leader().observers
        return {observer.replica_id: observer.replica_directory_id for observer in observers}

    def _seen_by_leader(self) -> DescribeQuorumPartitionResult:
        for node_id in self.ports:
            described = self.described(node_id)
            if described is not None:
                return described.topics[0].partitions[0]
        raise ConnectionError("nobody leads")

    def described(self, node_id: int) -> DescribeQuorumResponse | None:
        """The quorum as this controller describes it; None if it does not lead, or is not there."""
        partition = DescribeQuorumPartition(partition_index=0)
        topic = DescribeQuorumTopic(topic_name="__cluster_metadata", partitions=(partition,))
        try:
            response = ask(self.ports[node_id], DescribeQuorumRequest(topics=(topic,)))
        except OSError:
            return None
        assert isinstance(response, DescribeQuorumResponse)
        return None if response.topics[0].partitions[0].error_code else response


def ask(port: int, request: Request) -> Response:
    """One request on a connection of its own, in the newest version."""
    api = _KEYS[type(request)]
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as connection:
        connection.sendall(encode_request(api.key, api.max_version, 1, "test", request))
        data = b""
        while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
            more = connection.recv(65536)
            if not more:
                raise ConnectionError("closed before the answer was whole")
            data += more
    return decode_response(api.key, api.max_version, data[4:])[1]


@contextmanager
def quorum_of_three(folder: Path) -> Iterator[Quorum]:
    with ExitStack() as running:
        quorum = Quorum(
            folder,
            ports=dict(zip(IDS, free_ports(len(IDS)), strict=True)),
            directories={node_id: uuid_text(secrets.token_bytes(16)) for node_id in IDS},
            running=running,
        )
        for node_id in IDS:
            quorum.start(node_id)
        yield quorum
