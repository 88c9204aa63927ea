"""What the Kafka listener of a simulated broker answers: from what its broker has fetched, and the
rest from the active controller. The same for brokers in one process and for a fleet over sockets.
"""

from collections.abc import Callable
from dataclasses import dataclass

from kraftsim.broker_agent import facade
from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.broker_agent.forwarding import Ask, Forwarding
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.controller.core.cluster.describe_cluster import describe_brokers
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    MetadataRequest,
    MetadataResponse,
    Request,
    Response,
)
from kraftsim.controller.server import api_versions
from kraftsim.controller.time.timeline import Timeline

ReplyTo = Callable[[Response | ApiError], None]


@dataclass(frozen=True, slots=True)
class ClientView:
    """What clients of one cluster are told of it by whoever knows an image of its metadata."""

    cluster_id: str
    profile: Profile
    random: Callable[[], float]

    def metadata(self, image: Image, request: MetadataRequest) -> MetadataResponse:
        return facade.metadata(
            image,
            request,
            cluster_id=self.cluster_id,
            listener=CLIENT_LISTENER,
            random=self.random,
        )

    def brokers(self, image: Image, request: DescribeClusterRequest) -> DescribeClusterResponse:
        return describe_brokers(
            image,
            request,
            cluster_id=self.cluster_id,
            listener=CLIENT_LISTENER,
            random=self.random,
        )


class Facade:
    """`ask` reaches a controller by its id, as `broker_agent/forwarding.py` wants it."""

    def __init__(self, view: ClientView, agent: HostedAgent, timeline: Timeline, ask: Ask) -> None:
        self._view = view
        self._agent = agent
        self._forwarding = Forwarding(timeline, ask, lambda: agent.agent.controller_id)

    def describe(self, request: ApiVersionsRequest, version: int) -> ApiVersionsResponse:
        return api_versions.answer(
            request,
            version,
            listener="broker",
            image=self._agent.agent.image,
            profile=self._view.profile,
            broker=(self._view.cluster_id, self._agent.agent.config.broker_id),
        )

    def answer(self, request: Request, reply_to: ReplyTo) -> None:
        image = self._agent.agent.image
        match request:
            case MetadataRequest():
                reply_to(self._view.metadata(image, request))
            case DescribeClusterRequest():
                try:
                    reply = self._view.brokers(image, request)
                except ApiError as error:
                    reply_to(error)
                else:
                    reply_to(reply)
            case _:
                self._forwarding.forward(request, reply_to)
