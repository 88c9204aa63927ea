"""The rows of the table of operations about topics."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..api.administration.checks import (
    Config,
    check_election,
    check_grown_topic,
    check_new_topic,
    check_topic,
    check_topic_read,
    check_topic_write,
)
from ..api.administration.documents import (
    DeletedTopic,
    TopicDocument,
    TopicList,
    TopicRecords,
    WrittenRecords,
)
from ..api.argument_checks import Check, check_topic_page
from .operation import Operation, Run

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def list_topics(kraft: "Cluster", from_: str = "", limit: int | None = None) -> TopicList:
    """List the topics with leader, replicas, in-sync replicas and log of every partition."""
    page = await kraft.topics.list(from_, limit)
    return {"topics": page, "next": page.next}


async def describe_topic(kraft: "Cluster", name: str) -> TopicDocument:
    """Describe a topic: leader, replicas, in-sync replicas and log of every partition."""
    return await kraft.topics.describe(name)


async def read_topic(
    kraft: "Cluster",
    name: str,
    partition: int | None = None,
    from_: int = 0,
    limit: int = 1000,
) -> TopicRecords:
    """Read the records that brokers store for a topic, of its partitions or of one."""
    return await kraft.topics.read(name, partition, from_, limit)


async def write_topic(
    kraft: "Cluster",
    name: str,
    lines: Sequence[str],
    partition: int | None = None,
    key_separator: str | None = None,
) -> WrittenRecords:
    """Write lines of text as records to a topic, to the partitions of their keys or to one."""
    return await kraft.topics.write(name, lines, partition, key_separator)


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


async def elect_leaders(
    kraft: "Cluster", name: str, partition: int | None = None, election: str = "preferred"
) -> TopicDocument:
    """Elect leaders of a topic: the preferred ones, or unclean ones where there is none."""
    await kraft.topics.elect_leaders(name, partition, election)
    return await kraft.topics.describe(name)


def _verb(verb: str, run: Run, check: Check) -> Operation:
    path = f"/sim/topics/{{name}}/{verb}"
    return Operation("POST", path, ("topic", verb), run, changes=True, check=check)


LIST_TOPICS = Operation("GET", "/v1/topics", ("topic", "list"), list_topics, check=check_topic_page)
WRITE_TOPIC = _verb("write", write_topic, check_topic_write)
DESCRIBE_TOPIC = Operation("GET", "/v1/topics/{name}", ("topic", "describe"), describe_topic)
TOPIC_OPERATIONS: tuple[Operation, ...] = (
    LIST_TOPICS,
    DESCRIBE_TOPIC,
    Operation(
        "GET", "/v1/topics/{name}/read", ("topic", "read"), read_topic, check=check_topic_read
    ),
    WRITE_TOPIC,
    _verb("create", create_topic, check_new_topic),
    _verb("alter", alter_topic, check_grown_topic),
    _verb("delete", delete_topic, check_topic),
    _verb("elect-leaders", elect_leaders, check_election),
)
