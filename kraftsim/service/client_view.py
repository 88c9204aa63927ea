"""What a Kafka listener of a broker answers about the cluster, from an image of the metadata."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial

from kraftsim.broker_agent import metadata_replies
from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.broker_agent.kept_replies import KeptReplies, KeptState
from kraftsim.controller.core import rpc
from kraftsim.controller.core.cluster.describe_cluster import any_broker, describe_brokers
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.value import value
from kraftsim.controller.server import api_versions

ReplyTo = Callable[[rpc.Response | ApiError], None]

TOPICS_AT_ONCE = 10  # more topics are described in slices
PARTS_AT_ONCE = 300  # topics and partitions of a slice, which takes about a millisecond
PARTITIONS_KEPT_MAX = 500  # of a reply that is kept, and as many brokers
NO_STEPS: Iterator[None] = iter(())
VALID = rpc.ApiVersionsRequest()  # every valid request gets the same reply


@value(kw_only=False)
class ClientView:
    """Answers Metadata and DescribeCluster requests of clients from an image of the metadata.

    A client of the listener `listener` gets the addresses of the listeners of that name. `kept` may
    be shared by the listeners of that name in a cluster.
    """

    cluster_id: str
    profile: Profile
    random: Callable[[], float]
    kept: KeptReplies = field(default_factory=KeptReplies)
    settings: Settings = field(default_factory=Settings)
    listener: str = CLIENT_LISTENER

    def metadata(
        self, image: Image, request: rpc.MetadataRequest, reply_to: ReplyTo
    ) -> Iterator[None]:
        """Answers a Metadata request from the image, in the steps that the iterator takes."""
        state = self.kept.about(image)
        controller_id = any_broker(state.live, self.random)
        kept = state.find(request, controller_id)
        if kept is None:
            return self._described(state, request, controller_id, reply_to)
        reply_to(kept)
        return NO_STEPS

    def _described(
        self, state: KeptState, request: rpc.MetadataRequest, controller_id: int, reply_to: ReplyTo
    ) -> Iterator[None]:
        """Answers a Metadata request, in slices if it is about many topics."""
        image = state.image
        wanted = len(image.topics if request.topics is None else request.topics)
        is_sliced = wanted > TOPICS_AT_ONCE
        if is_sliced:
            image = image.copy()  # the broker may fetch records between two slices
        topics: list[rpc.MetadataTopic] = []
        parts = 0
        try:
            for topic in metadata_replies.described_topics(image, request, self.listener):
                topics.append(topic)
                parts += 1 + len(topic.partitions)
                if is_sliced and parts >= PARTS_AT_ONCE:
                    parts = 0
                    yield
        except ApiError as error:
            reply_to(error.with_traceback(None))
            return
        reply = metadata_replies.metadata(
            image,
            request,
            topics,
            cluster_id=self.cluster_id,
            listener=self.listener,
            controller_id=controller_id,
        )
        if _is_small(topics):
            _keep(state, request, controller_id, reply)
        reply_to(reply)

    def brokers(
        self, image: Image, request: rpc.DescribeClusterRequest
    ) -> rpc.DescribeClusterResponse:
        """Answers a DescribeCluster request from the image; raises ApiError if it is refused."""
        state = self.kept.about(image)
        controller_id = any_broker(state.live, self.random)
        kept = state.find(request, controller_id)
        if type(kept) is rpc.DescribeClusterResponse:
            return kept
        reply = describe_brokers(
            image,
            request,
            cluster_id=self.cluster_id,
            listener=self.listener,
            controller_id=controller_id,
        )
        _keep(state, request, controller_id, reply)
        return reply

    def api_versions(
        self, image: Image, version: int, controller: Profile | None
    ) -> rpc.ApiVersionsResponse:
        """Answers every valid ApiVersions request in `version`.

        `controller` is the release of the active controller, None if the broker does not know it.
        """
        listed = partial(
            api_versions.listed, version, listener="broker", image=image, profile=self.profile
        )
        if controller is not None and controller.name != self.profile.name:
            return listed(controller=controller)
        state = self.kept.about(image)
        kept = state.find(VALID, version)
        if type(kept) is rpc.ApiVersionsResponse:
            return kept
        reply = listed()
        state.keep(VALID, version, reply)
        return reply

    def answer_brokers(
        self, image: Image, request: rpc.DescribeClusterRequest, reply_to: ReplyTo
    ) -> None:
        """Answers a DescribeCluster request from the image, also if it is refused."""
        try:
            reply: rpc.DescribeClusterResponse | ApiError = self.brokers(image, request)
        except ApiError as error:
            reply = error.with_traceback(None)
        reply_to(reply)


def _keep(state: KeptState, request: rpc.Request, controller_id: int, reply: rpc.Response) -> None:
    if len(state.image.brokers) <= PARTITIONS_KEPT_MAX:
        state.keep(request, controller_id, reply)


def _is_small(topics: Sequence[rpc.MetadataTopic]) -> bool:
    """True if a reply with these topics may be kept; an unknown name may be of any length."""
    parts = sum(1 + len(topic.partitions) for topic in topics)
    return parts <= PARTITIONS_KEPT_MAX and not any(topic.error_code for topic in topics)
