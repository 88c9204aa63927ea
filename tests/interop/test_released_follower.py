"""A released broker follows one of ours: it fetches, is in the ISR, and leads with all of it."""

from contextlib import closing
from pathlib import Path

import confluent_kafka
import pytest

from kraftsim.cli.main import main
from tests.interop.clients import TIMEOUT_S
from tests.interop.running import Service, eventually, kraftsim_up
from tests.interop.test_released_broker import LEASE, RECORDS, attached, write

pytestmark = [pytest.mark.interop, pytest.mark.released]

OURS, RELEASED = 1, 10
LOG = "orders-0/00000000000000000000.log"


@pytest.mark.rule("B5.1", "B5.20", "B6.20", "B6.23", "B6.30")
def test_a_released_broker_replicates_from_ours_and_leads_with_all_of_it(tmp_path: Path) -> None:
    options = ("--controllers", "1", "--profile", "kafka-4.3")
    with (
        kraftsim_up(tmp_path, *options, brokers=1, settings=LEASE) as kraft,
        attached(kraft, tmp_path / "kafka", RELEASED) as (broker, servers),
    ):
        kraft.wait(RELEASED, "unfenced")
        kraft.create("orders", [OURS, RELEASED])
        write(kraft.broker_address(OURS), "orders")

        assert kraft.in_sync("orders") == [OURS, RELEASED]
        theirs = tmp_path / "kafka" / "broker-1" / LOG
        assert theirs.read_bytes() == exported(kraft, tmp_path / "before")

        broker.kill()
        write(kraft.broker_address(OURS), "orders")  # acknowledged without it
        assert kraft.in_sync("orders") == [OURS]
        broker.start()
        eventually(lambda: kraft.in_sync("orders"), [OURS, RELEASED], ignoring=OSError)
        assert theirs.read_bytes() == exported(kraft, tmp_path / "after")

        kraft.kill(OURS)
        kraft.wait(OURS, "fenced")
        assert kraft.leaders("orders") == [RELEASED]
        values = read(servers)
        assert (len(values), set(values)) == (2 * len(RECORDS), RECORDS)
        assert broker.errors() == []


def exported(kraft: Service, folder: Path) -> bytes:
    """The bytes of the partition's log at our broker."""
    assert main(["log", "export", "orders", str(folder), "--url", kraft.url]) == 0
    return (folder / LOG).read_bytes()


def read(servers: str) -> list[str]:
    """Returns the values of the partition, by assignment."""
    settings = {"bootstrap.servers": servers, "group.id": "unused", "log_level": 0}
    consumer = confluent_kafka.Consumer(settings | {"enable.auto.commit": False})
    values: list[str] = []
    with closing(consumer):
        consumer.assign([confluent_kafka.TopicPartition("orders", 0, 0)])
        while len(values) < 2 * len(RECORDS):
            message = consumer.poll(TIMEOUT_S)
            assert message is not None
            error = message.error()
            if error is not None:  # librdkafka reports once that ours has no groups
                assert error.code() == confluent_kafka.KafkaError.POLICY_VIOLATION
                continue
            values.append(message.value().decode())
    return values
