"""Every method of aiokafka's AIOKafkaAdminClient once, then its producers and consumers."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import aiokafka.errors
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from tests.interop.foreign.python.calling import LIMIT_S, Scene, methods_of

LEFT_OUT = ("start", "close")


def code(error: BaseException) -> int | None:
    """Returns the code of Kafka's error; those of aiokafka itself are negative."""
    found = getattr(error, "errno", None)
    return found if isinstance(found, int) and found > 0 else None


def checked(value: Any) -> Any:
    """Raises the first error of a response, or of a list of them."""
    for response in value if isinstance(value, list) else [value]:
        document = response.to_object() if hasattr(response, "to_object") else response
        for found in _codes(document):
            if found:
                raise aiokafka.errors.for_code(found)()
    return value


def _codes(value: Any) -> list[int]:
    if isinstance(value, dict):
        own = [value["error_code"]] if "error_code" in value else []
        return own + [code for inner in value.values() for code in _codes(inner)]
    return [code for inner in value for code in _codes(inner)] if isinstance(value, list) else []


def make_calls(scene: Scene) -> None:
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    def awaited(asked: Coroutine[Any, Any, Any]) -> Any:
        return checked(asyncio.run_coroutine_threadsafe(asked, loop).result(LIMIT_S))

    async def started() -> AIOKafkaAdminClient:
        admin = AIOKafkaAdminClient(bootstrap_servers=scene.servers)
        await admin.start()
        return admin

    admin = awaited(started())
    for name, method, *arguments in [*_topics(scene), *_groups(scene)]:
        _call(scene, awaited, admin, name, method, *arguments)
    _messages(scene, awaited)
    _call(scene, awaited, admin, "deleteTopics", "delete_topics", [scene.topic])
    scene.complete(methods_of(AIOKafkaAdminClient), LEFT_OUT)


def _call(
    scene: Scene, awaited: Callable[[Any], Any], admin: Any, name: str, method: str, *arguments: Any
) -> None:
    scene.call(name, method, lambda: awaited(getattr(admin, method)(*arguments)))


def _topics(scene: Scene) -> list[tuple[Any, ...]]:
    topic, first = scene.topic, TopicPartition(scene.topic, 0)

    def resource(value: str | None = None) -> ConfigResource:
        configs = None if value is None else {"retention.ms": value}
        return ConfigResource(ConfigResourceType.TOPIC, topic, configs)

    return [
        ("describeCluster", "describe_cluster"),
        ("createTopics", "create_topics", [NewTopic(topic, 2, 1)]),
        ("listTopics", "list_topics"),
        ("describeTopics", "describe_topics", [topic]),
        ("createPartitions", "create_partitions", {topic: NewPartitions(3)}),
        ("describeConfigs", "describe_configs", [resource()]),
        ("alterConfigs", "alter_configs", [resource("120000")]),
        ("deleteRecords", "delete_records", {first: RecordsToDelete(0)}),
    ]


def _groups(scene: Scene) -> list[tuple[Any, ...]]:
    return [
        ("listConsumerGroups", "list_consumer_groups"),
        ("findGroupCoordinators", "find_coordinator", scene.group),
        ("describeConsumerGroups", "describe_consumer_groups", [scene.group]),
        ("listConsumerGroupOffsets", "list_consumer_group_offsets", scene.group),
    ]


def _messages(scene: Scene, awaited: Callable[[Any], Any]) -> None:
    async def produced(**settings: Any) -> None:
        producer = AIOKafkaProducer(bootstrap_servers=scene.servers, **settings)
        try:
            await producer.start()
            if "transactional_id" in settings:
                await producer.begin_transaction()
            await producer.send_and_wait(scene.topic, b"lost")
        finally:
            await producer.stop()

    async def consumed(**settings: Any) -> None:
        consumer = AIOKafkaConsumer(scene.topic, bootstrap_servers=scene.servers, **settings)
        try:
            await consumer.start()
            await consumer.getone()
        finally:
            await consumer.stop()

    scene.call("produce", "AIOKafkaProducer", lambda: awaited(produced()))
    scene.call("produce with acks=0", "AIOKafkaProducer", lambda: awaited(produced(acks=0)))
    scene.call(
        "produce idempotently",
        "AIOKafkaProducer",
        lambda: awaited(produced(enable_idempotence=True)),
    )
    scene.call(
        "produce in a transaction",
        "AIOKafkaProducer",
        lambda: awaited(produced(transactional_id=scene.group)),
    )
    scene.call(
        "consume", "AIOKafkaConsumer", lambda: awaited(consumed(auto_offset_reset="earliest"))
    )
    scene.call(
        "consume in a group", "AIOKafkaConsumer", lambda: awaited(consumed(group_id=scene.group))
    )
