"""The rows of the table of operations that change topics."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .api.administration.checks import Config, check_grown_topic, check_new_topic, check_topic
from .api.administration.documents import DeletedTopic
from .api.documents import TopicDocument
from .operation import Operation

if TYPE_CHECKING:
    from .api.cluster import Cluster


async def create_topic(
    kraft: "Cluster",
    name: str,
    partitions: int = -1,
    replication_factor: int = -1,
    assignments: Sequence[Sequence[int]] = (),
    config: Mapping[str, Config] | None = None,
) -> TopicDocument:
    """Create a topic, with placed replicas or with given ones, and configurations."""
    await kraft.topics.create(name, partitions, replication_factor, assignments, config)
    return await kraft.topics.describe(name)


async def alter_topic(
    kraft: "Cluster", name: str, partitions: int, assignments: Sequence[Sequence[int]] = ()
) -> TopicDocument:
    """Add partitions to a topic, with placed replicas or with given ones."""
    await kraft.topics.alter(name, partitions, assignments)
    return await kraft.topics.describe(name)


async def delete_topic(kraft: "Cluster", name: str) -> DeletedTopic:
    """Delete a topic."""
    await kraft.topics.delete(name)
    return {"name": name}


TOPIC_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "POST",
        "/sim/topics/{name}/create",
        ("topic", "create"),
        create_topic,
        changes=True,
        check=check_new_topic,
    ),
    Operation(
        "POST",
        "/sim/topics/{name}/alter",
        ("topic", "alter"),
        alter_topic,
        changes=True,
        check=check_grown_topic,
    ),
    Operation(
        "POST",
        "/sim/topics/{name}/delete",
        ("topic", "delete"),
        delete_topic,
        changes=True,
        check=check_topic,
    ),
)
