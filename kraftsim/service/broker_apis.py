"""The request handlers of a simulated broker's Kafka listeners, in one process or in a fleet.

A broker answers Metadata and what else describes the cluster from the metadata that its broker has
fetched, answers requests about messages from its logs, refuses what needs groups or transactions,
and forwards every other request to the active controller.
"""

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kraftsim.broker_agent.client_match import ClientMatch, is_expression
from kraftsim.broker_agent.data_plane import DataPlane, list_transactions
from kraftsim.broker_agent.forwarding import Forwarding, SendToController
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.leading.moving import go_on
from kraftsim.broker_agent.log.waits import FetchWaits
from kraftsim.broker_agent.telemetry import METRICS_BYTES_MAX, Telemetry
from kraftsim.broker_agent.topic_creation import TopicCreation
from kraftsim.controller.core import rpc
from kraftsim.controller.core.api_row import REFUSE, STORE
from kraftsim.controller.core.apis import row_of
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import in_core
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.server import api_versions
from kraftsim.controller.server.listener import Shorten
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.server.turns import in_turns
from kraftsim.controller.wire.frames import PRODUCE_BYTES_MAX

from .client_view import ClientView, ReplyTo
from .garbage_collection import keep_freed_memory

if TYPE_CHECKING:
    from kraftsim.broker_agent.configurations import AlterRequest
    from kraftsim.broker_agent.messages.messages import Messages
    from kraftsim.controller.core.configs.node_configs import NodeView
    from kraftsim.controller.core.rpc.stored_messages import (
        AlterReplicaLogDirsRequest,
        ProduceRequest,
    )
    from kraftsim.controller.core.rpc.transactions import InitProducerIdRequest

log = logging.getLogger(__name__)

describe_acls = in_core("security.acl_description", "describe_acls")
describe_client_quotas = in_core("quotas.describe_client_quotas", "describe_client_quotas")
describe_configs = in_core("configs.describe_configs", "describe_configs")
describe_user_scram_credentials = in_core(
    "security.scram_description", "describe_user_scram_credentials"
)

TelemetryRequest = rpc.GetTelemetrySubscriptionsRequest | rpc.PushTelemetryRequest


def message_waits(data_plane: DataPlane, agent: HostedAgent) -> FetchWaits:
    """Returns the waits for messages, with the bound of the bytes in all logs of the cluster.

    It is called once there are messages; `agent` is any broker.
    """
    waits = data_plane.waits
    if waits.on_append is None:
        from kraftsim.broker_agent.messages.bound import bound_of

        waits.on_append = bound_of(agent, data_plane.retention_bytes, data_plane.note_dropped)
        keep_freed_memory()
    return waits


