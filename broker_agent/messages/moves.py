"""AlterReplicaLogDirs (34): a broker moves replicas between its log directories (KIP-113, B7.50).

The future replica copies the current one, and takes its place (`leading/moving.py`).
"""

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.rpc.stored_messages import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from kraftsim.controller.core.uuid import Uuid

from ..hosted_agent import HostedAgent
from ..leading.moving import current_directory, move

FOLDER_NAME_MAX = 255
FUTURE_SUFFIX_SIZE = len(".-future") + 32  # the folder of a future replica has a drawn id too


def alter_log_dirs(
    hosted: HostedAgent, request: AlterReplicaLogDirsRequest
) -> AlterReplicaLogDirsResponse:
    """Begins and ends moves; of the directories of one replica the last one counts, as in Kafka."""
    wanted = {
        (topic.name, index): directory.path
        for directory in request.dirs
        for topic in directory.topics
        for index in topic.partitions
    }
    topics: dict[str, list[AlterReplicaLogDirPartitionResult]] = {}
    for (name, index), path in wanted.items():
        topics.setdefault(name, []).append(
            AlterReplicaLogDirPartitionResult(
                partition_index=index, error_code=_move(hosted, name, index, path)
            )
        )
    return AlterReplicaLogDirsResponse(
        results=tuple(
            AlterReplicaLogDirTopicResult(topic_name=name, partitions=tuple(results))
            for name, results in topics.items()
        )
    )


def _move(hosted: HostedAgent, name: str, index: int, path: str) -> ErrorCode:
    """Moves one replica; returns the error in Kafka's order, or NONE."""
    try:
        if len(f"{name}-{index}") + FUTURE_SUFFIX_SIZE > FOLDER_NAME_MAX:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, "")
        target = _open_directory(hosted, path)
        key = _replica(hosted, name, index, target)
    except ApiError as error:
        return error.code
    move(hosted, key, target)
    return ErrorCode.NONE


def _open_directory(hosted: HostedAgent, path: str) -> Uuid:
    """Returns the id of a directory; raises ApiError if it takes no replicas."""
    agent = hosted.agent
    for directory in agent.config.log_dirs:
        if directory.path == path:
            break
    else:
        raise ApiError(ErrorCode.LOG_DIR_NOT_FOUND, "")
    if not _is_online(hosted, directory.directory_id):
        raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "")
    if directory.directory_id in agent.cordons.directories:
        raise ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, "")
    return directory.directory_id


def _replica(hosted: HostedAgent, name: str, index: int, target: Uuid) -> PartitionKey:
    """Returns a replica that can move; raises ApiError, and remembers the directory, if not."""
    agent, image = hosted.agent, hosted.agent.image
    topic = image.topics[image.topic_ids[name]] if name in image.topic_ids else None
    partition = None if topic is None else topic.partitions.get(index)
    if topic is None or partition is None or agent.config.broker_id not in partition.replicas:
        if agent.assignments is not None:
            agent.assignments.remember(name, index, target)
        is_known = partition is not None
        raise ApiError(
            ErrorCode.REPLICA_NOT_AVAILABLE if is_known else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "",
        )
    key = (topic.topic_id, index)
    current = current_directory(agent, key)
    if not _is_online(hosted, current):
        raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "")
    if current != target and not hosted.can_write(target):
        raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "")
    return key


def _is_online(hosted: HostedAgent, directory: Uuid) -> bool:
    return directory not in hosted.store.failed
