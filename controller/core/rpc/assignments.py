"""What brokers request for themselves: producer ids (67) and directories of replicas (73)."""

from ..uuid import Uuid
from ..value import value


@value
class AllocateProducerIdsRequest:
    """AllocateProducerIds (67)."""

    broker_id: int
    broker_epoch: int = -1


@value
class AllocateProducerIdsResponse:
    """A block of producer ids: the first id, and the number of ids."""

    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id_start: int = 0
    producer_id_len: int = 0


@value
class AssignedPartition:
    """A partition whose replica is in the directory."""

    partition_index: int


@value
class AssignedTopic:
    """The partitions of one topic in the directory."""

    topic_id: Uuid
    partitions: tuple[AssignedPartition, ...]


@value
class AssignedDirectory:
    """A log directory of the broker, and the replicas that it stores."""

    id: Uuid
    topics: tuple[AssignedTopic, ...]


@value
class AssignReplicasToDirsRequest:
    """AssignReplicasToDirs (73, KIP-858)."""

    broker_id: int
    broker_epoch: int = -1
    directories: tuple[AssignedDirectory, ...]


@value
class AssignedPartitionResult:
    """The result for one partition."""

    partition_index: int
    error_code: int = 0


@value
class AssignedTopicResult:
    """The results for one topic."""

    topic_id: Uuid
    partitions: tuple[AssignedPartitionResult, ...]


@value
class AssignedDirectoryResult:
    """The results for one directory."""

    id: Uuid
    topics: tuple[AssignedTopicResult, ...]


@value
class AssignReplicasToDirsResponse:
    """The reply to an AssignReplicasToDirs request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    directories: tuple[AssignedDirectoryResult, ...] = ()
