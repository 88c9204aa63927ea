"""The two who are asked: a released controller over a socket, and ours in this process.

Each answers a request's frame with a response's frame, and tells what it has appended since.
"""

import random
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import HANDLERS, response_to
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import PartitionRecord
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DescribeClusterRequest,
    DescribeQuorumPartition,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumTopic,
    Request,
)
from kraftsim.controller.core.state import Decision, State
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.hosted import HostedNode
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.snapshot import by_reference
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frames import (
    decode_request,
    encode_request,
    encode_response,
    read_request_header,
)
from kraftsim.controller.wire.records.record_batch import decode_batches, encode_batch
from tests.differential.second_voter import SECOND_ID, BesideKafka, BesideOurs
from tests.differential.settings import NO_OPTIONS, OUR_SETTINGS, USUAL, Options, Start
from tests.other_controllers import nobody_else
from tests.released.controller import NODE_ID, Connection, ReleasedController, await_active

PLACEMENTS_TRIED = 2000  # of some dozens that a few brokers and partitions can have
COMMIT_LIMIT_S = 60.0
OUR_SECOND_PORT = 9991
_DESCRIBE_QUORUM = 55
_OF_THE_METADATA = DescribeQuorumRequest(
    topics=(
        DescribeQuorumTopic(
            topic_name="__cluster_metadata",
            partitions=(DescribeQuorumPartition(partition_index=0),),
        ),
    )
)
CLOSED = None  # the answer of a side that closes the connection, or does not answer


class ReleasedSide:
    """Reads the records from the log's file: the released controller replies after its append."""

    name = "kafka"

    def __init__(self, controller: ReleasedController, start: Start = USUAL) -> None:
        self.controller = controller
        self._connection: Connection = controller.connect()
        self._read = 0
        self._second: BesideKafka | None = None
        if start.has_second_voter:
            self._second = BesideKafka(controller.port, controller.cluster_id)

    def close(self) -> None:
        self._connection.close()
        if self._second is not None:
            self._second.close()

    @property
    def second_port(self) -> int:
        """The port of the second controller; 0 if there is none."""
        return 0 if self._second is None else self._second.port

    def await_active(self) -> None:
        """Wait until the controller is the active one, which it is not after a fault."""
        await_active(self.controller)

    def await_commit(self) -> None:
        """Wait until the second controller has fetched, and a quorum committed, the whole log."""
        deadline_s = time.monotonic() + COMMIT_LIMIT_S
        while self._second is not None and not self._has_committed():
            if time.monotonic() > deadline_s:
                raise RuntimeError(
                    "the released controller committed nothing: it waits for a voter"
                )
            self.wait(0.005)

    def _has_committed(self) -> bool:
        response = self._connection.ask(_DESCRIBE_QUORUM, 1, _OF_THE_METADATA)
        assert isinstance(response, DescribeQuorumResponse)
        if response.error_code or not response.topics:
            return True  # it no longer leads, which the next request shows
        ((quorum,),) = (topic.partitions for topic in response.topics)
        replicas = (*quorum.current_voters, *quorum.observers)
        ends = {replica.replica_id: replica.log_end_offset for replica in replicas}
        end = ends.get(NODE_ID, 0)
        return quorum.error_code != 0 or end == quorum.high_watermark == ends.get(SECOND_ID)

    def ask(self, key: int, version: int, request: Request) -> bytes | None:
        try:
            return self._connection.ask_frame(key, version, request)
        except OSError:
            self._connection.close()
            self._connection = self.controller.connect()
            return CLOSED

    def round_trip(self) -> None:
        """Ask something that changes nothing."""
        self.ask(60, 1, DescribeClusterRequest(endpoint_type=2))

    def wait(self, seconds: float) -> None:
        """Let time pass; RuntimeError if the released controller ends meanwhile."""
        with suppress(subprocess.TimeoutExpired):
            code = self.controller.process.wait(seconds)
            raise RuntimeError(f"the released controller ended with {code}")

    def appended(self) -> list[Batch]:
        with self.controller.log.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = _whole_batches(data)
        self._read += whole
        return decode_batches(data[:whole])


def _whole_batches(data: bytes) -> int:
    """How many bytes of `data` are whole batches: the last one may be half written."""
    pos = 0
    while pos + 12 <= len(data):
        end = pos + 12 + int.from_bytes(data[pos + 8 : pos + 12], "big", signed=True)
        if end > len(data):
            break
        pos = end
    return pos


