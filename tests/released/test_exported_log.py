"""A released broker opens the logs that `kraftsim log export` wrote, and serves their batches."""

import re
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from struct import Struct
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from kraftsim.broker_agent.log.batch import header_of
from kraftsim.broker_agent.log.reading import split
from kraftsim.controller.core.log.records import PartitionRecord, TopicRecord
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import FetchPartition, FetchRequest, FetchTopic
from kraftsim.controller.core.rpc.stored_messages import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from kraftsim.controller.core.uuid import parse_uuid
from kraftsim.files.properties import read_properties
from kraftsim.storage.checkpoints import BOOTSTRAP_FILE, bootstrap_checkpoint
from kraftsim.storage.formatted import formatted_of
from kraftsim.testing.blocking_cluster import BlockingCluster
from tests.batches import NOW_MS, batch
from tests.free_ports import free_port
from tests.kraftsim.conftest import run
from tests.released.controller import NODE_ID, Connection, await_listener, released_controller
from tests.released.releases import RELEASES

__all__ = ["run"]  # a fixture

pytestmark = [pytest.mark.released, pytest.mark.slow]

PRODUCE, FETCH, LIST_OFFSETS = 0, 1, 2
CLUSTER_ID = "opensAnExportedLogAAAA"
BEFORE_PARTITION = 4 + 4 + 4 + (2 + len("t")) + 4 + 4
PARTITION_OF_FETCH = Struct(">hqqii")
"""Error, high watermark, last stable offset, aborted transactions, bytes of batches (version 4)."""
EARLIEST, LATEST = -2, -1
HALF, DELETED = 1_000, 7


def produce(servers: str, numbers: range) -> None:
    """Produces records of some 1,000 bytes in batches of at most 4 records, idempotently."""
    settings = {"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 5}
    producer = Producer(settings | {"batch.num.messages": 4, "compression.type": "lz4"})
    for number in numbers:
        producer.produce("t", key=str(number), value=f"{number:0900}", partition=0)
    assert producer.flush(60) == 0


def delete_records(servers: str) -> None:
    """Raises the start of the partition's log to DELETED."""
    admin = AdminClient({"bootstrap.servers": servers})
    for done in admin.delete_records([TopicPartition("t", 0, DELETED)]).values():
        assert done.result(60).low_watermark == DELETED


def stored(broker: Connection, offset: int) -> list[bytes]:
    """Returns the batches of the partition from an offset to the end of its log."""
    batches: list[bytes] = []
    while found := list(split(fetched(broker, offset))):  # of one segment
        batches += found
        last = header_of(found[-1])
        offset = last.base_offset + last.last_delta + 1
    return batches


def fetched(broker: Connection, offset: int) -> bytes:
    """Returns the bytes of a Fetch; nothing from the end of the log on."""
    at = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 24)
    topic = FetchTopic(topic="t", partitions=(at,))
    request = FetchRequest(replica_id=-1, max_wait_ms=0, max_bytes=1 << 24, topics=(topic,))
    frame = broker.ask_frame(FETCH, 4, request)
    error_code, _, _, aborted, size = PARTITION_OF_FETCH.unpack_from(frame, BEFORE_PARTITION)
    assert (error_code, max(aborted, 0)) == (0, 0)
    records = frame[BEFORE_PARTITION + PARTITION_OF_FETCH.size :]
    assert len(records) == size
    return records


def offset_of(broker: Connection, timestamp: int) -> int:
    asked = ListOffsetsPartition(partition_index=0, timestamp=timestamp)
    topic = ListOffsetsTopic(name="t", partitions=(asked,))
    response: Any = broker.ask(LIST_OFFSETS, 7, ListOffsetsRequest(replica_id=-1, topics=(topic,)))
    return int(response.topics[0].partitions[0].offset)


