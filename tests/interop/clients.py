"""Three stock clients behind one set of verbs, each with its own requests, versions and exceptions.

Nothing is faked and nothing cached here: every verb is a request over a real socket, and what the
client raises passes through. Where a client returns an error code, its own class for it is raised.
"""

import asyncio
import gc
import logging
import threading
import warnings
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import aiokafka.errors
import confluent_kafka
import confluent_kafka.admin
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin import NewTopic as AioNewTopic

with warnings.catch_warnings():  # Python 3.11 warns, in its own name, of how the schemas are read
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka
    import kafka.admin
    import kafka.errors

TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Partition:
    leader: int
    replicas: list[int]
    isr: list[int]


class Client(Protocol):
    """`failure` is what every exception of the client is; the others are of one refusal each."""

    failure: type[Exception]
    topic_already_exists: type[Exception]
    invalid_replication_factor: type[Exception]
    unknown_topic: type[Exception]

    def __init__(self, bootstrap_servers: str) -> None: ...

    def close(self) -> None: ...

    def code(self, error: Exception) -> int:
        """The number of Kafka's that the exception stands for."""
        ...

    def cluster_id(self) -> str: ...

    def brokers(self) -> set[int]: ...

    def addresses(self) -> str:
        """Those of `brokers`, by id, as in bootstrap.servers."""
        ...

    def topics(self) -> set[str]: ...

    def partitions(self, topic: str) -> list[Partition]: ...

    def create(self, topic: str, partitions: int, replication_factor: int) -> None: ...

    def delete(self, topic: str) -> None: ...


def leaders(client: Client, topic: str) -> list[int]:
    return [partition.leader for partition in client.partitions(topic)]


def _addresses(brokers: Iterable[tuple[int, str, int]]) -> str:
    return ",".join(f"{host}:{port}" for _, host, port in sorted(brokers))


class Confluent:
    """confluent-kafka on librdkafka: one exception for everything, with the code inside.

    Its `describe_cluster` asks the controller of the last metadata and no other: while that is dead
    and nobody says so, it waits. `list_topics` asks whoever answers.
    """

    failure = confluent_kafka.KafkaException
    topic_already_exists = confluent_kafka.KafkaException
    invalid_replication_factor = confluent_kafka.KafkaException
    unknown_topic = confluent_kafka.KafkaException

    def __init__(self, bootstrap_servers: str) -> None:
        config = {"bootstrap.servers": bootstrap_servers, "log_level": 0}
        self._admin = confluent_kafka.admin.AdminClient(config)

    def close(self) -> None:
        del self._admin

    def code(self, error: Exception) -> int:
        return int(error.args[0].code())

    def cluster_id(self) -> str:
        return str(self._cluster().cluster_id)

    def brokers(self) -> set[int]:
        return set(self._admin.list_topics(timeout=TIMEOUT_S).brokers)

    def addresses(self) -> str:
        return _addresses((node.id, node.host, node.port) for node in self._cluster().nodes)

    def topics(self) -> set[str]:
        return set(self._admin.list_topics(timeout=TIMEOUT_S).topics)

    def partitions(self, topic: str) -> list[Partition]:
        found = self._admin.list_topics(topic, timeout=TIMEOUT_S).topics[topic]
        if found.error is not None:
            raise confluent_kafka.KafkaException(found.error)
        return [
            Partition(value.leader, value.replicas, value.isrs)
            for _, value in sorted(found.partitions.items())
        ]

    def create(self, topic: str, partitions: int, replication_factor: int) -> None:
        new = confluent_kafka.admin.NewTopic(topic, partitions, replication_factor)
        self._admin.create_topics([new])[topic].result(TIMEOUT_S)

    def delete(self, topic: str) -> None:
        self._admin.delete_topics([topic])[topic].result(TIMEOUT_S)

    def _cluster(self) -> Any:
        return self._admin.describe_cluster().result(TIMEOUT_S)


