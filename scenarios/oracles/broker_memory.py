"""What a broker's process has been told, from the messages that it sent and got.

A reply counts if its request is the last of its kind, and was not given up before. What a process
hears while it is paused, or just when it gives up, may count or not: then the memory is uncertain
until the next reply that certainly counts. `asked` is a request that waits for its reply, and
`asked_ms` when it was sent, on the clock of the broker.
"""

from dataclasses import dataclass, field
from typing import Any

from kraftsim.controller.core import rpc
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.raft.protocol import Reply

UNKNOWN = -1


@dataclass(slots=True)
class LeaseMemory:
    """One process of a broker: its epoch, and what heartbeats told it.

    `clean_epoch` is its epoch once it was told to shut down (rule 1.38). `since_ms` is when the
    last heartbeat was accepted, -1 while another one may follow at any time. `directories` are the
    offline and the cordoned directories of that heartbeat.
    """

    incarnation_id: Uuid
    log_dirs: tuple[Uuid, ...]
    epoch: int = UNKNOWN
    is_caught_up: bool = False
    is_serving: bool = False
    clean_epoch: int = UNKNOWN
    offset: int = UNKNOWN
    wants_shut_down: bool = False
    since_ms: int = UNKNOWN
    directories: tuple[tuple[Uuid, ...], tuple[Uuid, ...] | None] = ((), None)
    is_certain: bool = True
    asked: rpc.Request | None = None
    asked_ms: int = UNKNOWN

    def told(self, request: rpc.Request, reply: Any, now_ms: int) -> None:
        """Learns from a reply that counts, and has no error."""
        self.since_ms = UNKNOWN
        if isinstance(request, rpc.BrokerRegistrationRequest):
            self.epoch = reply.broker_epoch
        elif isinstance(request, rpc.BrokerHeartbeatRequest):
            self.epoch, self.is_certain = request.broker_epoch, True
            was_serving = self.is_serving
            self.is_caught_up = not request.want_fence or reply.is_caught_up
            self.is_serving = self.is_serving or not (request.want_fence or reply.is_fenced)
            if request.want_shut_down and reply.should_shut_down:
                self.clean_epoch = self.epoch
            elif was_serving and not request.want_shut_down:
                self.since_ms = now_ms


@dataclass(slots=True)
class LogMemory:
    """How far a broker's process has fetched the metadata log, by the replies that it got.

    `download` is the snapshot that it fetches, as (epoch, end offset), and `bytes` how much of it.
    """

    end_offset: int = 0
    last_epoch: int = 0
    leader_epoch: int = 0
    high_watermark: int = 0
    epochs: dict[int, int] = field(default_factory=dict)  # each with its first offset
    download: tuple[int, int] | None = None
    bytes: int = 0
    is_certain: bool = True
    asked: rpc.Request | None = None
    asked_ms: int = UNKNOWN
    last_reply: Reply | None = None
    last_sent: dict[type, rpc.Request] = field(default_factory=dict)  # by the kind of request

    def adopt(self, request: rpc.FetchRequest | rpc.FetchSnapshotRequest) -> None:
        """Takes a position that a request tells, when it was uncertain."""
        asked = request.topics[0].partitions[0]
        self.leader_epoch = asked.current_leader_epoch
        if isinstance(asked, rpc.FetchPartition):
            self.end_offset, self.last_epoch = asked.fetch_offset, asked.last_fetched_epoch
            self.high_watermark, self.download = asked.high_watermark, None
            self.epochs = {asked.last_fetched_epoch: asked.fetch_offset}
            self.is_certain = True

    def expects_fetch(self, asked: Any) -> bool:
        """Returns True if the next fetch tells these epochs and offsets.

        It is sent only without a download.
        """
        return bool(
            asked.fetch_offset == self.end_offset
            and asked.high_watermark == self.high_watermark
            and asked.current_leader_epoch == self.leader_epoch
            and asked.last_fetched_epoch == self.last_epoch
            and self.download is None
        )

    @property
    def next_slice(self) -> tuple[object, ...]:
        """What the next fetch of a snapshot tells: leader's epoch, snapshot, bytes so far."""
        return self.leader_epoch, self.download, self.bytes

    def is_known(self, reply: Reply | None) -> bool:
        """True if the reply is the last one again, which a broker that repeats a fetch may drop."""
        is_known = reply is not None and self.last_reply is reply
        self.last_reply = reply
        return is_known

    def told_of_fetch(self, data: Any) -> None:
        """Learns from the partition of a Fetch response."""
        if data.current_leader.leader_epoch > self.leader_epoch:
            self.leader_epoch = data.current_leader.leader_epoch
        if data.error_code:
            return
        if data.snapshot_id.epoch >= 0:
            self.download, self.bytes = (data.snapshot_id.epoch, data.snapshot_id.end_offset), 0
            return
        if data.high_watermark > self.high_watermark:
            self.high_watermark = data.high_watermark
        if data.diverging_epoch.epoch >= 0:
            self._truncate(data.diverging_epoch.epoch, data.diverging_epoch.end_offset)
        for batch in data.records or ():
            if batch.last_offset >= self.end_offset:
                self.end_offset, self.last_epoch = batch.last_offset + 1, batch.epoch
                self.epochs.setdefault(batch.epoch, batch.base_offset)

    def _truncate(self, epoch: int, end_offset: int) -> None:
        """Gives back what is not of the leader's log: later epochs, and what is after an end.

        If it is not known what was before, the last epoch is uncertain.
        """
        given_back = [start for known, start in self.epochs.items() if known > epoch]
        self.end_offset = min(self.end_offset, end_offset, *given_back)
        left = {known: start for known, start in self.epochs.items() if start < self.end_offset}
        self.is_certain = self.is_certain and bool(left)
        self.epochs, self.last_epoch = left, max(left, default=epoch)

    def told_of_slice(self, data: Any) -> None:
        """Learns from the partition of a FetchSnapshot response."""
        self.leader_epoch = max(self.leader_epoch, data.current_leader.leader_epoch)
        named = (data.snapshot_id.epoch, data.snapshot_id.end_offset)
        if self.download is None or data.error_code or named != self.download:
            self.download = None
            return
        self.bytes += len(data.unaligned_records)
        if self.bytes >= data.size:
            epoch, end_offset = self.download
            if end_offset > self.end_offset:
                self.end_offset, self.last_epoch = end_offset, epoch
                self.epochs = {epoch: end_offset - 1}
            self.high_watermark, self.download = max(self.high_watermark, end_offset), None
