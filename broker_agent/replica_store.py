"""The replicas on a broker's disk, which outlive its processes (KIP-631, topic identifiers).

A running broker applies the metadata at once, so its disk has what its image assigns to it. A
process that ends leaves an inventory of that. The next process compares it with the latest
metadata at the start of RECOVERY: replicas of topics that were deleted meanwhile are deleted, and
replicas that the metadata assigns to other brokers are *stray*. Released Kafka renames both to
`...-stray` and keeps the files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.core.value import slotted, value

if TYPE_CHECKING:  # the logs are imported with the first message
    from .log.log import Log

NAMED_MAX = 10  # replicas in a row of the journal or a line of the log


@value
class StoredReplica:
    """A replica on disk: its topic's name, its partition, its directory (None: not assigned)."""

    topic: str
    partition: int
    directory: Uuid | None

    @property
    def name(self) -> str:
        """Name of the partition, as Kafka names its folder."""
        return f"{self.topic}-{self.partition}"


@value
class Found:
    """What a broker finds on its disk at RECOVERY, in order of topic and partition."""

    deleted: tuple[StoredReplica, ...] = ()
    stray: tuple[StoredReplica, ...] = ()

    def rows(self) -> Iterator[tuple[str, list[object], int]]:
        """Yields what happened, the names of at most NAMED_MAX replicas, and their number."""
        for kind, replicas in (("replicas_deleted", self.deleted), ("replicas_stray", self.stray)):
            if replicas:
                yield kind, [replica.name for replica in replicas[:NAMED_MAX]], len(replicas)


@slotted()
class Move:
    """A replica that moves from the directory `source` to `target`, where its future replica is.

    `future` is the log of the future replica, None until something is copied. `is_copied` is true
    once it has had everything: the broker then asks the controller for the directory (B7.51).
    """

    source: Uuid
    target: Uuid
    future: "Log | None" = None
    is_copied: bool = False


@value
class FutureReplica:
    """A future replica as DescribeLogDirs shows it; it lacks `offset_lag` offsets (B7.41)."""

    replica: StoredReplica
    size_bytes: int
    offset_lag: int


@slotted()
class ReplicaStore:
    """The inventory that the last process left; strays stay until their topic is deleted.

    `logs` has the log of each replica that has had a message. `failed` has the ids of the log
    directories that cannot be read or written, `full` those in which the next write fails. `moves`
    has the replicas that move to another directory (KIP-113).
    """

    replicas: Mapping[PartitionKey, StoredReplica] = field(default_factory=dict)
    logs: dict[PartitionKey, "Log"] = field(default_factory=dict)
    failed: set[Uuid] = field(default_factory=set)
    full: set[Uuid] = field(default_factory=set)
    moves: dict[PartitionKey, Move] = field(default_factory=dict)
    is_compared: bool = True
    """True if the process that runs has compared the inventory with the metadata."""

    def begin(self, *, is_clean: bool) -> None:
        """Note that a new process starts over this disk; after an unclean end it recovers logs."""
        self.is_compared = False
        if self.logs and not is_clean:
            from .log.recovery import recover

            for _, log in self.all_logs():
                recover(log)

    def lose_all(self) -> None:
        """Loses everything, as a new disk in the place of this one."""
        self.replicas = {}
        for what in (self.logs, self.failed, self.full, self.moves):
            what.clear()

    def flush(self) -> None:
        """Makes the logs durable."""
        for _, log in self.all_logs():
            log.flush()

    def end_process(self, checkpoint_ms: int) -> None:
        """Notes the end of a process that wrote the log starts at `checkpoint_ms` last."""
        for _, log in self.all_logs():
            log.end_process(checkpoint_ms)

    def end(self, image: Image, broker_id: int) -> None:
        """Take the inventory of a process that compared, and ends with the metadata `image`."""
        self.replicas = {**self._strays(image, broker_id), **dict(assigned(image, broker_id))}

    def compare(self, image: Image, broker_id: int) -> Found:
        """Returns what the metadata no longer has, and deletes the replicas of deleted topics."""
        ordered = sorted(self.replicas.items(), key=lambda item: (item[1].topic, item[0][1]))
        deleted = [(key, replica) for key, replica in ordered if key[0] not in image.topics]
        strays = self._strays(image, broker_id)
        self.replicas = strays
        self.is_compared = True
        self.forget_removed(image, broker_id)
        return Found(
            deleted=tuple(replica for _, replica in deleted),
            stray=tuple(replica for key, replica in ordered if key in strays),
        )

    def forget_removed(self, image: Image, broker_id: int) -> None:
        """Deletes the logs of partitions that the metadata no longer give to the broker (B8.48)."""
        if not self.is_compared:
            return
        for key in [key for key in self.logs if not _is_assigned(image, key, broker_id)]:
            del self.logs[key]

    def on_disk(self, image: Image, broker_id: int) -> list[StoredReplica]:
        """Returns the replicas that the broker serves, or, before it compared, those it finds."""
        if self.is_compared:
            return [
                replace(replica, directory=self.moves[key].source) if key in self.moves else replica
                for key, replica in assigned(image, broker_id)
            ]
        return list(self.replicas.values())

    def futures(self, image: Image) -> list[FutureReplica]:
        """Returns the future replicas of those that move."""
        return [
            self._future(key, image.topics[key[0]].name, move)
            for key, move in self.moves.items()
            if key[0] in image.topics
        ]

    def _future(self, key: PartitionKey, topic: str, move: Move) -> FutureReplica:
        current, future = self.logs.get(key), move.future
        end = 0 if current is None else current.end_offset
        return FutureReplica(
            replica=StoredReplica(topic=topic, partition=key[1], directory=move.target),
            size_bytes=0 if future is None else future.size,
            offset_lag=end if future is None else end - future.end_offset,
        )

    def all_logs(self) -> Iterator[tuple[PartitionKey, "Log"]]:
        """Yields the logs of the replicas, and of the future ones."""
        yield from self.logs.items()
        for key, move in self.moves.items():
            if move.future is not None:
                yield key, move.future

    def _strays(self, image: Image, broker_id: int) -> dict[PartitionKey, StoredReplica]:
        return {
            key: replica
            for key, replica in self.replicas.items()
            if key[0] in image.topics and not _is_assigned(image, key, broker_id)
        }


def assigned(image: Image, broker_id: int) -> Iterator[tuple[PartitionKey, StoredReplica]]:
    """Yields the replicas that the metadata assigns to the broker."""
    for key in image.index.hosted(broker_id):
        topic = image.topics[key[0]]
        directory = topic.partitions[key[1]].directory_of(broker_id)
        yield key, StoredReplica(topic=topic.name, partition=key[1], directory=directory)


def _is_assigned(image: Image, key: PartitionKey, broker_id: int) -> bool:
    topic = image.topics.get(key[0])
    partition = None if topic is None else topic.partitions.get(key[1])
    return partition is not None and broker_id in partition.replicas
