"""AssignReplicasToDirs: a broker with several log directories reports where its replicas are.

The controller assigns a directory only to the replicas of brokers that have one (rule 4.39). A
broker with several places each new replica in the directory with the fewest, and reports it
(KIP-858, rule 2.32b). Brokers with one directory send no such request.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.feature_levels import DIRECTORY_ASSIGNMENT_FROM
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.core.value import value
from kraftsim.controller.time.timeline import NEVER_MS

from ..conversation import Channel, Conversation, Send

# AssignmentsManager of Kafka
REPLICAS_PER_REQUEST_MAX = 2250
BACKOFF_FIRST_MS = 100
BACKOFF_MAX_MS = 10_000
TIMEOUT_MS = 30_000  # request.timeout.ms of Kafka's clients


@value
class Places:
    """The directories of a process: those in use, the lost ones, and which take no new replicas."""

    online: tuple[Uuid, ...]
    lost: tuple[Uuid, ...] = ()
    cordoned: tuple[Uuid, ...] = ()

    def open(self) -> Sequence[Uuid]:
        """Returns the directories for new replicas; the first, if every directory is cordoned."""
        return [
            directory_id for directory_id in self.online if directory_id not in self.cordoned
        ] or self.online[:1]


class Assignments:
    """The replicas whose directory the metadata lacks, and the requests that report them."""

    def __init__(self, broker_id: int, conversation: Conversation) -> None:
        self._broker_id = broker_id
        self._conversation = conversation
        self._chosen: dict[PartitionKey, Uuid] = {}
        self._accepted: set[PartitionKey] = set()
        self._failures = 0

    @property
    def deadline_ms(self) -> int:
        """Time of the next request, or of the timeout of the request in flight."""
        return self._conversation.deadline_ms

    def observe(self, image: Image, places: Places, now_ms: int) -> None:
        """Chooses a directory for each replica that the metadata has in none of the broker's."""
        if image.metadata_version < DIRECTORY_ASSIGNMENT_FROM or not places.online:
            return
        missing, counts = self._missing(image, {*places.online, *places.lost})
        kept = {k: of for k, of in self._chosen.items() if k in missing and of in places.online}
        counts.update(kept.values())
        is_new = False
        for key in missing:
            if key not in kept:
                kept[key] = min(places.open(), key=lambda of: counts[of])
                counts[kept[key]] += 1
                self._accepted.discard(key)
                is_new = True
        self._chosen = kept
        self._accepted &= kept.keys()
        if is_new:
            self._conversation.schedule(now_ms + BACKOFF_FIRST_MS)

    def _missing(
        self, image: Image, own: Collection[Uuid]
    ) -> tuple[list[PartitionKey], Counter[Uuid]]:
        """Returns the replicas in no directory of the broker, and how many each directory has."""
        missing, counts = [], Counter[Uuid]()
        for key in image.index.hosted(self._broker_id):
            directory = image.partition(key).directory_of(self._broker_id)
            if directory is None or directory not in own:
                missing.append(key)
            else:
                counts[directory] += 1
        return missing, counts

    def due(self, image: Image, broker_epoch: int, now_ms: int, controller_id: int) -> list[Send]:
        """Returns a request with the replicas that no controller has accepted."""
        if self._conversation.timed_out(now_ms):
            self._failed(now_ms)
        if not self._conversation.is_idle or now_ms < self._conversation.deadline_ms:
            return []
        left = [key for key in self._chosen if key not in self._accepted and key[0] in image.topics]
        self._conversation.schedule(NEVER_MS)
        if not left:
            return []
        request = self._request(broker_epoch, left[:REPLICAS_PER_REQUEST_MAX])
        return [self._conversation.send(request, now_ms, controller_id)]

    def on_reply(self, sent: Send, reply: rpc.Response | ApiError | None, now_ms: int) -> None:
        """Handles a reply; whatever was not accepted is sent again, after a pause."""
        if not self._conversation.accept(sent):
            return
        if not isinstance(reply, rpc.AssignReplicasToDirsResponse) or reply.error_code:
            self._failed(now_ms)
            return
        self._failures = 0
        self._accepted |= {
            (topic.topic_id, partition.partition_index)
            for directory in reply.directories
            for topic in directory.topics
            for partition in topic.partitions
            if not partition.error_code
        } & self._chosen.keys()
        if self._chosen.keys() - self._accepted:
            self._conversation.schedule(now_ms + BACKOFF_FIRST_MS)

    def _failed(self, now_ms: int) -> None:
        wait_ms = min(BACKOFF_FIRST_MS << self._failures, BACKOFF_MAX_MS)
        self._failures = min(self._failures + 1, 16)
        self._conversation.schedule(now_ms + wait_ms)

    def _request(
        self, broker_epoch: int, keys: Sequence[PartitionKey]
    ) -> rpc.AssignReplicasToDirsRequest:
        places: dict[Uuid, dict[Uuid, list[int]]] = {}
        for topic_id, index in keys:
            topics = places.setdefault(self._chosen[topic_id, index], {})
            topics.setdefault(topic_id, []).append(index)
        return rpc.AssignReplicasToDirsRequest(
            broker_id=self._broker_id,
            broker_epoch=broker_epoch,
            directories=tuple(
                rpc.AssignedDirectory(id=directory, topics=_topics(topics))
                for directory, topics in places.items()
            ),
        )


def _topics(topics: dict[Uuid, list[int]]) -> tuple[rpc.AssignedTopic, ...]:
    return tuple(
        rpc.AssignedTopic(
            topic_id=topic_id,
            partitions=tuple(rpc.AssignedPartition(partition_index=index) for index in indexes),
        )
        for topic_id, indexes in topics.items()
    )


def assignments_of(broker_id: int, directories: int) -> Assignments | None:
    """Returns None for a broker with one directory, which the controller knows."""
    if directories == 1:
        return None
    return Assignments(broker_id, Conversation(Channel.DIRECTORIES, timeout_ms=TIMEOUT_MS))
