"""An unmodified broker of Kafka 4.3.1, set up as README.md says, at three of our controllers."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from string import Template

import confluent_kafka
import pytest

from tests.docs.blocks import ROOT
from tests.free_ports import free_port
from tests.interop.clients import TIMEOUT_S, Confluent
from tests.interop.running import Service, eventually, kraftsim_up
from tests.released.broker import ReleasedBroker, released_broker
from tests.released.releases import RELEASES

pytestmark = [pytest.mark.interop, pytest.mark.released]

BROKER = 1
RECORDS = {str(number) for number in range(1000)}
DOCUMENTED = re.compile(r"^cat > server\.properties <<END\n(.*?)^END$", re.MULTILINE | re.DOTALL)
# A lease that a busy machine does not let run out, and a fence within 6 s of a kill.
LEASE = "broker.session.timeout.ms=6000\n"
HEARTBEATS = "broker.heartbeat.interval.ms=500\n"


def test_a_released_broker_stores_records_is_fenced_when_killed_and_comes_back(
    tmp_path: Path,
) -> None:
    options = ("--controllers", "3", "--profile", "kafka-4.3")
    with (
        kraftsim_up(tmp_path, *options, brokers=0, settings=LEASE) as kraft,
        attached(kraft, tmp_path / "kafka") as (broker, servers),
    ):
        kraft.wait(BROKER, "unfenced")
        create(servers, "orders")
        write(servers, "orders")
        assert read_by(servers, "orders", "before-the-kill") == RECORDS
        write_in_a_transaction(servers, "orders")
        assert {"__consumer_offsets", "__transaction_state", "orders"} == kraft.topics()

        broker.kill()
        kraft.wait(BROKER, "fenced")
        assert {-1} == set(kraft.leaders("orders"))
        broker.start()
        kraft.wait(BROKER, "unfenced")
        assert {BROKER} == set(kraft.leaders("orders"))
        assert read_by(servers, "orders", "after-the-kill") == RECORDS

        kraft.kill_active_controller()
        create(servers, "created-at-the-next-leader")
        assert [] == broker.errors()


@contextmanager
def attached(
    kraft: Service, folder: Path, broker_id: int = BROKER, version: str = "4.3.1"
) -> Iterator[tuple[ReleasedBroker, str]]:
    """A broker with the properties that README.md documents, and the address of its listener."""
    servers = f"127.0.0.1:{free_port()}"
    documented = DOCUMENTED.search((ROOT / "README.md").read_text("utf-8"))
    assert documented is not None
    properties = Template(documented[1]).substitute(kraft.addresses, PWD=folder)
    assert "127.0.0.1:9092\n" in properties
    properties = properties.replace("127.0.0.1:9092\n", f"{servers}\n") + HEARTBEATS
    properties = properties.replace(f"node.id={BROKER}\n", f"node.id={broker_id}\n")
    with released_broker(
        RELEASES[version], folder, properties, cluster_id=kraft.cluster_id
    ) as broker:
        yield broker, servers


def create(servers: str, topic: str) -> None:
    """Creates a topic through the broker, which has it when this returns.

    Until then a producer's request for metadata would have the broker create the topic as well.
    """
    with closing(Confluent(servers)) as client:
        client.create(topic, partitions=3, replication_factor=1)
        eventually(lambda: topic in client.topics(), True, ignoring=client.failure)


def write(servers: str, topic: str) -> None:
    """Writes RECORDS with an idempotent producer, for which the broker allocates producer ids."""
    failures: list[confluent_kafka.KafkaError] = []
    producer = confluent_kafka.Producer(
        {"bootstrap.servers": servers, "enable.idempotence": True, "log_level": 0}
    )
    for record in RECORDS:
        producer.produce(
            topic, record, on_delivery=lambda error, _: failures.append(error) if error else None
        )
    assert producer.flush(TIMEOUT_S) == 0
    assert failures == []


def write_in_a_transaction(servers: str, topic: str) -> None:
    producer = confluent_kafka.Producer(
        {"bootstrap.servers": servers, "transactional.id": "transaction", "log_level": 0}
    )
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(topic, "0")
    producer.commit_transaction(TIMEOUT_S)


def read_by(servers: str, topic: str, group: str) -> set[str]:
    """Returns the values that a new group reads: as many as there are RECORDS, if it gets them."""
    settings = {"bootstrap.servers": servers, "group.id": group, "log_level": 0}
    consumer = confluent_kafka.Consumer(settings | {"auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    values: set[str] = set()
    with closing(consumer):
        while values != RECORDS and (message := consumer.poll(TIMEOUT_S)) is not None:
            assert message.error() is None
            values.add(message.value().decode())
    return values
