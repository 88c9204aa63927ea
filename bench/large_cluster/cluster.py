"""One active controller with many brokers and partitions, in virtual time, with each step timed."""

import random
import time
from collections.abc import Callable, Container, Iterable

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    CreatableTopic,
    CreateTopicsRequest,
    Request,
    Response,
)
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.hosted import HostedNode
from kraftsim.controller.node.node import Node
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import (
    decode_request,
    encode_request,
    encode_response,
    read_request_header,
)
from kraftsim.service.snapshot_files import SNAPSHOT_FILES
from tests.registrations import first_registration

from ..processes import CLUSTER_ID

LEASE_MS, HEARTBEAT_MS = DEFAULT_PROFILE.settings.broker_session_timeout_ms, 2_000
PARTITIONS, PARTITIONS_AT_ONCE, REPLICAS = 100_000, 5_000, 3


class Cluster:
    """One active controller in virtual time.

    `steps_ms` has the duration of each step since `forget`.
    """

    def __init__(self, brokers: int) -> None:
        self.timeline = Timeline(wall_start_ms=1_700_000_000_000)
        config = NodeConfig(
            node_id=3000,
            cluster_id=CLUSTER_ID,
            host="127.0.0.1",
            port=9990,
            directory_id=b"\x01" * 16,
        )
        self.node = Node(
            config,
            profile=DEFAULT_PROFILE,
            settings=DEFAULT_PROFILE.settings,
            random=random.Random(1).random,
            snapshot_format=SNAPSHOT_FILES,
        )
        self.hosted = HostedNode(self.node, Clock(self.timeline), lambda *_: None)
        self.steps_ms: list[float] = []
        self._topics = 0
        self.work_in_steps()
        self.hosted.start()
        self.brokers = range(1, brokers + 1)
        for broker_id in self.brokers:
            rack = f"rack-{broker_id % 3}"
            self.submit(first_registration(broker_id, CLUSTER_ID, rack))
        for broker_id in self.brokers:
            self.heartbeat(broker_id)

    def work_in_steps(self) -> None:
        """Continues deferred work 1 ms later, as a separate step."""
        self.timeline.pause_by(lambda action: self.timeline.after(1_000, action))

    @property
    def image(self) -> Image:
        """The latest image of the metadata."""
        return self.node.latest

    def submit(self, request: Request) -> float:
        """Submits a request and returns the milliseconds of its step."""
        return self._timed(lambda: self.hosted.submit(request, lambda _: None))

    def heartbeat(self, broker_id: int, **fields: bool) -> float:
        """Submits a heartbeat and returns the milliseconds of its step."""
        request = BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=self.image.brokers[broker_id].broker_epoch,
            current_metadata_offset=self.node.log.end_offset,
            **({"want_fence": False, "want_shut_down": False} | fields),
        )
        return self.submit(request)

    def fill(self) -> list[tuple[float, float]]:
        """Creates all partitions, 5,000 per request; returns the result of `created` for each."""
        return [
            self.created(self.creation([PARTITIONS_AT_ONCE]))
            for _ in range(PARTITIONS // PARTITIONS_AT_ONCE)
        ]

    def created(self, request: CreateTopicsRequest) -> tuple[float, float]:
        """Submits a request; returns the milliseconds of its longest step and of all its steps."""
        self.forget()
        replies: list[object] = []
        self._timed(lambda: self.hosted.submit(request, replies.append))
        while not replies:
            self.run_for(1)
        return max(self.steps_ms), sum(self.steps_ms)

    def steps_of(self, request: Request, version: int | None = None) -> list[float]:
        """Returns the milliseconds of each step until the reply to a request.

        With a `version` the request comes and the reply leaves as bytes.
        """
        self.forget()
        replies: list[object] = []
        ask = self._submission(request, replies.append, version)
        self._timed(ask)
        while not replies:
            self.run_for(1)
        if isinstance(replies[0], ApiError):
            raise RuntimeError(f"{request}: expected a response, got {replies[0]}")
        return self.steps_ms

    def later_steps(self) -> list[float]:
        """Returns the milliseconds of each step that a request has left after its reply."""
        self.forget()
        while self.node.has_work:
            self.run_for(1)
        return self.steps_ms

    def _submission(
        self, request: Request, reply_to: Callable[[object], None], version: int | None
    ) -> Callable[[], object]:
        if version is None:
            return lambda: self.hosted.submit(request, reply_to)
        key = next(api.key for api in APIS.values() if api.request.model is type(request))
        frame = encode_request(key, version, 1, "bench", request)[4:]

        def encoded(reply: Response | ApiError) -> None:
            reply_to(encode_response(key, version, 1, response_to(request, reply, version)))

        return lambda: self.hosted.submit(
            decode_request(read_request_header(frame), frame), encoded
        )

    def creation(self, counts: Iterable[int], name: str = "orders") -> CreateTopicsRequest:
        """Returns a request to create topics with these numbers of partitions."""
        topics = []
        for count in counts:
            self._topics += 1
            topics.append(
                CreatableTopic(
                    name=f"{name}{self._topics}",
                    num_partitions=count,
                    replication_factor=REPLICAS,
                )
            )
        return CreateTopicsRequest(topics=tuple(topics))

    def run_for(self, milliseconds: int) -> None:
        """Lets virtual time pass, step by step."""
        end_us = self.timeline.now_us + milliseconds * 1000
        while self.timeline.due_us <= end_us:
            due_us = self.timeline.due_us
            self._timed(lambda at_us=due_us: self.timeline.run_until(at_us))
        self.timeline.run_until(end_us)

    def keep_alive(self) -> None:
        """Renews the lease of every broker."""
        for broker_id in self.brokers:
            self.heartbeat(broker_id)

    def run_out(self, silent: Container[int]) -> None:
        """Lets the leases of the silent brokers run out; the others send heartbeats."""
        for _ in range(LEASE_MS // HEARTBEAT_MS + 1):
            for broker_id in self.brokers:
                if broker_id not in silent:
                    self.heartbeat(broker_id)
            self.run_for(HEARTBEAT_MS)

    def forget(self) -> None:
        """Discards the measured durations."""
        self.steps_ms.clear()

    def _timed(self, step: Callable[[], object]) -> float:
        began = time.process_time()
        step()
        self.steps_ms.append((time.process_time() - began) * 1000)
        return self.steps_ms[-1]


def begin_snapshot(cluster: Cluster) -> None:
    """Makes the next commit start a snapshot, as if the last one were an hour old."""
    interval_ms = cluster.node.settings.metadata_log_max_snapshot_interval_ms
    cluster.node._snapshotting._last_ms = cluster.timeline.now_ms - interval_ms
