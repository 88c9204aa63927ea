"""Topics and their partitions: keys 19, 20 and 56."""

from ..uuid import ZERO_UUID, Uuid
from ..value import value


@value
class CreatableReplicaAssignment:
    partition_index: int
    broker_ids: tuple[int, ...]


@value
class CreatableTopicConfigEntry:
    name: str
    value: str | None


@value
class CreatableTopic:
    """-1 for partitions or replication factor means the controller's default (rule 4.56)."""

    name: str
    num_partitions: int = -1
    replication_factor: int = -1
    assignments: tuple[CreatableReplicaAssignment, ...] = ()
    configs: tuple[CreatableTopicConfigEntry, ...] = ()


@value
class CreateTopicsRequest:
    topics: tuple[CreatableTopic, ...]
    timeout_ms: int = 60000
    validate_only: bool = False


@value
class CreatableTopicConfig:
    name: str
    value: str | None
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False


@value
class CreatableTopicResult:
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
    throttle_time_ms: int = 0
    topics: tuple[CreatableTopicResult, ...] = ()


@value
class DeleteTopicState:
    name: str | None = None
    topic_id: Uuid = ZERO_UUID


@value
class DeleteTopicsRequest:
    """Versions 1-5 carry `topic_names`, version 6 `topics` (by name or by id)."""

    topics: tuple[DeleteTopicState, ...] = ()
    topic_names: tuple[str, ...] = ()
    timeout_ms: int = 60000


@value
class DeletableTopicResult:
    name: str | None
    topic_id: Uuid = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None


@value
class DeleteTopicsResponse:
    throttle_time_ms: int = 0
    responses: tuple[DeletableTopicResult, ...] = ()


@value
class AlterPartitionBrokerState:
    broker_id: int
    broker_epoch: int = -1


@value
class AlterPartitionData:
    """Version 2 carries `new_isr`, version 3 `new_isr_with_epochs`."""

    partition_index: int
    leader_epoch: int
    new_isr: tuple[int, ...] = ()
    new_isr_with_epochs: tuple[AlterPartitionBrokerState, ...] = ()
    leader_recovery_state: int = 0
    partition_epoch: int


@value
class AlterPartitionTopic:
    topic_id: Uuid
    partitions: tuple[AlterPartitionData, ...]


@value
class AlterPartitionRequest:
    broker_id: int
    broker_epoch: int = -1
    topics: tuple[AlterPartitionTopic, ...]


@value
class AlterPartitionResult:
    """On error the other fields stay 0 and empty (rule 4.34)."""

    partition_index: int
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    isr: tuple[int, ...] = ()
    leader_recovery_state: int = 0
    partition_epoch: int = 0


@value
class AlterPartitionTopicResult:
    topic_id: Uuid
    partitions: tuple[AlterPartitionResult, ...]


@value
class AlterPartitionResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    topics: tuple[AlterPartitionTopicResult, ...] = ()