class BrokerApis:
    """The request handlers of a simulated broker's Kafka listener.

    `send` sends a request to a controller by its id, as `broker_agent/forwarding.py` expects.
    `release_of` returns the release of a controller by its id, None if it is not known.
    """

    def __init__(
        self,
        view: ClientView,
        agent: HostedAgent,
        runtime: Runtime,
        send: SendToController,
        data_plane: DataPlane,
        release_of: Callable[[int], Profile | None] = lambda _: None,
    ) -> None:
        self.view = view
        self._release_of = release_of
        self._data_plane = data_plane
        self._agent = agent
        self._runtime = runtime
        self._turns = runtime.turns
        self._timeline = runtime.timeline
        metrics_bytes_max = agent.agent.config.number("telemetry.max.bytes", METRICS_BYTES_MAX)
        self.telemetry = Telemetry(view.profile, view.random, ClientMatch, metrics_bytes_max)
        self._forwarding = Forwarding(runtime.timeline, send, lambda: agent.agent.controller_id)
        self.topic_creation = TopicCreation(
            view.profile, view.settings, self._forwarding.forward, lambda: self.image, log.warning
        )
        self._messages: Messages | None = None

    @property
    def produce_bytes_max(self) -> int:
        """The most bytes of a Produce request."""
        config = self._agent.agent.config
        return config.number("socket.request.max.bytes", PRODUCE_BYTES_MAX)

    def describe(self, request: rpc.ApiVersionsRequest, version: int) -> rpc.ApiVersionsResponse:
        """Answers an ApiVersions request."""
        view, agent = self.view, self._agent.agent
        broker = (view.cluster_id, agent.config.broker_id)
        refused = api_versions.refusal(request, version, view.profile, broker)
        controller = self._release_of(self._forwarding.reached_id)
        return refused or view.api_versions(agent.image, version, controller)

    def answer(self, request: rpc.Request, reply_to: ReplyTo) -> None:
        """Answers a request from the broker's image, or forwards it to the active controller."""
        answer = ANSWERS.get(type(request).__name__)
        if answer is not None:
            answer(self, request, reply_to)
        elif row_of(request).broker in (STORE, REFUSE):
            reply_to(self._data_plane.reply(request))
        else:
            self._forwarding.forward(request, reply_to)

    @property
    def image(self) -> Image:
        """The metadata that the broker has fetched."""
        return self._agent.agent.image

    def describe_topics(self, request: rpc.MetadataRequest, reply_to: ReplyTo) -> None:
        """Answers a Metadata request, and creates the topics that it may create."""
        self.topic_creation.create(request)
        in_turns(self._turns, self.view.metadata(self.image, request, reply_to))

    def describe_brokers(self, request: rpc.DescribeClusterRequest, reply_to: ReplyTo) -> None:
        """Answers a DescribeCluster request."""
        self.view.answer_brokers(self.image, request, reply_to)

    def describe_partitions(self, request: rpc.DescribeTopicPartitionsRequest) -> rpc.Response:
        """Returns the response to a DescribeTopicPartitions request."""
        from kraftsim.broker_agent.descriptions import PARTITIONS_MAX, describe_topic_partitions

        config = self._agent.agent.config
        partitions_max = config.number("max.request.partition.size.limit", PARTITIONS_MAX)
        return describe_topic_partitions(self.image, request, self.view.listener, partitions_max)

    def describe_log_dirs(self, request: rpc.DescribeLogDirsRequest) -> rpc.Response:
        """Returns the response to a DescribeLogDirs request."""
        from kraftsim.broker_agent.descriptions import describe_log_dirs

        agent = self._agent.agent
        go_on(self._agent)  # what is written since has been copied, unless a throttle holds it
        stored = agent.store.on_disk(self.image, agent.config.broker_id)
        directories, cordoned = agent.config.log_dirs, agent.cordons.directories
        failed = agent.store.failed
        sizes = self.messages.sizes(stored) if agent.store.logs else {}
        futures = agent.store.futures(self.image)
        return describe_log_dirs(stored, futures, request, directories, cordoned, failed, sizes)

    def describe_acls(self, request: rpc.DescribeAclsRequest) -> rpc.Response:
        """Returns the response to a DescribeAcls request."""
        has_authorizer = bool(self.view.settings.authorizer_class_name)
        response: rpc.Response = describe_acls(self.image, request, has_authorizer=has_authorizer)
        return response

    def answer_telemetry(self, request: TelemetryRequest, reply_to: ReplyTo) -> None:
        """Answers a request of client telemetry."""
        reply_to(self.telemetry.answer(self.image, request, self._timeline.now_ms))

    @property
    def messages(self) -> "Messages":
        """The messages that the broker stores; imported with the first request about them."""
        if self._messages is None:
            self._messages = self._opened_messages()
        return self._messages

    def _opened_messages(self) -> "Messages":
        from kraftsim.broker_agent.messages.messages import Messages

        return Messages(
            self._agent,
            self.view.listener,
            message_waits(self._data_plane, self._agent),
            wall_ms=self._client_wall_ms,
            poll_clock=lambda: self._runtime.poll_clock,
            forward=self._forwarding.forward,
            random=self.view.random,
        )

    @property
    def client_wall_ms(self) -> int:
        """The wall clock that clients have: of the broker, or, if time is not real, theirs.

        A clock that stands or is scaled may lie years behind the timestamps of its clients.
        """
        return self._client_wall_ms(self._agent.clock.now_ms)

    def _client_wall_ms(self, now_ms: int) -> int:
        wall_ms = now_ms + self._agent.clock.wall_offset_ms
        return wall_ms if self._runtime.is_real else max(wall_ms, time.time_ns() // 1_000_000)

    def produce(self, request: "ProduceRequest", reply_to: ReplyTo) -> None:
        """Answers a Produce request, and counts one that was refused without a response."""

        def reply(response: rpc.Response | ApiError) -> None:
            if isinstance(response, ApiError):
                self._data_plane.count_lost()
            reply_to(response)

        self.messages.produce(request, reply)

    @property
    def shortened(self) -> Mapping[str, Shorten]:
        """The classes of requests that have a short path, by name, and what returns it."""
        return dict.fromkeys(
            ("ProduceRequest", "FetchRequest"),
            lambda exchange, request: self.messages.shortened(exchange, request),
        )

    def init_producer_id(self, request: "InitProducerIdRequest", reply_to: ReplyTo) -> None:
        """Answers an InitProducerId request, and refuses one of a transactional producer."""
        if request.transactional_id:
            reply_to(self._data_plane.reply(request))
        else:
            self.messages.init_producer_id(request, reply_to)

    def alter_log_dirs(self, request: "AlterReplicaLogDirsRequest") -> rpc.Response:
        """Returns the response to an AlterReplicaLogDirs request."""
        from kraftsim.broker_agent.messages.moves import alter_log_dirs  # with large classes

        return alter_log_dirs(self._agent, request)

    def alter_configs(self, request: "AlterRequest", reply_to: ReplyTo) -> None:
        """Refuses the changes that a broker refuses, and forwards the others to the controller."""
        from kraftsim.broker_agent import configurations  # not needed at every start
        from kraftsim.configuration.dynamic import check_together  # reads a table

        forward = self._forwarding.forward
        configurations.alter(self.config_view, request, check_together, forward, reply_to)

    @property
    def config_view(self) -> "NodeView":
        """What the broker knows when it describes configurations."""
        from kraftsim.broker_agent import configurations  # not needed at every start
        from kraftsim.controller.core.configs.node_configs import NodeView

        agent = self._agent.agent
        return NodeView(
            node_id=agent.config.broker_id,
            profile=self.view.profile,
            image=agent.image,
            static=configurations.properties(agent.config),
        )


Answer = Callable[[BrokerApis, Any, ReplyTo], None]


def _read(respond: Callable[[BrokerApis, Any], rpc.Response]) -> Answer:
    """Returns the function that replies with a response, or with the ApiError of a refusal."""

    def answer(apis: BrokerApis, request: Any, reply_to: ReplyTo) -> None:
        try:
            reply = respond(apis, request)
        except ApiError as error:
            reply_to(error)
        else:
            reply_to(reply)

    return answer


def _list_config_resources(image: Image, request: rpc.ListConfigResourcesRequest) -> rpc.Response:
    from kraftsim.broker_agent.configurations import list_resources  # not needed at every start

    return list_resources(image, request)


def _no_groups() -> rpc.Response:
    from kraftsim.controller.core.rpc.groups import ListGroupsResponse  # large

    return ListGroupsResponse()


ANSWERS: Mapping[str, Answer] = {
    "MetadataRequest": BrokerApis.describe_topics,
    "DescribeClusterRequest": BrokerApis.describe_brokers,
    "DescribeTopicPartitionsRequest": _read(BrokerApis.describe_partitions),
    "DescribeLogDirsRequest": _read(BrokerApis.describe_log_dirs),
    "DescribeConfigsRequest": _read(
        lambda apis, request: describe_configs(apis.config_view, request)
    ),
    "DescribeClientQuotasRequest": _read(
        lambda apis, request: describe_client_quotas(apis.image, request)
    ),
    "DescribeAclsRequest": _read(BrokerApis.describe_acls),
    "DescribeUserScramCredentialsRequest": _read(
        lambda apis, request: describe_user_scram_credentials(apis.image, request)
    ),
    "ListConfigResourcesRequest": _read(
        lambda apis, request: _list_config_resources(apis.image, request)
    ),
    "GetTelemetrySubscriptionsRequest": BrokerApis.answer_telemetry,
    "PushTelemetryRequest": BrokerApis.answer_telemetry,
    "IncrementalAlterConfigsRequest": BrokerApis.alter_configs,
    "AlterConfigsRequest": BrokerApis.alter_configs,
    "ListGroupsRequest": _read(lambda apis, request: _no_groups()),
    "ListTransactionsRequest": _read(
        lambda apis, request: list_transactions(request, is_expression)
    ),
    "ProduceRequest": BrokerApis.produce,
    "FetchRequest": lambda apis, request, reply_to: apis.messages.fetch(request, reply_to),
    "ListOffsetsRequest": _read(lambda apis, request: apis.messages.list_offsets(request)),
    "OffsetForLeaderEpochRequest": _read(
        lambda apis, request: apis.messages.ends_of_epochs(request)
    ),
    "DeleteRecordsRequest": _read(lambda apis, request: apis.messages.delete_records(request)),
    "DescribeProducersRequest": _read(
        lambda apis, request: apis.messages.describe_producers(request)
    ),
    "InitProducerIdRequest": BrokerApis.init_producer_id,
    "AlterReplicaLogDirsRequest": _read(BrokerApis.alter_log_dirs),
}
"""The table of a broker's own answers, by the name of the request's class.

The row says what a broker does with every other request. Classes of requests about messages, groups
and transactions are imported with the first such request."""
