"""Stock clients produce, and consume by assignment; groups and transactions they learn at once."""

from collections.abc import Callable, Sequence

import confluent_kafka
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioPartition
from aiokafka.errors import KafkaError as AioError
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from tests.interop.clients import TIMEOUT_S, Confluent, kafka
from tests.interop.running import Service, eventually

pytestmark = pytest.mark.interop

NO_GROUPS = "kraftsim has no groups and no transactions"
VALUES = [b"%d" % number for number in range(200)]
LONG_VALUES = [b"%d" % number * 1000 for number in range(200)]
"""Together longer than a block of any codec."""


@pytest.fixture
def created(kraft: Service, topic: str) -> str:
    client = Confluent(kraft.bootstrap_servers)
    client.create(topic, partitions=1, replication_factor=1)
    eventually(lambda: topic in client.topics(), True, ignoring=client.failure)
    return topic


def produced_by_confluent(
    servers: str, topic: str, values: Sequence[bytes] = VALUES, **settings: object
) -> None:
    errors: list[object] = []
    producer = confluent_kafka.Producer({"bootstrap.servers": servers, **settings})
    for value in values:
        producer.produce(topic, value, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(TIMEOUT_S) == 0
    assert errors == [None] * len(values)


def read_by_confluent(servers: str, topic: str) -> list[bytes]:
    """The client wants a group.id, asks for its coordinator, and reports that there is none."""
    settings = {"group.id": "unused", "enable.auto.commit": False}
    consumer = confluent_kafka.Consumer({"bootstrap.servers": servers, **settings})
    values: list[bytes] = []
    try:
        start = confluent_kafka.OFFSET_BEGINNING
        consumer.assign([confluent_kafka.TopicPartition(topic, 0, start)])
        while len(values) < len(VALUES):
            messages = consumer.consume(len(VALUES) - len(values), TIMEOUT_S)
            assert messages
            values += [message.value() for message in messages if message.error() is None]
        return values
    finally:
        consumer.close()


def produced_by_kafka_python(servers: str, topic: str, **settings: object) -> None:
    producer = kafka.KafkaProducer(bootstrap_servers=servers, **settings)
    try:
        for future in [producer.send(topic, value) for value in VALUES]:
            future.get(TIMEOUT_S)
    finally:
        producer.close()


def read_by_kafka_python(servers: str, topic: str) -> list[bytes]:
    consumer = kafka.KafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")
    values: list[bytes] = []
    try:
        consumer.assign([kafka.TopicPartition(topic, 0)])
        while len(values) < len(VALUES):
            for records in consumer.poll(1000 * TIMEOUT_S).values():
                values += [record.value for record in records]
        return values
    finally:
        consumer.close()


async def produced_by_aiokafka(servers: str, topic: str, **settings: object) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=servers, **settings)
    await producer.start()
    try:
        for future in [await producer.send(topic, value) for value in VALUES]:
            await future
    finally:
        await producer.stop()


async def read_by_aiokafka(servers: str, topic: str) -> list[bytes]:
    consumer = AIOKafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")
    await consumer.start()
    try:
        consumer.assign([AioPartition(topic, 0)])
        return [(await consumer.getone()).value for _ in VALUES]
    finally:
        await consumer.stop()


def consumed(servers: str, start: Callable[[confluent_kafka.Consumer], None]) -> str:
    """The error that librdkafka's consumer raises first."""
    consumer = confluent_kafka.Consumer({"bootstrap.servers": servers, "group.id": "g"})
    try:
        start(consumer)
        message = consumer.poll(TIMEOUT_S)
        assert message is not None
        assert message.error() is not None
        return str(message.error())
    finally:
        consumer.close()


@pytest.mark.parametrize("enable_idempotence", [True, False])
@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_librdkafka_reads_what_it_wrote(
    kraft: Service, created: str, enable_idempotence: bool, codec: str
) -> None:
    servers = kraft.bootstrap_servers
    settings = {"enable.idempotence": enable_idempotence, "compression.type": codec}

    produced_by_confluent(servers, created, **settings)

    assert read_by_confluent(servers, created) == VALUES


@pytest.mark.parametrize("codec", ["uncompressed", "gzip", "snappy", "lz4", "zstd"])
def test_librdkafka_reads_what_the_broker_compressed(
    kraft: Service, created: str, codec: str
) -> None:
    servers = kraft.bootstrap_servers
    resource = ConfigResource(ResourceType.TOPIC, created)
    resource.add_incremental_config(
        ConfigEntry("compression.type", codec, incremental_operation=AlterConfigOpType.SET)
    )
    admin = AdminClient({"bootstrap.servers": servers})
    for done in admin.incremental_alter_configs([resource]).values():
        done.result(TIMEOUT_S)
    settings = {"compression.type": "snappy" if codec == "lz4" else "lz4", "linger.ms": 100}

    produced_by_confluent(servers, created, LONG_VALUES, **settings)

    assert read_by_confluent(servers, created) == LONG_VALUES


def test_librdkafka_gives_a_transaction_up(kraft: Service) -> None:
    settings = {"bootstrap.servers": kraft.bootstrap_servers, "transactional.id": "t"}
    producer = confluent_kafka.Producer(settings)

    with pytest.raises(confluent_kafka.KafkaException) as refused:
        producer.init_transactions(TIMEOUT_S)

    assert refused.value.args[0].fatal()
    assert NO_GROUPS in str(refused.value)


def test_librdkafka_names_the_reason_to_a_group(kraft: Service, created: str) -> None:
    error = consumed(kraft.bootstrap_servers, lambda consumer: consumer.subscribe([created]))

    assert NO_GROUPS in error


def test_librdkafka_lists_no_group(kraft: Service) -> None:
    admin = AdminClient({"bootstrap.servers": kraft.bootstrap_servers})

    listed = admin.list_consumer_groups(request_timeout=TIMEOUT_S).result()

    assert (listed.valid, listed.errors) == ([], [])


@pytest.mark.parametrize("enable_idempotence", [True, False])
def test_kafka_python_reads_what_it_wrote(
    kraft: Service, created: str, enable_idempotence: bool
) -> None:
    servers = kraft.bootstrap_servers

    produced_by_kafka_python(servers, created, enable_idempotence=enable_idempotence)

    assert read_by_kafka_python(servers, created) == VALUES
    assert read_by_confluent(servers, created) == VALUES


def test_kafka_python_refuses_a_group(kraft: Service, created: str) -> None:
    consumer = kafka.KafkaConsumer(created, bootstrap_servers=kraft.bootstrap_servers, group_id="g")
    try:
        with pytest.raises(kafka.errors.PolicyViolationError):
            consumer.poll(1000 * TIMEOUT_S)
    finally:
        consumer.close()


async def read(consumer: AIOKafkaConsumer) -> None:
    await consumer.start()
    await consumer.getone()


@pytest.mark.parametrize("enable_idempotence", [True, False])
async def test_aiokafka_reads_what_it_wrote(
    kraft: Service, created: str, enable_idempotence: bool
) -> None:
    servers = kraft.bootstrap_servers

    await produced_by_aiokafka(servers, created, enable_idempotence=enable_idempotence)

    assert await read_by_aiokafka(servers, created) == VALUES


async def test_aiokafka_refuses_a_group(kraft: Service, created: str) -> None:
    consumer = AIOKafkaConsumer(created, bootstrap_servers=kraft.bootstrap_servers, group_id="g")
    try:
        with pytest.raises(AioError) as refused:
            await read(consumer)
    finally:
        await consumer.stop()

    assert not refused.value.retriable