class OurSide:
    """A node on a timeline that follows `clock_s`, by default the real one, so that leases run out
    on both sides."""

    name = "ours"

    def __init__(
        self,
        profile: Profile,
        *,
        cluster_id: str,
        port: int,
        directory_id: Uuid,
        start: Start = USUAL,
        session_timeout_ms: int = OUR_SETTINGS.broker_session_timeout_ms,
        options: Options = NO_OPTIONS,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        config = NodeConfig(
            node_id=NODE_ID,
            cluster_id=cluster_id,
            host="127.0.0.1",
            port=port,
            directory_id=directory_id,
            kraft_version=int(start.has_dynamic_voters),
            metadata_version=start.level,
            policies=options.policies,
        )
        self._clock_s = clock_s
        self._began_s = clock_s()
        self.timeline = Timeline(wall_start_ms=int(time.time() * 1000))
        node = Node(
            config,
            profile=profile,
            settings=options.ours(session_timeout_ms),
            random=random.Random(1).random,
            snapshot_format=by_reference(),
        )
        self._second: BesideOurs | None = None
        if start.has_second_voter:
            self._second = BesideOurs(self.timeline, cluster_id)
        others = nobody_else if self._second is None else self._second.transport
        self.hosted = HostedNode(node, Clock(self.timeline), others)
        self.hosted.start()
        if self._second is not None:
            self._second.follow(self.hosted)
        self._read = 0
        self._seeds_used = 0

    def ask(self, key: int, version: int, request: Request) -> bytes | None:
        self.follow_clock()
        frame = encode_request(key, version, 1, "judge", request)[4:]
        try:
            decoded = decode_request(read_request_header(frame), frame)
        except DecodeError:
            return CLOSED
        replies: list[Any] = []
        self.hosted.submit(decoded, replies.append)
        self.timeline.run_until(self.timeline.now_us)  # work that the step has put off
        self.await_commit()
        if not replies:
            return CLOSED
        response = response_to(decoded, replies[0], version)
        return encode_response(key, version, 1, response)[4:]

    def await_active(self) -> None:
        """Ours goes on after a fault."""

    def await_commit(self) -> None:
        """Let the second controller fetch, and so the quorum commit, the whole log."""
        if self._second is not None:
            self._second.catch_up(self.hosted)
            self.timeline.run_until(self.timeline.now_us)

    @property
    def second_port(self) -> int:
        """The port of the second controller; 0 if there is none."""
        return 0 if self._second is None else OUR_SECOND_PORT

    def adopt_placement(self, request: Request, wanted: "Outcome") -> None:
        """Give ours the entropy by which it places, or fails to place, new topics as the released
        controller did. If there is none, ours places as it likes, and the replies will differ."""
        if not isinstance(request, CreateTopicsRequest | CreatePartitionsRequest) or all(
            topic.assignments for topic in request.topics
        ):
            return
        handler = HANDLERS[type(request)]
        state = self.hosted.node.state
        self._seeds_used += PLACEMENTS_TRIED  # a seed used twice would draw a topic id twice
        for seed in range(self._seeds_used, self._seeds_used + PLACEMENTS_TRIED):
            trial = replace(state, random=random.Random(seed).random)
            try:
                decision = whole(handler(trial, request, self.timeline.now_ms), trial)
            except ApiError:  # refused whole, whatever the entropy
                return
            if wanted == outcome(decision.reply, decision.records):
                state.random = random.Random(seed).random
                return

    def has_appended(self) -> bool:
        """True once there are records that `appended` has not returned."""
        self.follow_clock()
        return self.hosted.node.log.end_offset > self._read

    def follow_clock(self) -> None:
        self.timeline.run_until(int((self._clock_s() - self._began_s) * 1e6))

    def everything(self) -> list[Batch]:
        return list(self.hosted.node.log.read(0))

    def appended(self) -> list[Batch]:
        log = self.hosted.node.log
        batches = list(log.read(self._read))
        self._read = log.end_offset
        return batches


def whole(decision: Decision, state: State) -> Decision:
    """Decides a request that is decided in slices to its end, at one time."""
    while decision.rest is not None:
        decision = decision.rest(state, 0)
    return decision


Outcome = tuple[list[tuple[str, int]], list[tuple[int, ...]]]


def outcome(reply: object, records: Iterable[Any]) -> Outcome:
    """What a request came to: each topic's error, and the replicas of each new partition."""
    if isinstance(reply, CreatePartitionsResponse):
        topics: tuple[Any, ...] = reply.results
    else:
        topics = reply.topics if isinstance(reply, CreateTopicsResponse) else ()
    placed = [record.replicas for record in records if isinstance(record, PartitionRecord)]
    return [(topic.name, topic.error_code) for topic in topics], placed


Side = ReleasedSide | OurSide


def write_log(batches: list[Batch], path: Path) -> None:
    path.write_bytes(b"".join(encode_batch(batch) for batch in batches))
