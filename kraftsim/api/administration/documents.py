"""The types of the JSON documents of an administrator's operations. Keys are in lowerCamel."""

from typing import TypedDict


class PartitionDocument(TypedDict):
    """A partition of a topic, and its leader's log; `leader` is -1 without a leader.

    The fields of the log are null if no simulated broker leads the partition. `logStartTimeMs` is
    the timestamp of the oldest record, null if the log has none; consumers read up to
    `highWatermark`. `replicaLags` are the records of the leader's log that each replica lacks, in
    the order of `replicas`; null of a broker of another process that has not fetched.
    `replicaLastFetchTimesMs` and `replicaLastCaughtUpTimesMs` are when each replica fetched last,
    and when it had the whole log last, in milliseconds since the epoch on the clock of the leader;
    null if the leader does not know.
    """

    partition: int
    leader: int
    leaderEpoch: int
    partitionEpoch: int
    replicas: list[int]
    isr: list[int]
    eligibleLeaderReplicas: list[int]
    lastKnownElr: list[int]
    logStartOffset: int | None
    highWatermark: int | None
    logEndOffset: int | None
    logSizeBytes: int | None
    logStartTimeMs: int | None
    replicaLags: list[int | None]
    replicaLastFetchTimesMs: list[int | None]
    replicaLastCaughtUpTimesMs: list[int | None]


class TopicDocument(TypedDict):
    """A topic and its partitions, in order of their indices."""

    name: str
    topicId: str
    partitions: list[PartitionDocument]


class TopicList(TypedDict):
    """Topics; the next page begins at the name `next`, which is None after the last topic."""

    topics: list[TopicDocument]
    next: str | None


class DeletedTopic(TypedDict):
    """A topic that was deleted."""

    name: str


class ReassignmentDocument(TypedDict):
    """A partition whose reassignment is in progress; `replicas` include both other lists."""

    topic: str
    partition: int
    replicas: list[int]
    addingReplicas: list[int]
    removingReplicas: list[int]


class ReassignmentList(TypedDict):
    """Reassignments in progress, by topic and partition."""

    reassignments: list[ReassignmentDocument]


class ConfigSynonym(TypedDict):
    """A value that is set under another name or at another level; the first is in force."""

    name: str
    value: str | None
    source: str


class ConfigDocument(TypedDict):
    """A configuration: its value, which is None if it is sensitive, and where that is set.

    `source` is Kafka's name, such as DYNAMIC_TOPIC_CONFIG or DEFAULT_CONFIG. A `readOnly`
    configuration of a broker changes only with a restart.
    """

    name: str
    value: str | None
    source: str
    type: str
    readOnly: bool
    sensitive: bool
    synonyms: list[ConfigSynonym]


class ConfigList(TypedDict):
    """Configurations of a resource, in order of their names."""

    configs: list[ConfigDocument]
    resource: str
    name: str


class RecordDocument(TypedDict):
    """A record that a broker stores; bytes of key and value that are not UTF-8 are replaced."""

    partition: int
    offset: int
    timestampMs: int
    key: str | None
    value: str | None


class TopicRecords(TypedDict):
    """Records of a topic, in order of partition and offset."""

    records: list[RecordDocument]


class WrittenPartition(TypedDict):
    """Records that were written to a partition, and the offset of the first."""

    partition: int
    baseOffset: int
    records: int


class WrittenRecords(TypedDict):
    """Where records were written, in order of partition."""

    written: list[WrittenPartition]


class EpochStart(TypedDict):
    """A leader epoch, and the first offset that it has."""

    epoch: int
    startOffset: int


class StoredProducer(TypedDict):
    """An idempotent producer that a log knows, and its last batch."""

    producerId: int
    producerEpoch: int
    lastSequence: int
    lastOffset: int
    offsetDelta: int
    lastTimestampMs: int


class LogPart(TypedDict):
    """A part of the log of a replica: stored batches in base64, and what describes the log.

    `segments` has the base offsets of the segments. `next` is the offset of the next part, null
    after the last.
    """

    topic: str
    topicId: str
    partition: int
    broker: int
    logStartOffset: int
    highWatermark: int
    logEndOffset: int
    leaderEpochs: list[EpochStart]
    segments: list[int]
    producers: list[StoredProducer]
    batches: str
    next: int | None
