"""A released broker and a simulated broker give the same replies to unusual requests.

`make differential` asks controllers, and with `--listener broker` about messages.
"""

from collections.abc import Iterator
from contextlib import closing
from time import sleep
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
from kraftsim.controller.core.rpc.telemetry import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
    PushTelemetryRequest,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID, uuid_text
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import to_json
from tests.differential.listener.pair import (
    BROKER_ID,
)
from tests.released.controller import (
    Connection,
)

pytestmark = pytest.mark.released
METADATA, CREATE_TOPICS, LOG_DIRS, ALTER_CONFIGS = 3, 19, 35, 44
SUBSCRIPTIONS, PUSH, LIST_RESOURCES, TOPIC_PARTITIONS = 71, 72, 74, 75
SIZES = {"orders": 3, "payments": 2}
STRANGE = ("", "a b", "é", "..", "x" * 250)
OF_ONE_CLUSTER = (
    *("nodeId", "host", "port", "clusterId", "controllerId", "leaderId", "leaderEpoch"),
    *("replicaNodes", "isrNodes", "logDir", "totalBytes", "usableBytes"),
)
ATTEMPTS = 200
WAITING = 99


@pytest.fixture(scope="module")
def kafka(kafka_port: int) -> Iterator[Connection]:
    with closing(Connection(kafka_port)) as broker:
        create_topics(broker)
        yield broker


@pytest.fixture(scope="module")
def ours(our_port: int) -> Iterator[Connection]:
    with closing(Connection(our_port)) as broker:
        create_topics(broker)
        yield broker


def create_topics(broker: Connection) -> None:
    """Creates the topics of SIZES, and waits until the broker describes them."""
    topics = tuple(
        CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=tuple(
                CreatableReplicaAssignment(partition_index=index, broker_ids=(BROKER_ID,))
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
    request = MetadataRequest(topics=named(*names), allow_auto_topic_creation=False)

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
    request = MetadataRequest(topics=topics, allow_auto_topic_creation=False)

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


def instance(of: int) -> bytes:
    return bytes([of]) * 16


def ask_for(of: int) -> tuple[int, Request]:
    return SUBSCRIPTIONS, GetTelemetrySubscriptionsRequest(client_instance_id=instance(of))


def push(of: int, wrong_by: int = 0, **fields: Any) -> tuple[int, Request]:
    """Returns a push with the subscription id of a client without subscriptions, or another."""
    subscription_id = 0xD4C75BDE - (1 << 32) + wrong_by
    fields = {"client_instance_id": instance(of), "subscription_id": subscription_id} | fields
    return PUSH, PushTelemetryRequest(**fields)


@pytest.mark.parametrize(
    "requests",
    [
        (ask_for(1), ask_for(1)),
        (ask_for(2), push(2), push(2), ask_for(2)),
        (ask_for(3), push(3, 1), push(3), ask_for(3), ask_for(3)),
        (push(4, 1), ask_for(4), ask_for(4), push(4)),
        (push(5), push(5, terminating=True), push(5, terminating=True), push(5), push(5)),
        (push(6, 1, terminating=True), push(6), push(6), ask_for(6)),
        *((push(10 + of, compression_type=of), ask_for(10 + of)) for of in range(6)),
        (push(7, compression_type=-1), ask_for(7), push(7)),
        (push(8, metrics=b"x"), push(9, metrics=bytes(1024 * 1024 + 1)), ask_for(9)),
        (push(1, client_instance_id=ZERO_UUID), push(1, client_instance_id=METADATA_TOPIC_ID)),
    ],
)
def test_telemetry(
    kafka: Connection, ours: Connection, requests: tuple[tuple[int, Request], ...]
) -> None:
    for key, request in requests:
        assert reply_of(ours, key, 0, request) == reply_of(kafka, key, 0, request)


def test_a_client_of_telemetry_without_an_id_gets_one(kafka: Connection, ours: Connection) -> None:
    request = GetTelemetrySubscriptionsRequest(client_instance_id=ZERO_UUID)
    replies = [broker.ask(SUBSCRIPTIONS, 0, request) for broker in (kafka, ours)]

    for reply in replies:
        assert isinstance(reply, GetTelemetrySubscriptionsResponse)
        assert reply.client_instance_id != ZERO_UUID
        assert reply.client_instance_id[6] >> 4 == 4


@pytest.mark.parametrize(
    ("of", "configs"),
    [
        (40, {"metrics": "org.b,org.a, org.c", "interval.ms": "2000"}),
        (41, {"metrics": "*,a", "interval.ms": "3600000"}),
        (42, {"metrics": ",".join(f"metric.number.{of}" for of in range(40))}),
        (43, {"interval.ms": "1000", "match": "client_source_address=127.0.0.1"}),
        (44, {"metrics": "a", "match": "client_software_name=unknown,client_id=jud.."}),
        (45, {"metrics": "a", "match": "client_id=none"}),
        (46, {"metrics": "a", "match": f"client_instance_id={uuid_text(instance(46))}"}),
        (47, {"metrics": "a", "match": "client_source_port=[0-9]+"}),
    ],
)
def test_telemetry_of_a_subscription(
    kafka: Connection, ours: Connection, of: int, configs: dict[str, str]
) -> None:
    key, request = ask_for(of)
    replies = []
    for broker in (kafka, ours):
        subscribe(broker, configs)
        replies.append(reply_of(broker, key, 0, request))
        subscribe(broker, {})
        replies.append(reply_of(broker, key, 0, request))

    assert replies[:2] == replies[2:]
    assert replies[0]["errorCode"] == 0


def subscribe(broker: Connection, configs: dict[str, str]) -> None:
    """Configures the subscription, or deletes it, and waits until the broker knows.

    A client that asks again at once is throttled until the subscriptions have changed.
    """
    key, request = ask_for(WAITING)
    broker.ask(key, 0, request)
    resource = IncrementalAlterConfigsResource(
        resource_type=16,
        resource_name="tested",
        configs=tuple(
            AlterableConfig(
                name=name, config_operation=name not in configs, value=configs.get(name)
            )
            for name in ("metrics", "interval.ms", "match")
        ),
    )
    broker.ask(ALTER_CONFIGS, 1, IncrementalAlterConfigsRequest(resources=(resource,)))
    for _ in range(ATTEMPTS):
        reply: Any = broker.ask(key, 0, request)
        if not reply.error_code:
            return
        sleep(0.01)
    raise RuntimeError(f"expected a changed subscription, got {reply}")


@pytest.mark.rule("7.1")
@pytest.mark.parametrize(
    "configs",
    [
        {"match": ""},
        {"match": ","},
        {"match": ",client_id=x"},
        {"match": "client_id="},
        {"match": "client_id=a="},
        {"match": "client_id=a=b"},
        {"metrics": "a,,b"},
        {"metrics": "a,a"},
        {"match": "bad=", "metrics": ","},
        {"match": ",", "interval.ms": "1"},
    ],
)
def test_changes_of_client_metrics(
    kafka: Connection, ours: Connection, configs: dict[str, str]
) -> None:
    changes = tuple(
        AlterableConfig(name=name, config_operation=0, value=text) for name, text in configs.items()
    )
    resource = IncrementalAlterConfigsResource(
        resource_type=16, resource_name="refused", configs=changes
    )
    request = IncrementalAlterConfigsRequest(resources=(resource,), validate_only=True)
    own = reply_of(ours, ALTER_CONFIGS, 1, request)

    assert own == reply_of(kafka, ALTER_CONFIGS, 1, request)
