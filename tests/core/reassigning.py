"""Reassigns a partition of a controller under test."""

from typing import Any

from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from tests.builders import ControllerUnderTest


def reassign(
    cluster: ControllerUnderTest,
    replicas: tuple[int, ...] | None,
    name: str = "t",
    index: int = 0,
    **fields: Any,
) -> tuple[int, str | None]:
    """Returns code and message for the partition; `replicas` None cancels."""
    partition = ReassignablePartition(partition_index=index, replicas=replicas)
    topic = ReassignableTopic(name=name, partitions=(partition,))
    request = AlterPartitionReassignmentsRequest(topics=(topic,), **fields)
    ((result,),) = (answered.partitions for answered in cluster.ask(request).responses)
    return result.error_code, result.error_message
