"""Every API of an administrator in a cluster of 100 brokers and 100,000 partitions.

A figure is the processor time of one process: to decode, decide, append, commit, load and encode.
A step is the work between two points at which a heartbeat can be handled, so the longest step is
the longest time for which a concurrent heartbeat waits.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from kraftsim.broker_agent import configurations
from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.broker_agent.descriptions import describe_log_dirs, describe_topic_partitions
from kraftsim.broker_agent.replica_store import ReplicaStore
from kraftsim.controller.core.configs.describe_configs import describe_configs
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.quotas.describe_client_quotas import describe_client_quotas
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    DecommissionBrokerRequest,
    DescribeClusterRequest,
    DescribeLogDirsRequest,
    DescribeTopicPartitionsRequest,
    MetadataRequest,
    Request,
    Response,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.rpc.configs import DescribeConfigsRequest, ListConfigResourcesRequest
from kraftsim.controller.core.rpc.quotas import DescribeClientQuotasRequest
from kraftsim.controller.core.rpc.scram import DescribeUserScramCredentialsRequest
from kraftsim.controller.core.security.scram_description import describe_user_scram_credentials
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.compiler import StepEncoder, step_encoder
from kraftsim.controller.wire.json.json_form import from_json
from kraftsim.service.client_view import ClientView
from kraftsim.service.garbage_collection import bound_pauses
from tests.registrations import first_registration

from ..processes import CLUSTER_ID
from ..report import Row
from .admin_requests import (
    LARGE,
    LARGE_TOPICS,
    SMALL_TOPICS,
    Question,
    broker_questions,
    controller_questions,
    created,
    large,
    small,
)
from .cluster import Cluster

BROKERS, ROUNDS, SMALL_AT_ONCE = 100, 20, 2_000
GOAL = "<= 50 ms"
KEYS = {api.name: api.key for api in APIS.values()}


@dataclass(slots=True)
class Times:
    """Milliseconds of each round to the reply, and of its longest step and those that follow."""

    replies_ms: list[float] = field(default_factory=list)
    steps_ms: list[float] = field(default_factory=list)

    def note(self, steps_ms: list[float]) -> None:
        """Notes the steps of one round."""
        self.replies_ms.append(sum(steps_ms))
        self.steps_ms.append(max(steps_ms))

    def note_later(self, steps_ms: list[float]) -> None:
        """Notes the steps that follow the reply."""
        self.steps_ms[-1] = max(self.steps_ms[-1], *steps_ms, 0)

    def row(self, name: str) -> Row:
        """Returns the row of a request."""
        replies = sorted(self.replies_ms)
        median, p99 = replies[len(replies) // 2], replies[int(len(replies) * 0.99)]
        steps = sorted(self.steps_ms)
        longest = f"{steps[len(steps) // 2]:.1f} (worst {steps[-1]:.1f})"
        figure = f"{median:.1f}, p99 {p99:.1f}, step {longest} ms"
        return Row(name, figure, "", None, GOAL)


def admin() -> Iterable[Row]:
    """Yields a row for each API: median and p99 to the reply, and its longest step.

    Of the longest steps of all rounds it gives the median and the worst.
    """
    bound_pauses()  # as in every service of kraftsim
    cluster = _filled()
    for question in controller_questions():
        yield _asked(cluster, question)
    yield from _of_brokers(cluster)
    view = ClientView(CLUSTER_ID, cluster.node.profile, lambda: 0.5)
    for question in broker_questions():
        yield _described(cluster, view, question)


def _filled() -> Cluster:
    """Returns a cluster with 90 topics of 1,000 partitions, and 10,000 topics of one."""
    cluster = Cluster(BROKERS)
    for number in range(LARGE_TOPICS):
        _steps(cluster, "CreateTopics", 7, created([large(number)], LARGE))
    for first in range(0, SMALL_TOPICS, SMALL_AT_ONCE):
        names = [small(number) for number in range(first, first + SMALL_AT_ONCE)]
        _steps(cluster, "CreateTopics", 7, created(names))
    return cluster


def _asked(cluster: Cluster, question: Question) -> Row:
    times = Times()
    for number in range(ROUNDS):
        cluster.keep_alive()
        _unmeasured(cluster, question.before, number)
        times.note(_steps(cluster, question.api, question.version, question.body(number)))
        times.note_later(cluster.later_steps())
        _unmeasured(cluster, question.after, number)
    return times.row(question.name)


def _unmeasured(cluster: Cluster, question: Question | None, number: int) -> None:
    if question is not None:
        _steps(cluster, question.api, question.version, question.body(number))
        cluster.later_steps()


def _steps(cluster: Cluster, api: str, version: int, body: dict[str, Any]) -> list[float]:
    """Returns the milliseconds of each step until the reply, as bytes."""
    return cluster.steps_of(_request(api, body), version)


def _request(api: str, body: dict[str, Any]) -> Request:
    return cast(Request, from_json(APIS[KEYS[api]].request, body))


RequestOf = Callable[[Cluster, int], Request]


def _heartbeat(cluster: Cluster, broker_id: int, want_fence: bool) -> Request:
    return BrokerHeartbeatRequest(
        broker_id=broker_id,
        broker_epoch=cluster.image.brokers[broker_id].broker_epoch,
        current_metadata_offset=cluster.node.log.end_offset,
        want_fence=want_fence,
        want_shut_down=False,
    )


def _restart(cluster: Cluster, broker_id: int) -> Request:
    """Returns the registration of a new process of the broker."""
    return replace(
        first_registration(broker_id, CLUSTER_ID, f"rack-{broker_id % 3}"),
        incarnation_id=(broker_id + (1 << 90)).to_bytes(16, "big"),
    )


FENCED = range(1, 21)
OF_BROKERS: Mapping[str, tuple[range, RequestOf]] = {
    "BrokerHeartbeat: fences": (FENCED, partial(_heartbeat, want_fence=True)),
    "BrokerRegistration: of a new process": (FENCED, _restart),
    "BrokerHeartbeat: unfences": (FENCED, partial(_heartbeat, want_fence=False)),
    "UnregisterBroker": (range(1, 6), lambda _, i: UnregisterBrokerRequest(broker_id=i)),
    "DecommissionBroker": (
        range(21, 26),
        lambda _, i: DecommissionBrokerRequest(broker_id=i, force=True),
    ),
}


def _of_brokers(cluster: Cluster) -> Iterator[Row]:
    """Yields the rows of requests about a broker with 3,000 replicas."""
    cluster.keep_alive()
    for name, (broker_ids, request_of) in OF_BROKERS.items():
        times = Times()
        if request_of is _restart:
            cluster.run_out(FENCED)
        for broker_id in broker_ids:
            times.note(cluster.steps_of(request_of(cluster, broker_id)))
            times.note_later(cluster.later_steps())
        yield times.row(name)


def _described(cluster: Cluster, view: ClientView, question: Question) -> Row:
    """Measures a request that a broker answers from its image; each slice is a step."""
    times = Times()
    for number in range(ROUNDS):
        request = _request(question.api, question.body(number))
        steps_ms = []
        slices = _slices(cluster, view, request, _encoder(question))
        is_over = False
        while not is_over:
            began_s = time.process_time()
            is_over = next(slices, slices) is slices
            steps_ms.append((time.process_time() - began_s) * 1000)
        times.note(steps_ms)
    return times.row(question.name)


def _encoder(question: Question) -> StepEncoder:
    """Returns what encodes the response in steps, as a connection does."""
    response = APIS[KEYS[question.api]].response
    in_steps = step_encoder(response, question.version)
    if in_steps is None:
        raise RuntimeError(f"{response.name}: expected a response that is encoded in steps")
    return in_steps


def _slices(
    cluster: Cluster, view: ClientView, request: Request, encode: StepEncoder
) -> Iterator[None]:
    image = cluster.image
    replies: list[Response | ApiError] = []
    if isinstance(request, MetadataRequest):
        yield from view.metadata(image, request, replies.append)
    else:
        replies.append(READERS[type(request)](cluster, view, request))
    yield from encode(replies[0])


def _directories(cluster: Cluster, _: ClientView, request: Any) -> Response:
    broker = cluster.image.brokers[30]
    stored = ReplicaStore().on_disk(cluster.image, broker.broker_id)
    return describe_log_dirs(stored, request, broker.log_dirs)


READERS: Mapping[type, Callable[[Cluster, ClientView, Any], Response]] = {
    DescribeClusterRequest: lambda c, view, r: view.brokers(c.image, r),
    DescribeTopicPartitionsRequest: lambda c, _, r: describe_topic_partitions(
        c.image, r, CLIENT_LISTENER
    ),
    DescribeLogDirsRequest: _directories,
    DescribeConfigsRequest: lambda c, _, r: describe_configs(c.node.config_view, r),
    DescribeClientQuotasRequest: lambda c, _, r: describe_client_quotas(c.image, r),
    DescribeUserScramCredentialsRequest: lambda c, _, r: describe_user_scram_credentials(
        c.image, r
    ),
    ListConfigResourcesRequest: lambda c, _, r: configurations.list_resources(c.image, r),
}
