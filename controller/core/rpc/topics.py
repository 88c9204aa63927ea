"""Topics and partitions: CreateTopics (19), DeleteTopics (20), AlterPartition (56)."""

from dataclasses import field

from ..uuid import ZERO_UUID, Uuid
from ..value import value
from .requester import NOBODY, Requester


@value
class CreatableReplicaAssignment:
    """The replicas of one new partition."""

    partition_index: int
    broker_ids: tuple[int, ...]


@value
class CreatableTopicConfigEntry:
    """A configuration of a new topic."""

    name: str
    value: str | None


@value
class CreatableTopic:
    """A topic to create; -1 partitions or replicas mean the controller's default (rule 4.56)."""

    name: str
    num_partitions: int = -1
    replication_factor: int = -1
    assignments: tuple[CreatableReplicaAssignment, ...] = ()
    configs: tuple[CreatableTopicConfigEntry, ...] = ()


@value
class CreateTopicsRequest:
    """CreateTopics (19)."""

    topics: tuple[CreatableTopic, ...]
    timeout_ms: int = 60000
    validate_only: bool = False
    requester: Requester = field(default=NOBODY, compare=False)


@value
class CreatableTopicConfig:
    """A configuration of a created topic."""

    name: str
    value: str | None
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False


@value
class CreatableTopicResult:
    """The result for one topic."""

    name: str
    topic_id: Uuid = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None
    topic_config_error_code: int = 0
    num_partitions: int = -1
    replication_factor: int = -1
    configs: tuple[CreatableTopicConfig, ...] | None = ()


@value
class CreateTopicsResponse:
    """The reply to a CreateTopics request."""

    throttle_time_ms: int = 0
    topics: tuple[CreatableTopicResult, ...] = ()


@value
class DeleteTopicState:
    """A topic to delete, by name or by id."""

    name: str | None = None
    topic_id: Uuid = ZERO_UUID


@value
class DeleteTopicsRequest:
    """DeleteTopics (20); `topic_names` in versions 1-5, `topics` (by name or id) in version 6."""

    topics: tuple[DeleteTopicState, ...] = ()
    topic_names: tuple[str, ...] = ()
    timeout_ms: int = 60000
    requester: Requester = field(default=NOBODY, compare=False)


@value
class DeletableTopicResult:
    """The result for one topic."""

    name: str | None
    topic_id: Uuid = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None


@value
class DeleteTopicsResponse:
    """The reply to a DeleteTopics request."""

    throttle_time_ms: int = 0
    responses: tuple[DeletableTopicResult, ...] = ()


@value
class AlterPartitionBrokerState:
    """A member of the proposed ISR; epoch -1 means "do not check"."""

    broker_id: int
    broker_epoch: int = -1


@value
class AlterPartitionData:
    """The proposed ISR: `new_isr` in version 2, `new_isr_with_epochs` in version 3."""

    partition_index: int
    leader_epoch: int
    new_isr: tuple[int, ...] = ()
    new_isr_with_epochs: tuple[AlterPartitionBrokerState, ...] = ()
    leader_recovery_state: int = 0
    partition_epoch: int


@value
class AlterPartitionTopic:
    """A topic of an AlterPartition request."""

    topic_id: Uuid
    partitions: tuple[AlterPartitionData, ...]


@value
class AlterPartitionRequest:
    """AlterPartition (56)."""

    broker_id: int
    broker_epoch: int = -1
    topics: tuple[AlterPartitionTopic, ...]


@value
class AlterPartitionResult:
    """The partition after the change; on error the other fields are 0 or empty (rule 4.34)."""

    partition_index: int
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    isr: tuple[int, ...] = ()
    leader_recovery_state: int = 0
    partition_epoch: int = 0


@value
class AlterPartitionTopicResult:
    """A topic of an AlterPartition response."""

    topic_id: Uuid
    partitions: tuple[AlterPartitionResult, ...]


@value
class AlterPartitionResponse:
    """The reply to an AlterPartition request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    topics: tuple[AlterPartitionTopicResult, ...] = ()