def base_offset_of(broker: Connection, records: bytes) -> int:
    """Produces a batch; returns the base offset of the response."""
    data = PartitionProduceData(index=0, records=records)
    topic = TopicProduceData(name="t", partition_data=(data,))
    request = ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=(topic,))
    response: Any = broker.ask(PRODUCE, 9, request)
    (partition,) = response.responses[0].partition_responses
    assert partition.error_code == 0
    return int(partition.base_offset)


def put_into(data: Path, exported: Path, config: Path) -> None:
    """Copies the files to the formatted directory, whose first records then create the topic."""
    shutil.copytree(exported, data, dirs_exist_ok=True)
    text = (data / "t-0" / "partition.metadata").read_text("utf-8")
    topic_id = parse_uuid(text.split("topic_id: ")[1].strip())
    epochs = (data / "t-0" / "leader-epoch-checkpoint").read_text("utf-8").splitlines()[2:]
    formatted = formatted_of(read_properties(config), KAFKA_4_3)
    assert formatted is not None
    partition = PartitionRecord(
        partition_id=0,
        topic_id=topic_id,
        replicas=(NODE_ID,),
        isr=(NODE_ID,),
        removing_replicas=(),
        adding_replicas=(),
        leader=NODE_ID,
        leader_epoch=int(epochs[-1].split()[0]),
        partition_epoch=0,
        # named, so that the broker has nothing to assign while its controller begins to lead
        directories=(formatted.directory_id,),
    )
    records = (*formatted.bootstrap, TopicRecord(name="t", topic_id=topic_id), partition)
    (data / BOOTSTRAP_FILE).write_bytes(bootstrap_checkpoint(records, NOW_MS))


@contextmanager
def broker_on(exported: Path, folder: Path) -> Iterator[Connection]:
    """Starts Kafka 4.3.1 on the files; yields a connection to its broker."""
    port = free_port()
    with released_controller(
        RELEASES["4.3.1"],
        folder,
        cluster_id=CLUSTER_ID,
        client_port=port,
        prepare=lambda data: put_into(data, exported, folder / "controller.properties"),
    ) as controller:
        await_listener(controller.process, port)
        with closing(Connection(port)) as broker:
            yield broker
    log = (folder / "server.log").read_text("utf-8", "replace")
    assert re.findall(r"^.*\] (?:ERROR|FATAL) .*$", log, re.MULTILINE) == []


def test_a_released_broker_serves_an_exported_log(tmp_path: Path, run: Any) -> None:
    exported = tmp_path / "exported"
    with BlockingCluster(brokers=2, clock="auto", seed=1, kafka_port=0, http_port=0) as kraft:
        config = {"segment.bytes": 1_048_576, "compression.type": "uncompressed"}
        kraft.topics.create("t", assignments=[[1, 2]], config=config)
        produce(kraft.bootstrap_servers, range(HALF))
        kraft.brokers.stop(1)
        produce(kraft.bootstrap_servers, range(HALF, 2 * HALF))
        delete_records(kraft.bootstrap_servers)
        _, _, port = kraft.bootstrap_servers.split(",")[1].rpartition(":")
        with closing(Connection(int(port))) as ours:
            expected = stored(ours, DELETED)
        code, _, err = run(f"log export t {exported} --url {kraft.http_url}")
    assert (code, err) == (0, "")
    last = expected[-1]
    header = header_of(last)

    with broker_on(exported, tmp_path / "kafka") as kafka:
        offsets = (offset_of(kafka, EARLIEST), offset_of(kafka, LATEST))
        served = stored(kafka, DELETED)
        repeated = base_offset_of(kafka, bytes(8) + last[8:])
        after_repetition = offset_of(kafka, LATEST)
        sequence = header.base_sequence + header.last_delta + 1
        producer = (header.producer_id, header.producer_epoch, sequence)
        continued = base_offset_of(kafka, batch(b"next", producer=producer))

    assert offsets == (DELETED, 2 * HALF)
    assert served == expected
    assert (repeated, after_repetition) == (header.base_offset, 2 * HALF)
    assert continued == 2 * HALF
    assert {header_of(found).leader_epoch for found in expected} == {0, 1}
