"""The sessions of Fetch requests (KIP-227, rules B4.10-B4.19)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import FetchPartition, FetchPartitionData, FetchRequest
from kraftsim.controller.core.uuid import Uuid

SESSIONS_MAX = 1_000  # max.incremental.fetch.session.cache.slots
_EPOCH_MAX = 2**31 - 1
_NEW, _CLOSED = 0, -1  # epochs that belong to no session
TOPIC_IDS_SINCE = 13

WantedKey = tuple[str, Uuid, int]


@dataclass(slots=True)
class Wanted:
    """A partition that a client wants; what it was told last decides whether it is told again."""

    topic: str  # as the request named it
    topic_id: Uuid
    position: FetchPartition
    known_name: str = ""  # the name of the id when it was first met (B4.19)
    told_high_watermark: int = -1
    told_log_start: int = -1

    @property
    def key(self) -> WantedKey:
        """What identifies the partition in its session."""
        return self.topic, self.topic_id, self.position.partition

    def has_news(self, data: FetchPartitionData, records_bytes: int) -> bool:
        """Returns whether an incremental reply lists the partition (B4.13)."""
        return (
            records_bytes > 0
            or data.high_watermark != self.told_high_watermark
            or data.log_start_offset != self.told_log_start
            or bool(data.error_code)
            or data.diverging_epoch.epoch >= 0
            or data.preferred_read_replica >= 0
        )

    def note(self, data: FetchPartitionData) -> None:
        """Notes what a reply has told."""
        self.told_high_watermark = -1 if data.error_code else data.high_watermark
        self.told_log_start = data.log_start_offset


@dataclass(slots=True)
class Session:
    """The partitions of one client, in the order in which they are served."""

    session_id: int
    epoch: int
    uses_ids: bool
    partitions: dict[WantedKey, Wanted] = field(default_factory=dict)

    def move_to_end(self, key: WantedKey) -> None:
        """Lets the other partitions come first in the next reply (B4.15)."""
        if key in self.partitions:
            self.partitions[key] = self.partitions.pop(key)


@dataclass(slots=True)
class Opened:
    """What a request asks for: its partitions, and its session, or the error of all.

    `is_full` is true if the reply lists every partition.
    """

    wanted: list[Wanted]
    session: Session | None = None
    is_full: bool = True
    error: ErrorCode = ErrorCode.NONE


class FetchSessions:
    """The sessions at one broker; a new process has none."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._sessions: dict[int, Session] = {}

    def clear(self) -> None:
        """Forgets all sessions."""
        self._sessions.clear()

    def forget(self, session: Session) -> None:
        """Ends a session whose first reply was not given."""
        self._sessions.pop(session.session_id, None)

    def open(self, request: FetchRequest, version: int) -> Opened:
        """Returns what the request asks for, in the order of the checks of B4.10."""
        number, epoch = request.session_id, request.session_epoch
        if epoch in (_NEW, _CLOSED):
            self._sessions.pop(number, None)
            wanted = list(_wanted(request).values())
            return Opened(wanted, self._new(version) if epoch == _NEW else None)
        session = self._sessions.get(number)
        if session is None:
            return Opened([], error=ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if epoch != session.epoch:
            return Opened([], error=ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_ids != (version >= TOPIC_IDS_SINCE):
            return Opened([], error=ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        self._update(session, request)
        if not session.partitions:
            del self._sessions[number]  # B4.16
            return Opened(list(_wanted(request).values()))
        session.epoch = 1 if session.epoch == _EPOCH_MAX else session.epoch + 1
        self._sessions[number] = self._sessions.pop(number)  # the last one used
        return Opened(list(session.partitions.values()), session, is_full=False)

    def _new(self, version: int) -> Session:
        if len(self._sessions) >= SESSIONS_MAX:
            del self._sessions[next(iter(self._sessions))]
        number = 1 + int(self._random() * _EPOCH_MAX)
        while number in self._sessions or number > _EPOCH_MAX:
            number = 1 + int(self._random() * _EPOCH_MAX)
        session = self._sessions[number] = Session(number, 1, version >= TOPIC_IDS_SINCE)
        return session

    def _update(self, session: Session, request: FetchRequest) -> None:
        for key, wanted in _wanted(request).items():
            known = session.partitions.get(key)
            if known is None:
                session.partitions[key] = wanted
            else:
                known.position = wanted.position
        for topic in request.forgotten_topics_data:
            for index in topic.partitions:
                session.partitions.pop((topic.topic, topic.topic_id, index), None)


def _wanted(request: FetchRequest) -> dict[WantedKey, Wanted]:
    """Returns the partitions of a request; of two entries the later wins (B4.4)."""
    every = (
        Wanted(topic.topic, topic.topic_id, partition)
        for topic in request.topics
        for partition in topic.partitions
    )
    return {wanted.key: wanted for wanted in every}
