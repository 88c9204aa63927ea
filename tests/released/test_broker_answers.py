"""A released broker and a simulated broker give the same replies to unusual requests.

`make differential` asks controllers; these APIs are answered by brokers.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from kraftsim.controller.core.rpc import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
    MetadataRequest,
    MetadataRequestTopic,
    Request,
)
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    ListConfigResourcesRequest,
)
from kraftsim.controller.core.rpc.descriptions import (
    DescribeLogDirsRequest,
    DescribeTopicPartitionsRequest,
    LogDirTopic,
    TopicCursor,
    TopicRequest,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import to_json
from tests.interop.running import kraftsim_up
from tests.released.controller import (
    NODE_ID,
    Connection,
    await_listener,
    free_port,
    released_controller,
)
from tests.released.releases import RELEASES

pytestmark = pytest.mark.released
METADATA, CREATE_TOPICS, LOG_DIRS, ALTER_CONFIGS = 3, 19, 35, 44
LIST_RESOURCES, TOPIC_PARTITIONS = 74, 75
SIZES = {"orders": 3, "payments": 2}
STRANGE = ("", "a b", "é", "..", "x" * 250)
OF_ONE_CLUSTER = (
    *("nodeId", "host", "port", "clusterId", "controllerId", "leaderId", "leaderEpoch"),
    *("replicaNodes", "isrNodes", "logDir", "totalBytes", "usableBytes"),
)
ATTEMPTS = 200


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    folder, port = tmp_path_factory.mktemp("answers") / "kafka", free_port()
    with released_controller(
        RELEASES["4.3.1"], folder, cluster_id="answersOfKafka431AAAAA", client_port=port
    ) as controller:
        await_listener(controller.process, port)
        with closing(Connection(port)) as broker:
            create_topics(broker, NODE_ID)
            yield broker


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    folder = tmp_path_factory.mktemp("ours")
    with kraftsim_up(folder, "--profile", "kafka-4.3", brokers=1) as kraft:
        _, _, port = kraft.facade_of(1).rpartition(":")
        with closing(Connection(int(port))) as broker:
            create_topics(broker, 1)
            yield broker


def create_topics(broker: Connection, broker_id: int) -> None:
    """Creates the topics of SIZES, and waits until the broker describes them."""
    topics = tuple(
        CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=tuple(
                CreatableReplicaAssignment(partition_index=index, broker_ids=(broker_id,))
                for index in range(size)
            ),
        )
        for name, size in SIZES.items()
    )
    broker.ask(CREATE_TOPICS, 7, CreateTopicsRequest(topics=topics))
    wanted = tuple(TopicRequest(name=name) for name in SIZES)
    for _ in range(ATTEMPTS):
        found: Any = broker.ask(TOPIC_PARTITIONS, 0, DescribeTopicPartitionsRequest(topics=wanted))
        if all(topic.error_code == 0 for topic in found.topics):
            return
    raise RuntimeError(f"expected {', '.join(SIZES)}, got {found}")


def reply_of(broker: Connection, key: int, version: int, request: Request) -> Any:
    """Returns the reply as sorted JSON, without the values in which two clusters differ."""
    return shared(to_json(APIS[key].response, broker.ask(key, version, request), version))


def shared(part: Any) -> Any:
    if isinstance(part, list):
        return sorted(map(shared, part), key=repr)
    if not isinstance(part, dict):
        return part
    return {
        name: "..." if name in OF_ONE_CLUSTER and value is not None else shared(value)
        for name, value in part.items()
        if not (name == "topicId" or str(part.get("resourceName")).isdigit())
    }


def named(*names: str | None, topic_id: bytes = ZERO_UUID) -> tuple[MetadataRequestTopic, ...]:
    return tuple(MetadataRequestTopic(name=name, topic_id=topic_id) for name in names)


@pytest.mark.rule("5.44a", "5.44b")
@pytest.mark.parametrize("version", [4, 9, 12, 13])
@pytest.mark.parametrize(
    "names", [(name,) for name in STRANGE] + [("orders", "a b", "none"), ("orders", "orders")]
)
def test_names_in_metadata(
    kafka: Connection, ours: Connection, version: int, names: tuple[str, ...]
) -> None:
    request = MetadataRequest(topics=named(*names))

    assert reply_of(ours, METADATA, version, request) == reply_of(kafka, METADATA, version, request)


@pytest.mark.rule("5.44", "5.44a")
@pytest.mark.parametrize("version", [10, 11, 12, 13])
@pytest.mark.parametrize(
    "topics",
    [
        named(None),
        named(None, "orders"),
        named(None, topic_id=b"x" * 16),
        named("orders", topic_id=b"x" * 16),
        named("orders") + named(None, topic_id=b"x" * 16),
        named(None) + named(None, topic_id=b"x" * 16) * 2,
        named("orders", None, topic_id=b"x" * 16),
    ],
)
def test_ids_in_metadata(
    kafka: Connection,
    ours: Connection,
    version: int,
    topics: tuple[MetadataRequestTopic, ...],
) -> None:
    request = MetadataRequest(topics=topics)

    assert reply_of(ours, METADATA, version, request) == reply_of(kafka, METADATA, version, request)


@pytest.mark.rule("5.44b", "5.44c")
@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 2000])
@pytest.mark.parametrize(
    ("names", "cursor"),
    [
        ((), None),
        ((), ("", 0)),
        ((), ("p", 0)),
        ((), ("orders", 3)),
        ((), ("z", 0)),
        (("orders",), ("orders", -1)),
        (("orders",), ("payments", 0)),
        (("orders", "payments"), ("orders", 1)),
        (("none", "orders"), ("none", 5)),
        (("none", "none", "a b", "orders"), None),
        (("", "orders"), None),
    ],
)
def test_pages_of_partitions(
    kafka: Connection,
    ours: Connection,
    limit: int,
    names: tuple[str, ...],
    cursor: tuple[str, int] | None,
) -> None:
    at = None if cursor is None else TopicCursor(topic_name=cursor[0], partition_index=cursor[1])
    topics = tuple(TopicRequest(name=name) for name in names)
    request = DescribeTopicPartitionsRequest(
        topics=topics, response_partition_limit=limit, cursor=at
    )
    own = reply_of(ours, TOPIC_PARTITIONS, 0, request)

    assert own == reply_of(kafka, TOPIC_PARTITIONS, 0, request)


@pytest.mark.parametrize("types", [(), (2,), (4,), (8,), (16,), (32,), (0,), (99,), (-1,), (2, 2)])
def test_lists_of_resources(kafka: Connection, ours: Connection, types: tuple[int, ...]) -> None:
    request = ListConfigResourcesRequest(resource_types=types)
    own = reply_of(ours, LIST_RESOURCES, 1, request)

    assert own == reply_of(kafka, LIST_RESOURCES, 1, request)


@pytest.mark.parametrize("version", [1, 4])
@pytest.mark.parametrize("name", ["orders", "none", ""])
def test_log_directories(kafka: Connection, ours: Connection, version: int, name: str) -> None:
    topic = LogDirTopic(topic=name, partitions=(0, 0, 99, -1))
    request = DescribeLogDirsRequest(topics=(topic,))

    assert reply_of(ours, LOG_DIRS, version, request) == reply_of(kafka, LOG_DIRS, version, request)


@pytest.mark.rule("4.66")
@pytest.mark.parametrize(
    ("key", "operation", "text"),
    [
        ("log.retention.ms", 0, "0"),
        ("log.retention.ms", 0, "-1"),
        ("log.roll.ms", 0, "0"),
        ("log.cleaner.dedupe.buffer.size", 0, "1048576"),
        ("log.cleaner.threads", 0, "0"),
        ("max.connections.per.ip", 0, "0"),
        ("log.cleanup.policy", 2, ""),
        ("log.cleanup.policy", 2, "compact"),
        ("log.cleanup.policy", 3, "delete"),
        ("log.cleanup.policy", 4, "x"),
        ("no.such", -1, "x"),
        ("no.such", 0, "x"),
        ("node.id", 127, None),
    ],
)
def test_changes_of_all_brokers(
    kafka: Connection, ours: Connection, key: str, operation: int, text: str | None
) -> None:
    change = AlterableConfig(name=key, config_operation=operation, value=text)
    resource = IncrementalAlterConfigsResource(resource_type=4, resource_name="", configs=(change,))
    request = IncrementalAlterConfigsRequest(resources=(resource,), validate_only=True)
    own = reply_of(ours, ALTER_CONFIGS, 1, request)

    assert own == reply_of(kafka, ALTER_CONFIGS, 1, request)
