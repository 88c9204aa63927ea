"""Every method of confluent-kafka's AdminClient once, then its producers and consumers."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import confluent_kafka
from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    ElectionType,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from tests.interop.foreign.python.calling import LIMIT_S, Scene, methods_of

CLIENTS_OWN = 0  # codes of librdkafka itself are negative
LEFT_OUT = ("poll", "set_sasl_credentials", "cluster_id", "list_consumer_groups")


def code(error: BaseException) -> int | None:
    """Returns the code of Kafka's error in an exception of librdkafka.

    A fatal error is raised as a KafkaError, or is the cause of a SystemError.
    """
    found = error.args[0] if isinstance(error, confluent_kafka.KafkaException) else error
    if isinstance(found, confluent_kafka.KafkaError):
        return int(found.code()) if found.code() > CLIENTS_OWN else None
    cause = getattr(found, "__cause__", None)
    return None if cause is None else code(cause)


def waited(result: Any) -> Any:
    """Waits for the futures of a result, of which some have errors in their values."""
    for future in result.values() if isinstance(result, Mapping) else [result]:
        value = future.result(LIMIT_S) if isinstance(future, Future) else future
        for inner in value.values() if isinstance(value, Mapping) else [value]:
            error = getattr(inner, "error", None)
            if isinstance(inner, confluent_kafka.KafkaError) or error is not None:
                raise confluent_kafka.KafkaException(error or inner)
        errors = getattr(value, "errors", None)
        if errors:
            raise errors[0]
    return result


def make_calls(scene: Scene) -> None:
    admin = AdminClient({"bootstrap.servers": scene.servers, "log_level": 0})
    for name, method, arguments in [*_topics(scene), *_security(scene), *_groups(scene)]:
        _call(scene, admin, name, method, arguments)
    _messages(scene)
    _call(scene, admin, "deleteTopics", "delete_topics", lambda: ([scene.topic],))
    scene.complete(methods_of(AdminClient), LEFT_OUT)


def print_nothing(error: confluent_kafka.KafkaError) -> None:
    """Takes errors of a client, which are also those of its messages."""


Row = tuple[str, str, Callable[[], tuple[Any, ...]]]


def _call(
    scene: Scene, admin: AdminClient, name: str, method: str, arguments: Callable[[], Any]
) -> None:
    scene.call(name, method, lambda: waited(getattr(admin, method)(*arguments())))


def _topics(scene: Scene) -> list[Row]:
    def resource(entry: ConfigEntry | None = None, **configs: str) -> ConfigResource:
        entries = [entry] if entry else None
        return ConfigResource(
            ConfigResource.Type.TOPIC,
            scene.topic,
            set_config=configs or None,
            incremental_configs=entries,
        )

    first = TopicPartition(scene.topic, 0)
    minute = ConfigEntry("retention.ms", "60000", incremental_operation=AlterConfigOpType.SET)
    return [
        ("describeCluster", "describe_cluster", tuple),
        ("createTopics", "create_topics", lambda: ([NewTopic(scene.topic, 2, 1)],)),
        ("listTopics", "list_topics", tuple),
        ("describeTopics", "describe_topics", lambda: (TopicCollection([scene.topic]),)),
        ("createPartitions", "create_partitions", lambda: ([NewPartitions(scene.topic, 3)],)),
        ("describeConfigs", "describe_configs", lambda: ([resource()],)),
        (
            "incrementalAlterConfigs",
            "incremental_alter_configs",
            lambda: ([resource(minute)],),
        ),
        ("alterConfigs", "alter_configs", lambda: ([resource(**{"retention.ms": "120000"})],)),
        ("electLeaders", "elect_leaders", lambda: (ElectionType.PREFERRED, [first])),
        ("listOffsets", "list_offsets", lambda: ({first: OffsetSpec.latest()},)),
        (
            "deleteRecords",
            "delete_records",
            lambda: ([TopicPartition(scene.topic, 0, 0)],),
        ),
    ]


def _security(scene: Scene) -> list[Row]:
    words = (
        ResourceType.TOPIC,
        scene.topic,
        ResourcePatternType.LITERAL,
        f"User:{scene.topic}",
        "*",
        AclOperation.READ,
        AclPermissionType.ALLOW,
    )
    scram = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    upsertion = UserScramCredentialUpsertion(scene.topic, scram, b"secret")
    return [
        ("createAcls", "create_acls", lambda: ([AclBinding(*words)],)),
        ("describeAcls", "describe_acls", lambda: (AclBindingFilter(*words),)),
        ("deleteAcls", "delete_acls", lambda: ([AclBindingFilter(*words)],)),
        ("alterUserScramCredentials", "alter_user_scram_credentials", lambda: ([upsertion],)),
        (
            "describeUserScramCredentials",
            "describe_user_scram_credentials",
            lambda: ([scene.topic],),
        ),
    ]


def _groups(scene: Scene) -> list[Row]:
    offsets = ConsumerGroupTopicPartitions(scene.group, [TopicPartition(scene.topic, 0, 0)])
    alone = ConsumerGroupTopicPartitions(scene.group)
    return [
        ("listGroups", "list_groups", tuple),
        ("listConsumerGroups", "list_consumer_groups", tuple),
        ("describeConsumerGroups", "describe_consumer_groups", lambda: ([scene.group],)),
        ("listConsumerGroupOffsets", "list_consumer_group_offsets", lambda: ([alone],)),
        ("alterConsumerGroupOffsets", "alter_consumer_group_offsets", lambda: ([offsets],)),
        ("deleteConsumerGroups", "delete_consumer_groups", lambda: ([scene.group],)),
    ]


def _messages(scene: Scene) -> None:
    servers = {"bootstrap.servers": scene.servers, "log_level": 0, "error_cb": print_nothing}

    def produced(**settings: Any) -> None:
        errors: list[confluent_kafka.KafkaError | None] = []
        producer = confluent_kafka.Producer(servers | settings)
        if "transactional.id" in settings:
            producer.init_transactions(LIMIT_S)
            producer.begin_transaction()
        producer.produce(
            scene.topic, b"lost", partition=0, on_delivery=lambda error, _: errors.append(error)
        )
        producer.flush(LIMIT_S)
        if errors[0] is not None:
            raise confluent_kafka.KafkaException(errors[0])

    def read() -> None:
        """It asks for the coordinator of its group, too, and reports that there is none."""
        settings = {"group.id": scene.group, "enable.auto.commit": False}
        consumer = confluent_kafka.Consumer(servers | settings | {"auto.offset.reset": "earliest"})
        try:
            consumer.assign([first])
            message = consumer.poll(LIMIT_S)
            while message is not None and message.error() is not None:
                message = consumer.poll(LIMIT_S)
            if message is None:
                raise TimeoutError
        finally:
            consumer.close()

    def consumed(start: Callable[[confluent_kafka.Consumer], None]) -> None:
        consumer = confluent_kafka.Consumer(
            servers | {"group.id": scene.group, "auto.offset.reset": "earliest"}
        )
        try:
            start(consumer)
            message = consumer.poll(LIMIT_S)
            if message is not None and message.error() is not None and message.topic() is not None:
                message = consumer.poll(LIMIT_S)  # the coordinator's error, if it was the second
            if message is not None and message.error() is not None:
                raise confluent_kafka.KafkaException(message.error())
        finally:
            consumer.close()

    first = TopicPartition(scene.topic, 0, 0)
    scene.call("produce", "Producer", produced)
    scene.call("produce with acks=0", "Producer", lambda: produced(acks=0))
    scene.call("produce idempotently", "Producer", lambda: produced(**{"enable.idempotence": True}))
    scene.call(
        "produce in a transaction",
        "Producer",
        lambda: produced(**{"transactional.id": scene.group}),
    )
    scene.call("consume", "Consumer", read)
    scene.call(
        "consume in a group", "Consumer", lambda: consumed(lambda c: c.subscribe([scene.topic]))
    )
