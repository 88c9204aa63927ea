"""Producers and consumers learn at once that nothing is stored: they neither hang nor succeed."""

from collections.abc import Callable

import confluent_kafka
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import KafkaError as AioError
from confluent_kafka.admin import AdminClient

from tests.interop.clients import TIMEOUT_S, Confluent, kafka
from tests.interop.running import Service, eventually

pytestmark = pytest.mark.interop

STORES_NONE = "kraftsim stores no messages"


@pytest.fixture
def created(kraft: Service, topic: str) -> str:
    client = Confluent(kraft.bootstrap_servers)
    client.create(topic, partitions=1, replication_factor=1)
    eventually(lambda: topic in client.topics(), True, ignoring=client.failure)
    return topic


def delivered(servers: str, topic: str, **settings: object) -> confluent_kafka.KafkaError:
    """The error with which librdkafka gives a message up."""
    errors: list[confluent_kafka.KafkaError] = []
    producer = confluent_kafka.Producer({"bootstrap.servers": servers, **settings})
    producer.produce(topic, b"lost", on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(TIMEOUT_S) == 0
    (error,) = errors
    return error


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


def test_librdkafka_fails_each_message(kraft: Service, created: str) -> None:
    error = delivered(kraft.bootstrap_servers, created)

    assert error.code() == confluent_kafka.KafkaError.POLICY_VIOLATION


def test_librdkafka_gives_a_transaction_up(kraft: Service) -> None:
    settings = {"bootstrap.servers": kraft.bootstrap_servers, "transactional.id": "t"}
    producer = confluent_kafka.Producer(settings)

    with pytest.raises(confluent_kafka.KafkaException) as refused:
        producer.init_transactions(TIMEOUT_S)

    assert refused.value.args[0].fatal()
    assert STORES_NONE in str(refused.value)


def test_librdkafka_names_the_reason_to_a_group(kraft: Service, created: str) -> None:
    error = consumed(kraft.bootstrap_servers, lambda consumer: consumer.subscribe([created]))

    assert STORES_NONE in error


def test_librdkafka_lists_no_group(kraft: Service) -> None:
    admin = AdminClient({"bootstrap.servers": kraft.bootstrap_servers})

    listed = admin.list_consumer_groups(request_timeout=TIMEOUT_S).result()

    assert (listed.valid, listed.errors) == ([], [])


@pytest.mark.parametrize("enable_idempotence", [True, False])
def test_kafka_python_fails_each_message(
    kraft: Service, created: str, enable_idempotence: bool
) -> None:
    producer = kafka.KafkaProducer(
        bootstrap_servers=kraft.bootstrap_servers, enable_idempotence=enable_idempotence
    )
    try:
        with pytest.raises(kafka.errors.KafkaError) as refused:
            producer.send(created, b"lost").get(TIMEOUT_S)
    finally:
        producer.close(1)

    assert not isinstance(refused.value, kafka.errors.KafkaTimeoutError)


def test_kafka_python_refuses_a_group(kraft: Service, created: str) -> None:
    consumer = kafka.KafkaConsumer(created, bootstrap_servers=kraft.bootstrap_servers, group_id="g")
    try:
        with pytest.raises(kafka.errors.PolicyViolationError):
            consumer.poll(1000 * TIMEOUT_S)
    finally:
        consumer.close()


def test_kafka_python_reads_no_partition(kraft: Service, created: str) -> None:
    consumer = kafka.KafkaConsumer(bootstrap_servers=kraft.bootstrap_servers)
    try:
        consumer.assign([kafka.TopicPartition(created, 0)])
        with pytest.raises(kafka.errors.TopicAuthorizationFailedError):
            consumer.poll(1000 * TIMEOUT_S)
    finally:
        consumer.close()


async def sent(producer: AIOKafkaProducer, topic: str) -> None:
    await producer.start()
    await producer.send_and_wait(topic, b"lost")


async def read(consumer: AIOKafkaConsumer) -> None:
    await consumer.start()
    await consumer.getone()


@pytest.mark.parametrize("enable_idempotence", [True, False])
async def test_aiokafka_fails_each_message(
    kraft: Service, created: str, enable_idempotence: bool
) -> None:
    producer = AIOKafkaProducer(
        bootstrap_servers=kraft.bootstrap_servers, enable_idempotence=enable_idempotence
    )
    try:
        with pytest.raises(AioError) as refused:
            await sent(producer, created)
    finally:
        await producer.stop()

    assert not refused.value.retriable


async def test_aiokafka_refuses_a_group(kraft: Service, created: str) -> None:
    consumer = AIOKafkaConsumer(created, bootstrap_servers=kraft.bootstrap_servers, group_id="g")
    try:
        with pytest.raises(AioError) as refused:
            await read(consumer)
    finally:
        await consumer.stop()

    assert not refused.value.retriable
