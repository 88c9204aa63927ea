"""Follows the metadata log as an observer, with one Fetch after another (rules 10.35 to 10.38).

An agent only counts offsets; records are loaded once for a whole fleet (`image_history`).
"""

from collections.abc import Sequence
from dataclasses import field

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import Voters
from kraftsim.controller.core.topic_name import METADATA_TOPIC
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from kraftsim.controller.core.value import slotted
from kraftsim.controller.raft.voters import ReplicaKey

from .config import AgentConfig
from .conversation import Conversation, Send

MAX_WAIT_MS = 500
RETRY_MS = 50
MAX_BYTES = 8 * 1024 * 1024


@slotted()
class LogPosition:
    """How far the metadata log has been fetched, and the leader that it was fetched from.

    The brokers of a fleet share one log and one position. `epoch_starts` are the epochs of records
    that may still be truncated, each with its first offset, after the last epoch below them.
    `voter_sets` are the voters of KIP-853 in the same way: a set takes effect when it is fetched,
    and truncation reverts it. `voters` is the latest set.
    """

    end_offset: int = 0
    last_epoch: int = 0
    leader_epoch: int = 0
    leader_id: int = -1
    high_watermark: int = 0
    epoch_starts: list[tuple[int, int]] = field(default_factory=list)
    voter_sets: list[tuple[int, frozenset[ReplicaKey]]] = field(default_factory=list)
    voters: frozenset[ReplicaKey] = frozenset()

    @property
    def applied_offset(self) -> int:
        """Last offset below both the log's end and the high watermark; -1 if there is none."""
        end_offset, high_watermark = self.end_offset, self.high_watermark
        return (end_offset if end_offset < high_watermark else high_watermark) - 1

    def append(self, records: Sequence[Batch]) -> None:
        """Count fetched batches, of which the first ones may be known."""
        last = records[-1]
        if last.last_offset < self.end_offset:
            return
        if last.epoch != self.last_epoch:
            for batch in records:
                if batch.epoch > self.last_epoch:
                    self.epoch_starts.append((batch.epoch, batch.base_offset))
                    self.last_epoch = batch.epoch
            self._forget_what_is_final()
        for batch in records:
            if batch.is_control and batch.base_offset >= self.end_offset:
                self._append_voters(batch)
        self.end_offset, self.last_epoch = last.last_offset + 1, last.epoch

    def _append_voters(self, batch: Batch) -> None:
        for offset, record in enumerate(batch.records, batch.base_offset):
            if isinstance(record, Voters):
                self.voters = frozenset(
                    ReplicaKey(voter.voter_id, voter.voter_directory_id) for voter in record.voters
                )
                self.voter_sets.append((offset, self.voters))
        sets = self.voter_sets
        while len(sets) > 1 and sets[1][0] < self.high_watermark:
            del sets[0]

    def _forget_what_is_final(self) -> None:
        starts = self.epoch_starts
        while len(starts) > 1 and starts[1][1] <= self.high_watermark:
            del starts[0]

    def truncate(self, epoch: int, end_offset: int) -> None:
        """Remove the records after `epoch`, and those from `end_offset` on (rule 10.34)."""
        starts, self.end_offset = self.epoch_starts, min(self.end_offset, end_offset)
        while starts and (starts[-1][0] > epoch or starts[-1][1] >= self.end_offset):
            self.end_offset = min(self.end_offset, starts.pop()[1])
        self.last_epoch = starts[-1][0] if starts else epoch
        while self.voter_sets and self.voter_sets[-1][0] >= self.end_offset:
            self.voter_sets.pop()
            self.voters = self.voter_sets[-1][1] if self.voter_sets else frozenset()

    def begin_at(self, end_offset: int, epoch: int) -> None:
        """Go on after a snapshot, whose last record is of `epoch`."""
        self.end_offset, self.last_epoch = end_offset, epoch
        self.epoch_starts[:] = [(epoch, end_offset - 1)]


