"""What clients wrote to partitions and read from them: the observer of properties of messages.

It reads batches by itself, and takes nothing from the logs of brokers. A producer is idempotent: a
batch is known by the producer's id, epoch and sequence. A batch without a producer's id, which the
code of own nodes may produce, is known by nothing.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import Any, ClassVar, NamedTuple

from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.rpc import FetchRequest, FetchResponse
from kraftsim.controller.core.rpc.stored_messages import ProduceRequest, ProduceResponse
from kraftsim.simulation.message import Exchange
from kraftsim.simulation.world import World

from .begun_verbs import BegunVerbs
from .breach_words import differing
from .committed import OfTheCommittedLog
from .log_configs import number, values_of
from .property import Kinds
from .shadow import Fact, Key

REPEATS = "offsets-never-repeat"
CHANGES = "messages-are-as-produced"
DUPLICATES = "no-duplicates"
DELETIONS = "retention-keeps"
LOSSES = "acknowledged-messages-stay"

HEADER = Struct(">qiibIhiqqqhii")
OVERHEAD_BYTES = 12  # of a batch, before what its length counts
CODEC, STAMPED = 0x07, 0x08  # in the attributes of a batch
CORRUPT = "log.corrupt"
LOSING = frozenset(
    {CORRUPT, "log.lose_tail", "proc.amnesia", "proc.clone", "disk.fail_directory", "disk.full"}
)
"""Verbs that lose messages of brokers, or give a replica another log."""
WEEK_MS = 604_800_000  # retention.ms of Kafka
ALL = -1  # acks
NO_PRODUCER = -1  # the id of a producer that is not idempotent
DELETE, PRODUCER, CREATE_TIME = "delete", "producer", "CreateTime"


class Batch(NamedTuple):
    """The fields of a batch's header."""

    base_offset: int
    length: int
    leader_epoch: int
    magic: int
    checksum: int
    attributes: int
    last_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    sequence: int
    records: int

    @property
    def end_offset(self) -> int:
        """The offset behind the last record."""
        return self.base_offset + self.last_delta + 1

    @property
    def identity(self) -> tuple[int, int, int]:
        """What a producer gives to one batch only."""
        return self.producer_id, self.producer_epoch, self.sequence


Identity = tuple[int, int, int]
OF_BROKERS = {"base_offset": 0, "leader_epoch": 0, "checksum": 0}  # what a broker may change


@dataclass(slots=True)
class Partition:
    """What is known of a partition.

    `sent` has the bytes of each batch, `places` the offset of a batch that the ISR acknowledged,
    `owners` the batch at such an offset, or at one that a consumer has read, `served` the bytes at
    a leader epoch and an offset. `end` is behind the last record of `owners`; the last one that was
    acknowledged is of the leader epoch `epoch`. `read` are the batches of the reading
    that goes on at `position`. `retention` has retention.ms and retention.bytes of the last look.
    `is_declared`: an unclean election may have lost records.
    """

    topic: str
    number: int
    sent: dict[Identity, bytes] = field(default_factory=dict)
    places: dict[Identity, int] = field(default_factory=dict)
    owners: dict[int, Identity] = field(default_factory=dict)
    served: dict[tuple[int, int], bytes] = field(default_factory=dict)
    read: dict[Identity, int] = field(default_factory=dict)
    start: int = 0
    end: int = 0
    epoch: int = -1
    position: int = -1
    retention: tuple[int, int] | None = None
    is_declared: bool = False

    def overlapping(self, start: int, end: int) -> Iterator[Identity]:
        """Yields the batches that are known to have an offset from `start` on and below `end`.

        Replies to several producers that wait for the ISR may come in any order.
        """
        if start < self.end:
            for offset, owner in self.owners.items():
                sent = self.sent.get(owner)
                records = 1 if sent is None else fields_of(sent).records
                if offset < end and start < offset + records:
                    yield owner


