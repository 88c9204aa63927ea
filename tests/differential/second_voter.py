"""A second controller, which the judge plays beside either side, so that a voter can be added.

It fetches the whole log and answers the leader's ApiVersions and BeginQuorumEpoch. It never stands
for election and grants no vote.
"""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from kraftsim.controller.core.rpc import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    FetchPartition,
    FetchReplicaState,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    Request,
    Response,
    SupportedFeatureKey,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, uuid_text
from kraftsim.controller.node.hosted import HostedNode
from kraftsim.controller.raft.protocol import Send
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.frames import decode_request, encode_response, read_request_header
from tests.released.controller import NODE_ID, Connection

SECOND_ID = NODE_ID + 1
DIRECTORY = b"the second voter"
DIRECTORY_TEXT = uuid_text(DIRECTORY)
_FETCH, _FETCH_VERSION = 1, 17  # which 3.9 has, too
_MAX_WAIT_MS = 200
_PERIOD_US = 200_000
_SPOKEN = {1: (13, 17), 18: (0, 4), 52: (0, 1), 53: (0, 1), 54: (0, 1), 59: (0, 1)}
"""The versions of APIs that the second controller lists in ApiVersions."""
_API_VERSIONS = 18
_UNSUPPORTED_VERSION = 35


class Follower:
    """The end of the second controller's log, and the epoch of the leader."""

    def __init__(self, cluster_id: str) -> None:
        self._cluster_id = cluster_id
        self._offset = 0
        self._last_epoch = 0
        self._leader_epoch = -1

    def fetch(self, max_wait_ms: int) -> FetchRequest:
        wanted = FetchPartition(
            partition=0,
            current_leader_epoch=self._leader_epoch,
            fetch_offset=self._offset,
            last_fetched_epoch=self._last_epoch,
            replica_directory_id=DIRECTORY,
            partition_max_bytes=2**23,
        )
        return FetchRequest(
            cluster_id=self._cluster_id,
            replica_state=FetchReplicaState(replica_id=SECOND_ID),
            max_wait_ms=max_wait_ms,
            topics=(FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(wanted,)),),
        )

    def take(self, response: FetchResponse) -> bool:
        """Returns True if the response has records or a new epoch of the leader."""
        ((partition,),) = (topic.partitions for topic in response.responses)
        before = self._offset, self._leader_epoch
        if partition.current_leader.leader_epoch >= 0:
            self._leader_epoch = partition.current_leader.leader_epoch
        for batch in partition.records or ():
            self._offset, self._last_epoch = batch.last_offset + 1, batch.epoch
        return before != (self._offset, self._leader_epoch)


def answer(request: Request) -> Response | None:
    """Returns the response to a leader's request; None for a request that is not answered."""
    if isinstance(request, ApiVersionsRequest):
        keys = tuple(
            ApiVersion(api_key=key, min_version=low, max_version=high)
            for key, (low, high) in _SPOKEN.items()
        )
        kraft_version = SupportedFeatureKey(name="kraft.version", min_version=0, max_version=1)
        return ApiVersionsResponse(api_keys=keys, supported_features=(kraft_version,))
    if isinstance(request, BeginQuorumEpochRequest):
        return BeginQuorumEpochResponse()
    return None


class BesideOurs:
    """The second controller of our side, on the timeline of the first one."""

    def __init__(self, timeline: Timeline, cluster_id: str) -> None:
        self._timeline = timeline
        self._follower = Follower(cluster_id)

    def transport(self, send: Send, on_answer: Callable[[Response | None], None]) -> None:
        self._timeline.soon(lambda: on_answer(answer(send.request)))

    def follow(self, hosted: HostedNode) -> None:
        """Fetch now, and then every 200 ms."""
        self.catch_up(hosted)
        self._timeline.after(_PERIOD_US, lambda: self.follow(hosted))

    def catch_up(self, hosted: HostedNode) -> None:
        """Fetch until a response has nothing new."""
        is_behind = True
        while is_behind:
            replies: list[Any] = []
            hosted.submit(self._follower.fetch(0), replies.append)
            is_behind = bool(replies) and self._follower.take(replies[0])


class BesideKafka:
    """The second controller of a released side: a listener and a thread that fetches."""

    def __init__(self, port: int, cluster_id: str) -> None:
        self._follower = Follower(cluster_id)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._is_over = threading.Event()
        self._threads = [
            threading.Thread(target=self._listen, daemon=True),
            threading.Thread(target=self._follow, args=(port,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        self._is_over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _follow(self, port: int) -> None:
        """Fetch until `close`; the leader delays a response without records by 200 ms."""
        while not self._is_over.is_set():
            with suppress(OSError):
                self._fetch_over(Connection(port))
            self._is_over.wait(0.05)

    def _fetch_over(self, connection: Connection) -> None:
        try:
            while not self._is_over.is_set():
                wanted = self._follower.fetch(_MAX_WAIT_MS)
                response = connection.ask(_FETCH, _FETCH_VERSION, wanted)
                assert isinstance(response, FetchResponse)
                if response.responses:
                    self._follower.take(response)
        finally:
            connection.close()

    def _listen(self) -> None:
        while not self._is_over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=_serve, args=(connection,), daemon=True).start()


def _serve(connection: socket.socket) -> None:
    with connection, connection.makefile("rb") as incoming, suppress(OSError):
        while length := incoming.read(4):
            frame = incoming.read(int.from_bytes(length, "big"))
            header = read_request_header(frame)
            low, high = _SPOKEN.get(header.api_key, (0, -1))
            version = header.api_version
            if not low <= version <= high and header.api_key != _API_VERSIONS:
                return
            reply = _reply(frame, is_known=low <= version <= high)
            if reply is None:
                return
            version = version if low <= version <= high else 0
            number = header.correlation_id
            connection.sendall(encode_response(header.api_key, version, number, reply))


def _reply(frame: bytes, *, is_known: bool) -> Response | None:
    """Returns the response to a frame; a version of ApiVersions that is too new is answered with
    the versions that the second controller lists, whereupon a released controller asks again."""
    if is_known:
        return answer(decode_request(read_request_header(frame), frame))
    low, high = _SPOKEN[_API_VERSIONS]
    listed = ApiVersion(api_key=_API_VERSIONS, min_version=low, max_version=high)
    return ApiVersionsResponse(error_code=_UNSUPPORTED_VERSION, api_keys=(listed,))
