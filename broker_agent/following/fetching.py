"""What a broker fetches from one leader in another process, as Kafka's fetcher thread (rule B5).

A leader in the same process hands over its log instead (`leading/leader.py`). Here a follower knows
only what the replies say. It has one request in flight, which names all partitions of that leader.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.feature_levels import level_of
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.rpc import (
    FetchPartition,
    FetchPartitionData,
    FetchReplicaState,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    Response,
)
from kraftsim.controller.core.rpc.stored_messages import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.time.timeline import NEVER_MS

from ..config import AgentConfig
from ..log.batch import BadBatch
from ..log.log import Instant, Log
from ..log.settings import LogSettings
from ..replication.copying import FETCH_BYTES
from ..replication.followers import Truncated
from .fetched import Misplaced, append, cut, follow

LATEST, EARLIEST = -1, -2  # timestamps of ListOffsets (B7.5)
LIST_OFFSETS_VERSION = 7  # both timestamps and the leader epoch are older
FETCH_VERSIONS = (("4.1-IV1", 18), ("3.9-IV0", 17), ("3.7-IV4", 16), ("3.5-IV1", 15))
"""The version of Fetch that a follower sends, by the metadata.version that it needs (B5.1)."""
TOPIC_IDS_VERSION = 13
RESPONSE_BYTES = ("replica.fetch.response.max.bytes", 10_485_760)

Question = FetchRequest | ListOffsetsRequest


class Led(NamedTuple):
    """A partition as the metadata have it: the name of its topic, and its leader epoch."""

    topic: str
    epoch: int


@dataclass(slots=True)
class _Followed:
    """A partition that is fetched from `ready_ms` on; NEVER_MS if it has failed.

    `seeks` is the timestamp of ListOffsets that it asks for, after OFFSET_OUT_OF_RANGE;
    `high_watermark` is what the leader told last, None if it has told none.
    """

    led: Led
    ready_ms: int = 0
    seeks: int | None = None
    high_watermark: int | None = None


@dataclass(slots=True)
class Changes:
    """What a reply has changed: records that were given up, and the bytes that were appended.

    A partition of which only the high watermark has changed is in `appended` with 0.
    """

    truncated: dict[PartitionKey, Truncated] = field(default_factory=dict)
    appended: dict[PartitionKey, int] = field(default_factory=dict)


def version_max(request: Question, metadata_version: int) -> int:
    """Returns the version in which a follower sends a request."""
    if isinstance(request, ListOffsetsRequest):
        return LIST_OFFSETS_VERSION
    permitted = (number for name, number in FETCH_VERSIONS if metadata_version >= level_of(name))
    return next(permitted, TOPIC_IDS_VERSION)


class Fetcher:
    """The partitions that a broker follows at one leader.

    `logs` are those of the broker, which it changes. `settings_of(key)` returns the settings of a
    log, and `may_append(key)` is False if the disk does not take what comes.
    """

    def __init__(
        self,
        config: AgentConfig,
        logs: dict[PartitionKey, Log],
        settings_of: Callable[[PartitionKey], LogSettings],
        may_append: Callable[[PartitionKey], bool],
    ) -> None:
        self._config, self._logs = config, logs
        self._settings_of, self._may_append = settings_of, may_append
        self._followed: dict[PartitionKey, _Followed] = {}

    def follow(self, partitions: Mapping[PartitionKey, Led]) -> Changes:
        """Follows these partitions only; a new leader epoch begins anew (B5.5)."""
        changes = Changes()
        for key in [key for key in self._followed if key not in partitions]:
            del self._followed[key]
        for key, led in partitions.items():
            known = self._followed.get(key)
            if known is not None and known.led == led:
                continue
            self._followed[key] = _Followed(led)
            log = self._logs.get(key)
            if log is not None and log.epochs.latest < 0:
                # Without an epoch nothing above the high watermark can be compared.
                self._cut(key, log, log.high_watermark, 0, changes)
        return changes

    @property
    def ready_ms(self) -> int:
        """When the next partition may be fetched; NEVER_MS if none may."""
        return min((followed.ready_ms for followed in self._followed.values()), default=NEVER_MS)

    def request(
        self, broker_epoch: int, now_ms: int, is_held: Callable[[PartitionKey], bool]
    ) -> Question | None:
        """Returns the next request; None while no partition may be fetched.

        `is_held(key)` is true of a partition that a fault or a throttle holds back.
        """
        ready: list[PartitionKey] = []
        for key, followed in self._followed.items():
            if followed.ready_ms <= now_ms:
                if is_held(key):
                    self._back_off(followed, now_ms)
                else:
                    ready.append(key)
        seeking = [key for key in ready if self._followed[key].seeks is not None]
        if seeking:
            return self._list_offsets(seeking)
        return self._fetch(ready, broker_epoch) if ready else None

    def is_behind(self, key: PartitionKey) -> bool:
        """True if a partition lacks something below the high watermark, or that is unknown."""
        known, log = self._followed[key].high_watermark, self._logs.get(key)
        return known is None or known > (0 if log is None else log.end_offset)

    def _fetch(self, keys: Iterable[PartitionKey], broker_epoch: int) -> FetchRequest:
        config = self._config
        topics: dict[Uuid, list[FetchPartition]] = {}
        for key in keys:
            topics.setdefault(key[0], []).append(self._position(key))
        return FetchRequest(
            replica_id=config.broker_id,
            replica_state=FetchReplicaState(
                replica_id=config.broker_id, replica_epoch=broker_epoch
            ),
            max_wait_ms=config.replica_fetch_wait_ms,
            min_bytes=1,
            max_bytes=config.number(*RESPONSE_BYTES),
            topics=tuple(
                FetchTopic(topic_id=topic_id, partitions=tuple(positions))
                for topic_id, positions in topics.items()
            ),
        )

    def _position(self, key: PartitionKey) -> FetchPartition:
        log = self._logs.get(key)
        return FetchPartition(
            partition=key[1],
            current_leader_epoch=self._followed[key].led.epoch,
            fetch_offset=0 if log is None else log.end_offset,
            last_fetched_epoch=-1 if log is None else log.epochs.latest,
            log_start_offset=0 if log is None else log.start_offset,
            partition_max_bytes=self._config.number(*FETCH_BYTES),
        )

    def _list_offsets(self, keys: Iterable[PartitionKey]) -> ListOffsetsRequest:
        topics: dict[str, list[ListOffsetsPartition]] = {}
        for key in keys:
            followed = self._followed[key]
            topics.setdefault(followed.led.topic, []).append(
                ListOffsetsPartition(
                    partition_index=key[1],
                    current_leader_epoch=followed.led.epoch,
                    timestamp=LATEST if followed.seeks is None else followed.seeks,
                )
            )
        return ListOffsetsRequest(
            replica_id=self._config.broker_id,
            topics=tuple(
                ListOffsetsTopic(name=name, partitions=tuple(partitions))
                for name, partitions in topics.items()
            ),
        )

    # Replies

    def on_failure(self, now_ms: int, backoff_ms: int = 0) -> None:
        """Backs off from the leader, which did not answer (B5.40), for `backoff_ms` at least."""
        for followed in self._followed.values():
            self._back_off(followed, now_ms, backoff_ms)

    def on_response(self, request: Question, response: Response, at: Instant) -> Changes:
        """Applies the response to the logs."""
        changes = Changes()
        match request, response:
            case FetchRequest(), FetchResponse(error_code=ErrorCode.NONE):
                for key, asked, data in _pairs(request, response):
                    self._on_fetched(key, asked, data, at, changes)
            case ListOffsetsRequest(), ListOffsetsResponse():
                for topic in response.topics:
                    for found in topic.partitions:
                        self._on_offset(topic.name, found, at.now_ms, changes)
            case _:
                self.on_failure(at.now_ms)
        return changes

    def _on_fetched(
        self,
        key: PartitionKey,
        asked: FetchPartition,
        data: FetchPartitionData,
        at: Instant,
        changes: Changes,
    ) -> None:
        followed = self._followed.get(key)
        if followed is None or followed.led.epoch != asked.current_leader_epoch:
            return
        if self._position(key).fetch_offset != asked.fetch_offset:
            return  # the log was cut since the request
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            followed.seeks = LATEST
        elif data.error_code:
            self._on_error(followed, data.error_code, at.now_ms)
        elif data.diverging_epoch.epoch >= 0:
            self._on_divergence(key, data, at.now_ms, changes)
        else:
            self._append(key, followed, data, at, changes)

    def _on_divergence(
        self, key: PartitionKey, data: FetchPartitionData, now_ms: int, changes: Changes
    ) -> None:
        """Cuts the log, and takes nothing else from the reply (B5.11, B5.12)."""
        log, diverging = self._log(key, now_ms), data.diverging_epoch
        target = log.epochs.parting(diverging.epoch, diverging.end_offset, log.end_offset)
        self._cut(key, log, target, now_ms, changes)

    def _append(
        self,
        key: PartitionKey,
        followed: _Followed,
        data: FetchPartitionData,
        at: Instant,
        changes: Changes,
    ) -> None:
        followed.high_watermark = data.high_watermark
        records = b"".join(batch.encoded[0] for batch in data.records or ())
        if not records and key not in self._logs:
            return  # there has been no message
        if records and not self._may_append(key):
            followed.ready_ms = NEVER_MS  # B5.43
            return
        log = self._log(key, at.now_ms)
        try:
            size = append(log, records, followed.led.epoch, at, self._settings_of(key))
        except BadBatch:
            self._back_off(followed, at.now_ms)  # B5.42
            return
        except Misplaced:
            followed.ready_ms = NEVER_MS  # B1.50
            return
        if follow(log, data.high_watermark, data.log_start_offset, at.now_ms) or size:
            changes.appended[key] = size
        if size:  # the others come first in the next request
            self._followed[key] = self._followed.pop(key)

    def _on_offset(
        self, topic: str, found: ListOffsetsPartitionResponse, now_ms: int, changes: Changes
    ) -> None:
        """Goes on after OFFSET_OUT_OF_RANGE, with the end of the leader's log, then its start."""
        for key, followed in self._followed.items():
            if followed.led.topic == topic and key[1] == found.partition_index:
                break
        else:
            return
        seeks, followed.seeks = followed.seeks, None
        log = self._log(key, now_ms)
        if found.error_code:
            self._on_error(followed, found.error_code, now_ms)
        elif seeks == LATEST and found.offset < log.end_offset:
            self._cut(key, log, found.offset, now_ms, changes)  # B5.15
        elif seeks == LATEST:
            followed.seeks = EARLIEST
        elif seeks == EARLIEST and found.offset > log.end_offset:
            log.begin_anew(found.offset, now_ms)
            changes.appended[key] = 0

    def _on_error(self, followed: _Followed, code: int, now_ms: int) -> None:
        if code == ErrorCode.FENCED_LEADER_EPOCH:
            followed.ready_ms = NEVER_MS  # until the metadata have a new epoch (B5.41)
        else:
            self._back_off(followed, now_ms)  # B5.42

    def _back_off(self, followed: _Followed, now_ms: int, backoff_ms: int = 0) -> None:
        if followed.ready_ms != NEVER_MS:
            followed.ready_ms = now_ms + max(self._config.replica_fetch_backoff_ms, backoff_ms)

    def _cut(self, key: PartitionKey, log: Log, offset: int, now_ms: int, changes: Changes) -> None:
        truncated = cut(log, offset, now_ms)
        if truncated is not None:
            changes.truncated[key] = truncated

    def _log(self, key: PartitionKey, now_ms: int) -> Log:
        if key not in self._logs:
            self._logs[key] = Log(now_ms)
        return self._logs[key]


def _pairs(
    request: FetchRequest, response: FetchResponse
) -> Iterator[tuple[PartitionKey, FetchPartition, FetchPartitionData]]:
    """Yields each partition of a response with what was asked for."""
    asked = {
        (topic.topic_id, position.partition): position
        for topic in request.topics
        for position in topic.partitions
    }
    for topic in response.responses:
        for data in topic.partitions:
            key = (topic.topic_id, data.partition_index)
            if key in asked:
                yield key, asked[key], data
