"""`topic write`: lines of text become records, in Python, over HTTP and in the command line."""

import os
import sys
from collections.abc import Callable, Iterator
from tempfile import TemporaryFile
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.partitioner import murmur2 as murmur2_of_aiokafka

from kraftsim import Cluster
from kraftsim.broker_agent.messages.lines import batches_of, line_of, murmur2
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.errors import UnknownTopic, UsageError
from kraftsim.http.client import call
from kraftsim.testing.blocking_cluster import BlockingCluster

TEXTS = ("partition", "offset", "key", "value")


async def _stored(kraft: Cluster, topic: str) -> list[tuple[object, ...]]:
    records = (await kraft.topics.read(topic))["records"]
    return [tuple(dict(record)[name] for name in TEXTS) for record in records]


async def test_lines_without_keys_fill_the_partitions_evenly() -> None:
    async with Cluster(brokers=2, clock="auto", seed=1) as kraft:
        await kraft.topics.create("t", partitions=2, replication_factor=2)
        await kraft.topics.write("t", ["first"], partition=1)

        written = await kraft.topics.write("t", ["a", "b", ""])

        assert written == {
            "written": [
                {"partition": 0, "baseOffset": 0, "records": 2},
                {"partition": 1, "baseOffset": 1, "records": 1},
            ]
        }
        assert await _stored(kraft, "t") == [
            (0, 0, None, "a"),
            (0, 1, None, "b"),
            (1, 0, None, "first"),
            (1, 1, None, ""),
        ]


async def test_a_key_chooses_the_partition_and_a_line_without_a_separator_has_none() -> None:
    async with Cluster(brokers=1, clock="auto", seed=1) as kraft:
        await kraft.topics.create("t", partitions=3)
        await kraft.topics.write("t", ["k1:a:b", "k2:", "no key"], key_separator=":")

        places = {row[3]: row[0] for row in await _stored(kraft, "t")}
        keys = {row[3]: row[2] for row in await _stored(kraft, "t")}

        assert keys == {"a:b": "k1", "": "k2", "no key": None}
        for key, value in (("k1", "a:b"), ("k2", "")):
            hashed = murmur2_of_aiokafka(key.encode()) & 0x7FFFFFFF
            assert places[value] == hashed % 3


@pytest.mark.parametrize("size", range(10))
def test_keys_are_hashed_as_kafka_hashes_them(size: int) -> None:
    key = bytes(range(250, 250 + min(size, 6))) + b"\xff" * max(size - 6, 0)

    assert murmur2(key) == murmur2_of_aiokafka(key) & 0xFFFFFFFF


def test_many_lines_are_several_batches_and_a_long_line_is_one_of_its_own() -> None:
    lines = [line_of(text, None) for text in ("a" * 9000, "b" * 9000, "c" * 40_000, "d", "e")]

    counts = [int.from_bytes(batch[57:61], "big") for batch in batches_of(lines, 5)]

    assert counts == [1, 1, 1, 2]


async def test_a_write_waits_for_the_next_leader_while_the_clock_moves() -> None:
    async with Cluster(brokers=2, clock="auto", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]])
        await kraft.topics.write("t", ["before"])
        await kraft.brokers.stop(1)
        await kraft.topics.write("t", ["after"])

        assert [row[3] for row in await _stored(kraft, "t")] == ["before", "after"]


async def test_a_write_is_refused_as_a_leader_refuses_it() -> None:
    async with Cluster(brokers=1, clock="auto", seed=1) as kraft:
        small = {"max.message.bytes": 100, "min.insync.replicas": 1}
        await kraft.topics.create("t", partitions=2, config=small)

        with pytest.raises(ApiError, match="partition 1: MESSAGE_TOO_LARGE") as refused:
            await kraft.topics.write("t", ["secret" * 50], partition=1)
        assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE
        assert "secret" not in str(refused.value)
        with pytest.raises(ApiError, match="partition 9: expected 0 to 1"):
            await kraft.topics.write("t", ["a"], partition=9)
        with pytest.raises(UnknownTopic):
            await kraft.topics.write("u", ["a"])
        bad: Any = ["a", b"secret"]
        with pytest.raises(UsageError, match="line 2") as shown:
            await kraft.topics.write("t", bad)
        assert "secret" not in str(shown.value)
        with pytest.raises(UsageError, match="key_separator"):
            await kraft.topics.write("t", ["a"], key_separator="")