class MetadataFetch:
    """The fetches of one broker."""

    def __init__(
        self, config: AgentConfig, position: LogPosition, conversation: Conversation
    ) -> None:
        self._config = config
        self._position = position
        self._key = ReplicaKey(config.broker_id, config.log_dirs[0].directory_id)
        self._replica_state = rpc.FetchReplicaState(replica_id=config.broker_id)
        self._conversation = conversation
        self._reported_offset = -1
        self._download: rpc.SnapshotId | None = None
        self._downloaded_bytes = 0
        self._last: rpc.FetchRequest | None = None

    @property
    def applied_offset(self) -> int:
        """Offset of the last record that this broker has applied; -1 if there is none."""
        return self._position.applied_offset

    @property
    def leader_id(self) -> int:
        """Id of the active controller, as far as this broker knows; -1 if unknown."""
        return self._position.leader_id

    @property
    def is_voter(self) -> bool:
        """True if the latest voters include this broker's replica of the log."""
        return self._key in self._position.voters

    def due(self, now_ms: int) -> list[Send]:
        """Send the next fetch, when the conversation's deadline is reached."""
        if self._conversation.timed_out(now_ms):
            self._position.leader_id = -1  # the leader may be down: try another controller
            self._last = None  # properties tell an unanswered request from the next by identity
        return [self._conversation.send(self._request(), now_ms, self._position.leader_id)]

    def on_reply(self, sent: Send, reply: rpc.Response | ApiError | None, now_ms: int) -> bool:
        """Handle a reply; returns True if the applied offset advanced."""
        if not self._conversation.accept(sent):
            return False
        if isinstance(reply, rpc.FetchResponse) and not reply.error_code:
            data = reply.responses[0].partitions[0]
            self._conversation.schedule(now_ms + self._pause_after(data))
        elif isinstance(reply, rpc.FetchSnapshotResponse) and reply.topics:
            self._on_slice(reply.topics[0].partitions[0], now_ms)
        else:
            self._position.leader_id, self._download = -1, None
            self._conversation.schedule(now_ms + RETRY_MS)
            return False
        previous, self._reported_offset = self._reported_offset, self._position.applied_offset
        return self._reported_offset > previous

    def _pause_after(self, data: rpc.FetchPartitionData) -> int:
        """Learn from a reply; returns the milliseconds until the next fetch."""
        learned = self._learn(data.current_leader)
        if data.error_code:
            return 0 if learned else RETRY_MS
        self._advance(data)
        return self._config.metadata_linger_ms if data.records else 0

    def _on_slice(self, data: rpc.SnapshotPartitionData, now_ms: int) -> None:
        """Count the bytes of a slice; the snapshot is loaded once for a whole fleet."""
        self._learn(data.current_leader)
        self._conversation.schedule(now_ms if not data.error_code else now_ms + RETRY_MS)
        if self._download is None or data.error_code or data.snapshot_id != self._download:
            self._download = None
            return
        self._downloaded_bytes += len(data.unaligned_records)
        if self._downloaded_bytes >= data.size:
            position, done, self._download = self._position, self._download, None
            if done.end_offset > position.end_offset:
                position.begin_at(done.end_offset, done.epoch)
            position.high_watermark = max(position.high_watermark, done.end_offset)

    def _learn(self, leader: rpc.LeaderIdAndEpoch) -> bool:
        """Learn the leader from a reply; returns True if it is new (rule 10.38)."""
        position = self._position
        epoch, leader_id = leader.leader_epoch, leader.leader_id
        known_epoch, known_id = position.leader_epoch, position.leader_id
        if epoch < known_epoch or (epoch == known_epoch and leader_id == known_id):
            return False
        position.leader_epoch, position.leader_id = epoch, leader_id
        return True

    def _advance(self, data: rpc.FetchPartitionData) -> None:
        position = self._position
        if data.snapshot_id.epoch >= 0:
            self._download, self._downloaded_bytes = data.snapshot_id, 0
            return
        if data.high_watermark > position.high_watermark:
            position.high_watermark = data.high_watermark
        if data.diverging_epoch.epoch >= 0:
            position.truncate(data.diverging_epoch.epoch, data.diverging_epoch.end_offset)
        if data.records:
            position.append(data.records)

    def _request(self) -> rpc.FetchRequest | rpc.FetchSnapshotRequest:
        """Returns the next request: the last one again after a reply without news."""
        if self._download is not None:
            return self._slice_request(self._download)
        if self._last is None or not self._is_at(self._last.topics[0].partitions[0]):
            self._last = self._fetch_request()
        return self._last

    def _is_at(self, sent: rpc.FetchPartition) -> bool:
        """True if the position is that of a request that was sent."""
        position = self._position
        return (
            sent.high_watermark == position.high_watermark
            and sent.fetch_offset == position.end_offset
            and sent.current_leader_epoch == position.leader_epoch
            and sent.last_fetched_epoch == position.last_epoch
        )

    def _fetch_request(self) -> rpc.FetchRequest:
        position = self._position
        partition = rpc.FetchPartition(
            partition=0,
            current_leader_epoch=position.leader_epoch,
            fetch_offset=position.end_offset,
            last_fetched_epoch=position.last_epoch,
            replica_directory_id=self._config.log_dirs[0].directory_id,
            high_watermark=position.high_watermark,
        )
        return rpc.FetchRequest(
            cluster_id=self._config.cluster_id,
            replica_state=self._replica_state,
            max_wait_ms=MAX_WAIT_MS,
            max_bytes=MAX_BYTES,
            topics=(rpc.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(partition,)),),
        )

    def _slice_request(self, snapshot_id: rpc.SnapshotId) -> rpc.FetchSnapshotRequest:
        partition = rpc.SnapshotPartition(
            current_leader_epoch=self._position.leader_epoch,
            snapshot_id=snapshot_id,
            position=self._downloaded_bytes,
            replica_directory_id=self._config.log_dirs[0].directory_id,
        )
        return rpc.FetchSnapshotRequest(
            cluster_id=self._config.cluster_id,
            replica_id=self._config.broker_id,
            max_bytes=MAX_BYTES,
            topics=(rpc.SnapshotTopic(name=METADATA_TOPIC, partitions=(partition,)),),
        )
