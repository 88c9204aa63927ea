"""Topics that a broker creates for a Metadata request which allows it (rule 5.44d)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

from kraftsim.controller.core.errors import error_name
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.refusals import answered
from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreatableTopicConfigEntry,
    CreateTopicsRequest,
    CreateTopicsResponse,
    MetadataRequest,
    Request,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.topic_name import CONSUMER_OFFSETS, SHARE_STATE, TRANSACTIONS, flaw
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft.protocol import Reply

TIMEOUT_MS = 30_000  # request.timeout.ms of the broker
OLDEST_RELEASE = "3.9"  # in which a broker has no coordinator of share groups

Forward = Callable[[Request, Callable[[Reply], None]], None]


class TopicCreation:
    """Creates topics for the clients of one broker, whose metadata is `image()`.

    The request that made it create a topic is answered at once: the topic is unknown (3), and the
    client asks again. `warn` logs a refusal of the controller, of which no client hears.
    """

    def __init__(
        self,
        profile: Profile,
        settings: Settings,
        forward: Forward,
        image: Callable[[], Image],
        warn: Callable[..., None],
    ) -> None:
        self._profile, self._settings = profile, settings
        self._forward, self._image, self._warn = forward, image, warn
        self._in_flight: set[str] = set()
        self._expected: dict[str, CreateTopicsRequest] = {}  # topics that the image may not have

    def create(self, request: MetadataRequest) -> None:
        """Sends a CreateTopics request for the missing topics that a client names, if it may."""
        if not (request.allow_auto_topic_creation and self._settings.auto_create_topics_enable):
            return
        names = list(self._missing(request))
        if not names:
            return
        topics = tuple(creatable_topic(name, self._settings, self._profile) for name in names)
        creation = CreateTopicsRequest(topics=topics, timeout_ms=TIMEOUT_MS)
        self._in_flight.update(names)
        self._expected.update(dict.fromkeys(names, creation))
        self._forward(creation, partial(self._answered, creation))

    def pending(self) -> Iterator[Request]:
        """Yields the requests for topics that are not in the image of the broker yet."""
        known = self._image().topic_ids
        self._expected = {
            name: creation for name, creation in self._expected.items() if name not in known
        }
        yield from self._expected.values()

    def _missing(self, request: MetadataRequest) -> Iterator[str]:
        """Yields valid names without a topic, once, of which no creation is in flight.

        A request with ids names no topics (rule 5.44a).
        """
        topics = request.topics or ()
        if any(topic.topic_id != ZERO_UUID for topic in topics):
            return
        known = self._image().topic_ids
        for name in dict.fromkeys(topic.name for topic in topics if topic.name is not None):
            if name not in known and name not in self._in_flight and flaw(name) is None:
                yield name

    def _answered(self, creation: CreateTopicsRequest, reply: Reply) -> None:
        response = answered(creation, reply)
        self._in_flight.difference_update(topic.name for topic in creation.topics)
        for result in cast(CreateTopicsResponse, response).topics:
            if result.error_code:
                self._expected.pop(result.name, None)
                text = "Auto topic creation failed for %s with error '%s': %s"
                name = error_name(result.error_code)
                self._warn(text, result.name, name, result.error_message)


def creatable_topic(name: str, settings: Settings, profile: Profile) -> CreatableTopic:
    """Returns the topic with the partitions, replicas and configurations that a broker asks for.

    Those of an internal topic are its coordinator's (DefaultAutoTopicCreationManager).
    """
    partitions, factor = settings.num_partitions, settings.default_replication_factor
    configs: dict[str, object] = {}
    if name == CONSUMER_OFFSETS:
        partitions = settings.offsets_topic_num_partitions
        factor = settings.offsets_topic_replication_factor
        configs = {
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": settings.offsets_topic_segment_bytes,
        }
    elif name == TRANSACTIONS:
        partitions = settings.transaction_state_log_num_partitions
        factor = settings.transaction_state_log_replication_factor
        configs = {
            "unclean.leader.election.enable": "false",
            "compression.type": "uncompressed",
            "cleanup.policy": "compact",
            "min.insync.replicas": settings.transaction_state_log_min_isr,
            "segment.bytes": settings.transaction_state_log_segment_bytes,
        }
    elif name == SHARE_STATE and profile.topic_configs != OLDEST_RELEASE:
        partitions = settings.share_coordinator_state_topic_num_partitions
        factor = settings.share_coordinator_state_topic_replication_factor
        configs = {
            "cleanup.policy": "delete",
            "compression.type": "producer",
            "segment.bytes": settings.share_coordinator_state_topic_segment_bytes,
            "min.insync.replicas": settings.share_coordinator_state_topic_min_isr,
            "retention.ms": -1,
        }
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=factor,
        configs=tuple(
            CreatableTopicConfigEntry(name=key, value=str(value)) for key, value in configs.items()
        ),
    )