async def test_without_a_leader_a_write_on_a_virtual_clock_is_refused() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t")
        await kraft.clock.advance("1s")
        await kraft.topics.write("t", ["a"])
        await kraft.brokers.kill(1)

        with pytest.raises(ApiError, match="no running broker knows that it leads"):
            await kraft.topics.write("t", ["b"])


async def test_written_lines_are_in_the_recording_of_a_cluster() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t")
        await kraft.clock.advance("1s")
        await kraft.topics.write("t", ["k=v"], key_separator="=")

        (written,) = [
            given for given in kraft._live.recorder.inputs if given.name == "topics.write"
        ]
        assert written.value == (
            '{"name": "t", "lines": ["k=v"], "partition": null, "key_separator": "="}'
        )


@pytest.mark.realtime
async def test_a_consumer_gets_what_was_written() -> None:
    async with Cluster(brokers=1, clock="auto", seed=1, kafka_port=0) as kraft:
        await kraft.topics.create("t")
        await kraft.topics.write("t", ["k:v"], key_separator=":")
        async with AIOKafkaConsumer(
            bootstrap_servers=kraft.bootstrap_servers, auto_offset_reset="earliest"
        ) as consumer:
            consumer.assign([TopicPartition("t", 0)])
            record = await consumer.getone()

        assert (record.key, record.value) == (b"k", b"v")


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], None]]:
    """Returns the function that puts bytes into stdin, as a pipe would bring them."""
    with TemporaryFile("w+") as file:
        monkeypatch.setattr(sys, "stdin", file)

        def put(data: bytes) -> None:
            os.write(file.fileno(), data)
            os.lseek(file.fileno(), 0, os.SEEK_SET)

        yield put


@pytest.mark.realtime
def test_lines_are_written_over_http_and_from_stdin(
    run: Any, stdin: Callable[[bytes], None]
) -> None:
    with BlockingCluster(brokers=1, clock="auto", seed=1, http_port=0) as kraft:
        kraft.topics.create("t", partitions=1)
        url = kraft.http_url
        call(url, "POST", "/sim/topics/{name}/write", {"name": "t", "lines": ["over http"]})

        stdin("k=grün\r\nno key\n\nlast".encode())
        line = f"topic write t --key-separator = --json --url {url}"
        code, out, err = run(line)

        assert (code, err) == (0, "")
        assert '"baseOffset": 1,\n      "records": 4' in out
        read = kraft.topics.read("t")["records"]
        assert [(row["key"], row["value"]) for row in read[1:]] == [
            ("k", "grün"),
            (None, "no key"),
            (None, ""),
            (None, "last"),
        ]


@pytest.mark.realtime
def test_a_line_that_is_no_text_is_refused_by_its_number(
    run: Any, stdin: Callable[[bytes], None]
) -> None:
    with BlockingCluster(brokers=1, clock="auto", seed=1, http_port=0) as kraft:
        kraft.topics.create("t", partitions=1)
        stdin(b"good\n\xffsecret\n")
        code, _, err = run(f"topic write t --url {kraft.http_url}")

        assert (code, err) == (2, "kraftsim: stdin:2: expected a line in UTF-8\n")
        table = run(f"topic write t --url {kraft.http_url}")
        assert table[0] == 0
        unknown = run(f"topic write u --url {kraft.http_url}")
        assert unknown[0] == 1
        assert "no topic 'u'" in unknown[2]