class KafkaPython:
    """kafka-python: asks for fenced brokers as well, and says of each whether it is."""

    failure = kafka.errors.KafkaError
    topic_already_exists = kafka.errors.TopicAlreadyExistsError
    invalid_replication_factor = kafka.errors.InvalidReplicationFactorError
    unknown_topic = kafka.errors.UnknownTopicOrPartitionError

    def __init__(self, bootstrap_servers: str) -> None:
        logging.getLogger("kafka").setLevel(logging.CRITICAL)  # see close
        self._admin = kafka.KafkaAdminClient(bootstrap_servers=bootstrap_servers)

    def close(self) -> None:
        """It leaves the sockets of refused connections to the collector: that must come before the
        test ends that ignores its warning, so not even a log record may hold on to one."""
        self._admin.close()
        del self._admin
        gc.collect()

    def code(self, error: Exception) -> int:
        return int(error.errno)

    def cluster_id(self) -> str:
        return str(self._admin.describe_cluster()["cluster_id"])

    def brokers(self) -> set[int]:
        return {broker for broker, fenced in self.fencing().items() if not fenced}

    def fencing(self) -> dict[int, bool]:
        """Every registered broker, and whether it is fenced (KIP-1073)."""
        brokers = self._admin.describe_cluster()["brokers"]
        return {broker["broker_id"]: broker["is_fenced"] for broker in brokers}

    def addresses(self) -> str:
        brokers = self._admin.describe_cluster()["brokers"]
        return _addresses(
            (broker["broker_id"], broker["host"], broker["port"]) for broker in brokers
        )

    def topics(self) -> set[str]:
        return set(self._admin.list_topics())

    def partitions(self, topic: str) -> list[Partition]:
        (found,) = self._admin.describe_topics([topic])
        if found["error_code"]:
            raise kafka.errors.for_code(found["error_code"])(topic)
        return [
            Partition(partition["leader_id"], partition["replica_nodes"], partition["isr_nodes"])
            for partition in found["partitions"]
        ]

    def create(self, topic: str, partitions: int, replication_factor: int) -> None:
        self._admin.create_topics([kafka.admin.NewTopic(topic, partitions, replication_factor)])

    def delete(self, topic: str) -> None:
        self._admin.delete_topics([topic])


class AioKafka:
    """aiokafka, on an event loop of its own that keeps turning between the verbs."""

    failure = aiokafka.errors.KafkaError
    topic_already_exists = aiokafka.errors.TopicAlreadyExistsError
    invalid_replication_factor = aiokafka.errors.InvalidReplicationFactorError
    unknown_topic = aiokafka.errors.UnknownTopicOrPartitionError

    def __init__(self, bootstrap_servers: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._admin = self._await(self._started(bootstrap_servers))

    def close(self) -> None:
        try:
            self._await(self._admin.close())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def code(self, error: Exception) -> int:
        return int(error.errno)

    def cluster_id(self) -> str:
        return str(self._await(self._admin.describe_cluster())["cluster_id"])

    def brokers(self) -> set[int]:
        return {
            broker["node_id"] for broker in self._await(self._admin.describe_cluster())["brokers"]
        }

    def addresses(self) -> str:
        brokers = self._await(self._admin.describe_cluster())["brokers"]
        return _addresses((broker["node_id"], broker["host"], broker["port"]) for broker in brokers)

    def topics(self) -> set[str]:
        return set(self._await(self._admin.list_topics()))

    def partitions(self, topic: str) -> list[Partition]:
        (found,) = self._await(self._admin.describe_topics([topic]))
        _raise_for(found["error_code"], topic)
        return [
            Partition(partition["leader"], partition["replicas"], partition["isr"])
            for partition in found["partitions"]
        ]

    def create(self, topic: str, partitions: int, replication_factor: int) -> None:
        new = AioNewTopic(topic, partitions, replication_factor)
        ((_, code, message),) = self._await(self._admin.create_topics([new])).topic_errors
        _raise_for(code, message)

    def delete(self, topic: str) -> None:
        ((_, code),) = self._await(self._admin.delete_topics([topic])).topic_error_codes
        _raise_for(code, topic)

    async def _started(self, bootstrap_servers: str) -> AIOKafkaAdminClient:
        admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap_servers)
        await admin.start()
        return admin

    def _await(self, asked: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result(TIMEOUT_S)


def _raise_for(code: int, message: str) -> None:
    if code:
        raise aiokafka.errors.for_code(code)(message)


CLIENTS: tuple[type[Client], ...] = (Confluent, KafkaPython, AioKafka)
