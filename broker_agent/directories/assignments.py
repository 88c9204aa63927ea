"""AssignReplicasToDirs: a broker reports where its replicas are, if the metadata do not have it.

The controller assigns a directory only to the replicas of brokers that have one (rule 4.39). A
broker with several places each new replica in the directory with the fewest, and reports it
(KIP-858, rule 2.32b). A replica that moves stays in its directory until the controller has accepted
the other one (KIP-113, B7.51). A broker with one directory reports only after a start on another
disk: the metadata has its replicas in the former directory, and none of them may lead.
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
from ..replica_store import Move, ReplicaStore
from .log_directories import LogDirectory

# AssignmentsManager of Kafka
REPLICAS_PER_REQUEST_MAX = 2250
BACKOFF_FIRST_MS = 100
BACKOFF_MAX_MS = 10_000
TIMEOUT_MS = 30_000  # request.timeout.ms of Kafka's clients

REMEMBERED_MAX = 10_000  # directories for replicas that do not exist; Kafka has no bound


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
    """The replicas whose directory the metadata lacks, and the requests that report them.

    `_chosen` has the directories to report: of new replicas, of those that have been copied, and of
    those whose move was cancelled after it had been reported (`_returning`). `_remembered` has
    directories for replicas that do not exist yet, by topic and partition (B7.50). `copies_later`:
    the process looks again whether a throttle or a disk lets it copy.
    """

    def __init__(self, broker_id: int, conversation: Conversation) -> None:
        self._broker_id = broker_id
        self._conversation = conversation
        self._chosen: dict[PartitionKey, Uuid] = {}
        self._reported: set[PartitionKey] = set()
        self._accepted: set[PartitionKey] = set()
        self._returning: set[PartitionKey] = set()
        self._remembered: dict[tuple[str, int], Uuid] = {}
        self._has_news = False
        self._failures = 0
        self.copies_later = False

    @property
    def deadline_ms(self) -> int:
        """Time of the next request, or of the timeout of the request in flight."""
        return self._conversation.deadline_ms

    def place_of(
        self, image: Image, key: PartitionKey, own: Sequence[Uuid], store: ReplicaStore
    ) -> Uuid:
        """Returns which of the broker's `own` directories has a replica, maybe not reported yet."""
        if key in store.moves:
            return store.moves[key].source
        assigned = image.partition(key).directory_of(self._broker_id)
        if assigned is None or assigned not in own or key in self._returning:
            return self._chosen.get(key, own[0])
        return assigned

    def remember(self, topic: str, partition: int, directory: Uuid) -> None:
        """Notes the directory for a replica that the broker does not have yet (B7.50)."""
        if len(self._remembered) >= REMEMBERED_MAX:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[topic, partition] = directory

    def move(self, key: PartitionKey, current: Uuid, target: Uuid, store: ReplicaStore) -> None:
        """Begins to move a replica from its directory; its own directory ends a move."""
        moves = store.moves
        if key in self._chosen and key not in moves and key not in self._returning:
            self._choose(key, target)  # a new replica, which is in no directory for the controller
        elif target == current:
            if moves.pop(key, None) is not None:
                self._take_back(key, target)
        elif key not in moves or moves[key].target != target:
            moves[key] = Move(current, target)

    def _take_back(self, key: PartitionKey, current: Uuid) -> None:
        """Reports the current directory of a replica again if another was reported (B7.52)."""
        if key in self._reported:
            self._returning.add(key)
            self._choose(key, current)
        else:
            self._chosen.pop(key, None)

    def _choose(self, key: PartitionKey, directory: Uuid) -> None:
        self._chosen[key] = directory
        self._accepted.discard(key)
        self._has_news = True

    def observe(self, image: Image, places: Places, store: ReplicaStore, now_ms: int) -> None:
        """Chooses a directory for each replica that the metadata has in none of the broker's.

        Ends the moves that cannot go on.
        """
        if image.metadata_version < DIRECTORY_ASSIGNMENT_FROM or not places.online:
            return
        self._end_moves(image, places, store)
        missing, counts = self._missing(image, {*places.online, *places.lost})
        self._returning -= self._accepted | store.moves.keys()
        stays = {*missing, *self._returning}
        kept = {k: of for k, of in self._chosen.items() if k in stays and of in places.online}
        counts.update(kept[key] for key in missing if key in kept)
        kept.update((key, move.target) for key, move in store.moves.items() if move.is_copied)
        for key in missing:
            if key not in kept:
                kept[key] = self._free_place(image, key, places, counts)
                counts[kept[key]] += 1
        changed = {key for key, directory in kept.items() if self._chosen.get(key) != directory}
        self._chosen = kept
        self._accepted = (self._accepted & kept.keys()) - changed
        self._reported = (self._reported & kept.keys()) - changed
        if changed or self._has_news:
            self._has_news = False
            self._conversation.schedule(now_ms + BACKOFF_FIRST_MS)

    def _end_moves(self, image: Image, places: Places, store: ReplicaStore) -> None:
        """Ends the moves of replicas that are gone, or that lost a directory (B7.62)."""
        for key, move in list(store.moves.items()):
            topic = image.topics.get(key[0])
            partition = None if topic is None else topic.partitions.get(key[1])
            has_replica = partition is not None and self._broker_id in partition.replicas
            if not has_replica or not {move.source, move.target}.issubset(places.online):
                del store.moves[key]

    def _free_place(
        self, image: Image, key: PartitionKey, places: Places, counts: Counter[Uuid]
    ) -> Uuid:
        """Returns the directory for a new replica: the remembered one, or the emptiest one."""
        remembered = self._remembered.pop((image.topics[key[0]].name, key[1]), None)
        if remembered in places.online:
            return remembered
        return min(places.open(), key=lambda of: counts[of])

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
        left = left[:REPLICAS_PER_REQUEST_MAX]
        self._reported.update(left)
        request = self._request(broker_epoch, left)
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
            and self._chosen.get((topic.topic_id, partition.partition_index)) == directory.id
        }
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


def _has_all(image: Image, broker_id: int, directory: Uuid) -> bool:
    hosted = image.index.hosted(broker_id)
    return all(image.partition(key).directory_of(broker_id) == directory for key in hosted)


def assignments_of(
    broker_id: int, own: Sequence[LogDirectory], image: Image | None = None
) -> Assignments | None:
    """Returns None for a broker with one directory, unless `image` has a replica elsewhere."""
    if len(own) == 1 and (image is None or _has_all(image, broker_id, own[0].directory_id)):
        return None
    return Assignments(broker_id, Conversation(Channel.DIRECTORIES, timeout_ms=TIMEOUT_MS))