class WrittenMessages(OfTheCommittedLog):
    """Keeps what clients and brokers exchanged.

    `broken` has the first text of each broken property, by its name; `checked` counts what was
    compared.
    """

    number = "-"
    name = "stored-messages"
    claim = ""
    kinds: ClassVar[Kinds] = ()

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.broken: dict[str, str] = {}
        self.checked: Counter[str] = Counter()
        self._partitions: dict[Key, Partition] = {}
        self._verbs = BegunVerbs(world)

    def partition_settled(self, key: Key, before: Fact | None, after: Fact) -> None:
        if after["leader_recovery_state"] == r.RECOVERING and key in self._partitions:
            self._partitions[key].is_declared = True

    def asked(self, exchange: Exchange) -> None:
        """Notes what a producer sends: it may be read before the reply comes, if ever."""
        request = exchange.request
        for topic in request.topic_data if isinstance(request, ProduceRequest) else ():
            for data in topic.partition_data:
                key = ("Partition", topic.topic_id, data.index)
                partition = self._partitions.setdefault(key, Partition(topic.name, data.index))
                batch = fields_of(data.records or b"")
                if batch.producer_id == NO_PRODUCER:
                    continue
                partition.sent.setdefault(batch.identity, data.records or b"")

    def exchanged(self, exchange: Exchange) -> None:
        if isinstance(exchange.request, ProduceRequest):
            self._produced(exchange.request, exchange.response)
        elif isinstance(exchange.request, FetchRequest):
            self._fetched(exchange.request, exchange.response)

    # Produce

    def _produced(self, request: ProduceRequest, response: Any) -> None:
        assert isinstance(response, ProduceResponse)
        for topic, answers in zip(request.topic_data, response.responses, strict=True):
            pairs = zip(topic.partition_data, answers.partition_responses, strict=True)
            for data, answer in pairs:
                batch = fields_of(data.records or b"")
                key = ("Partition", topic.topic_id, data.index)
                partition = self._partitions.setdefault(key, Partition(topic.name, data.index))
                is_known = batch.producer_id != NO_PRODUCER
                if is_known and not answer.error_code and request.acks == ALL:
                    self._acknowledged(key, partition, batch, answer.base_offset)

    def _acknowledged(self, key: Key, partition: Partition, batch: Batch, offset: int) -> None:
        fact = self.shadow.facts.get(key)
        if fact is None:
            return  # the topic was deleted meanwhile
        epoch = fact["leader_epoch"]
        first = partition.places.get(batch.identity)
        if first is not None:
            self.checked[DUPLICATES] += 1
            if first == offset:
                return
            if not self._may_lose(partition):
                self._break(
                    partition,
                    DUPLICATES,
                    f"{_words(batch.identity)}: expected offset {first}, got {offset}",
                )
        self.checked[REPEATS] += 1
        end = offset + batch.records
        taken = [other for other in partition.overlapping(offset, end) if other != batch.identity]
        if taken and not self._may_lose(partition):
            is_repeated = taken[0] in partition.places and partition.epoch == epoch
            name = REPEATS if is_repeated else LOSSES
            self._break(
                partition,
                name,
                f"offset {offset}: expected {_words(taken[0])}, got {_words(batch.identity)}",
            )
        if taken:
            self._forget_from(partition, offset)
        partition.places[batch.identity] = offset
        partition.owners[offset] = batch.identity
        partition.end, partition.epoch = max(partition.end, end), epoch

    def _forget_from(self, partition: Partition, offset: int) -> None:
        """Forgets the batches from an offset on, which was given to another batch."""
        partition.end = offset
        for other in [other for other in partition.owners if other >= offset]:
            partition.places.pop(partition.owners.pop(other), None)

    # Fetch

    def _fetched(self, request: FetchRequest, response: Any) -> None:
        assert isinstance(response, FetchResponse)
        for topic, answers in zip(request.topics, response.responses, strict=True):
            for asked, answer in zip(topic.partitions, answers.partitions, strict=True):
                key = ("Partition", topic.topic_id, asked.partition)
                known = Partition(topic.topic, asked.partition)
                partition = self._partitions.setdefault(key, known)
                if answer.error_code:
                    continue
                records = b"".join(batch.encoded[0] for batch in answer.records or ())
                self._began(partition, answer.log_start_offset)
                if partition.position != asked.fetch_offset:
                    partition.read.clear()
                    partition.position = asked.fetch_offset
                for batch in split(records):
                    self._read(partition, batch)

    def _read(self, partition: Partition, data: bytes) -> None:
        batch, position = fields_of(data), partition.position
        partition.position = batch.end_offset
        offset = batch.base_offset
        if batch.producer_id == NO_PRODUCER:
            return
        if offset > position and not self._may_lose(partition) and not self._compacts(partition):
            self._break(partition, LOSSES, f"expected a batch with offset {position}, got {offset}")
        self.checked[REPEATS] += 1
        served = partition.served.setdefault((batch.leader_epoch, offset), data)
        is_damaged = served != data or self._changed(partition, data, batch)
        if is_damaged and self._has_begun(CORRUPT):
            return
        if served != data:
            self._break(
                partition,
                REPEATS,
                f"offset {offset} of leader epoch {batch.leader_epoch}: another batch",
            )
        self.checked[CHANGES] += 1
        if is_damaged:
            sent = partition.sent.get(batch.identity)
            self._break(
                partition,
                CHANGES,
                f"offset {offset}: {_changes(sent, data)}, expected {_words(batch.identity)} as it "
                "was sent",
            )
        self._read_once(partition, batch)

    def _read_once(self, partition: Partition, batch: Batch) -> None:
        """Checks that a consumer reads a batch at one offset, and at an offset one batch."""
        offset = batch.base_offset
        self.checked[DUPLICATES] += 1
        if partition.read.setdefault(batch.identity, offset) != offset:
            first = partition.read[batch.identity]
            self._break(
                partition,
                DUPLICATES,
                f"{_words(batch.identity)}: expected offset {first} alone, got {offset}",
            )
        self.checked[LOSSES] += 1
        owner = partition.owners.setdefault(offset, batch.identity)
        partition.end = max(partition.end, batch.end_offset)
        if owner == batch.identity:
            return
        if not self._may_lose(partition):
            self._break(
                partition,
                LOSSES,
                f"offset {offset}: expected {_words(owner)}, got {_words(batch.identity)}",
            )
        partition.places.pop(owner, None)
        partition.owners[offset] = batch.identity

    def _changed(self, partition: Partition, data: bytes, batch: Batch) -> bool:
        """Returns True if a served batch differs in what no broker may write over."""
        sent = partition.sent.get(batch.identity)
        if sent is None:
            return True
        allowed = {"base_offset": batch.base_offset, "leader_epoch": batch.leader_epoch}
        codec = self._text(partition, "compression.type", PRODUCER)
        is_stamped = self._text(partition, "message.timestamp.type", CREATE_TIME) != CREATE_TIME
        is_stamped |= bool(batch.attributes & STAMPED)
        if codec != PRODUCER or is_stamped:
            allowed |= {"attributes": batch.attributes, "checksum": batch.checksum}
        if is_stamped:
            allowed["max_timestamp"] = batch.max_timestamp
        is_recompressed = codec != PRODUCER and bool(batch.attributes & CODEC)
        if is_recompressed:
            allowed["length"] = batch.length
        is_same = is_recompressed or data[HEADER.size :] == sent[HEADER.size :]
        return batch != fields_of(sent)._replace(**allowed) or not is_same

    # Retention

    def _began(self, partition: Partition, start: int) -> None:
        """Judges what is before a new log start: retention must have had a reason to delete it."""
        before, partition.retention = partition.retention, self._retention(partition)
        if start <= partition.start:
            return
        now_ms = self.world.timeline.wall_ms
        bounds = [before or partition.retention, partition.retention]
        age_ms = min((age for age, _ in bounds if age >= 0), default=-1)
        size = min((size for _, size in bounds if size >= 0), default=-1)
        left = sum(
            len(partition.sent.get(owner, b""))
            for at, owner in partition.owners.items()
            if at >= start
        )
        is_sure = not self._compacts(partition) and not self._has_moved_clocks()
        for offset, owner in sorted(partition.owners.items()):
            if not partition.start <= offset < start:
                continue
            self.checked[DELETIONS] += 1
            sent = partition.sent.get(owner)
            is_old = sent is None or 0 <= age_ms < now_ms - fields_of(sent).max_timestamp
            if is_sure and not is_old and not 0 <= size <= left:
                self._break(partition, DELETIONS, f"offset {offset}: retention must keep it")
        partition.start = start

    def _retention(self, partition: Partition) -> tuple[int, int]:
        """Returns retention.ms and retention.bytes of the topic."""
        age = number(self._text(partition, "retention.ms", str(WEEK_MS)), WEEK_MS)
        return age, number(self._text(partition, "retention.bytes", "-1"), -1)

    def _compacts(self, partition: Partition) -> bool:
        return self._text(partition, "cleanup.policy", DELETE) != DELETE

    def _text(self, partition: Partition, name: str, default: str) -> str:
        return next(iter(values_of(self.shadow, partition.topic, name, ())), default)

    # What excuses a difference

    def _may_lose(self, partition: Partition) -> bool:
        return partition.is_declared or any(map(self._has_begun, LOSING))

    def _has_moved_clocks(self) -> bool:
        return any(verb.startswith("clock.") for verb in self._verbs.now())

    def _has_begun(self, verb: str) -> bool:
        return verb in self._verbs.now()

    def _break(self, partition: Partition, name: str, text: str) -> None:
        self.broken.setdefault(name, f"{partition.topic}-{partition.number}: {text}")


def _words(identity: Identity) -> str:
    producer_id, epoch, sequence = identity
    return f"the batch {sequence} of producer {producer_id} (epoch {epoch})"


def _changes(sent: bytes | None, served: bytes) -> str:
    """Returns in what a batch that a consumer got differs from the one that was sent."""
    if sent is None:
        return "a batch that nobody sent"
    headers = [fields_of(of)._replace(**OF_BROKERS)._asdict() for of in (sent, served)]
    before, after = differing(*headers)
    return f"{after}, and {before} when it was sent" if before else "other records"


def fields_of(batch: bytes) -> Batch:
    """Returns the header of a batch."""
    return Batch._make(HEADER.unpack_from(batch))


def split(records: bytes) -> Iterator[bytes]:
    """Yields the batches of a response; the last one is left out if it is torn."""
    while len(records) >= HEADER.size:
        size = int.from_bytes(records[8:OVERHEAD_BYTES]) + OVERHEAD_BYTES
        if size > len(records):
            return
        yield records[:size]
        records = records[size:]
