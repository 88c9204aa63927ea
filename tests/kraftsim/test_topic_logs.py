"""The log of a partition's leader in the documents of topics, and in the scene of the page."""

import asyncio
import json
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ApiError
from tests.kraftsim.conftest import Service, run

__all__ = ["run"]  # a fixture

FIELDS = ("logStartOffset", "highWatermark", "logEndOffset", "logSizeBytes", "logStartTimeMs")


def log_of(topic: Any) -> list[tuple[Any, ...]]:
    return [tuple(partition[name] for name in FIELDS) for partition in topic["partitions"]]


async def test_a_topic_shows_the_logs_of_its_leaders() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2], [2, 1]])
        assert log_of(await kraft.topics.describe("t")) == [(0, 0, 0, 0, None)] * 2

        await kraft.topics.write("t", ["a", "b"], partition=1)
        await kraft.topics.write("t", ["c"], partition=1)

        first, second = log_of(await kraft.topics.describe("t"))
        assert first == (0, 0, 0, 0, None)
        assert second[:3] == (0, 3, 3)
        assert second[3] == kraft.world.agents[2].store.logs[_key(kraft)].size > 0
        assert second[4] > 0
        assert log_of((await kraft.topics.list())[0]) == [first, second]

        await kraft.brokers.kill(2)
        await kraft.wait(broker=2, state="fenced")
        assert log_of(await kraft.topics.describe("t"))[1] == second  # the follower's, which leads
        await kraft.brokers.kill(1)
        await kraft.wait(broker=1, state="fenced")
        assert log_of(await kraft.topics.describe("t"))[0] == (None,) * 5


async def test_a_write_waits_until_the_dead_replica_has_left_the_isr() -> None:
    async with Cluster(brokers=2, clock="auto", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]])
        await kraft.brokers.kill(2)

        await kraft.topics.write("t", ["a"])

        (partition,) = (await kraft.topics.describe("t"))["partitions"]
        assert (partition["isr"], partition["highWatermark"]) == ([1], 1)


@pytest.mark.parametrize("cut", ["mute", "deafen"])
async def test_a_write_that_is_never_acknowledged_is_refused_in_time(cut: str) -> None:
    async with Cluster(brokers=2, clock="auto", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]])
        await getattr(kraft.brokers, cut)(1)  # it learns of no change of the ISR

        with pytest.raises(ApiError, match="it is written, but a replica in sync has not fetched"):
            await kraft.topics.write("t", ["a"])


@pytest.mark.rule("B2.43")
async def test_a_write_during_which_the_isr_falls_below_its_minimum_is_refused() -> None:
    async with Cluster(brokers=2, clock="auto", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]], config={"min.insync.replicas": 2})
        await kraft.brokers.pause(2)

        with pytest.raises(ApiError, match="it is written, but a replica in sync has not fetched"):
            await kraft.topics.write("t", ["a"])


async def test_a_write_to_a_leader_that_dies_meanwhile_is_refused_in_time() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]])
        await kraft.faults.add({"disk.slow": {"on": 1, "low": "5s", "high": "5s"}})
        writing = asyncio.create_task(kraft.topics.write("t", ["a"]))
        await asyncio.sleep(0)
        await kraft.brokers.kill(1)

        with pytest.raises(ApiError, match="its leader has not written it within 30 s"):
            await writing


async def test_a_topic_shows_what_each_replica_lacks() -> None:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2, 3]])
        await kraft.topics.write("t", ["a"])
        await kraft.brokers.deafen(3)
        with pytest.raises(ApiError, match="it is written, but a replica in sync has not fetched"):
            await kraft.topics.write("t", ["b", "c"])

        (partition,) = (await kraft.topics.describe("t"))["partitions"]
        assert (partition["replicas"], partition["replicaLags"]) == ([1, 2, 3], [0, 0, 2])

        await kraft.brokers.undeafen(3)
        await kraft.clock.advance("2s")
        (partition,) = (await kraft.topics.describe("t"))["partitions"]
        assert partition["replicaLags"] == [0, 0, 0]


async def times(kraft: Cluster) -> list[tuple[int | None, int | None]]:
    """How many ms ago each replica fetched last, and had everything last."""
    (partition,) = (await kraft.topics.describe("t"))["partitions"]
    fetched, caught_up = (
        partition["replicaLastFetchTimesMs"],
        partition["replicaLastCaughtUpTimesMs"],
    )
    now_ms = kraft.world.timeline.wall_ms
    return [
        (None if a is None else now_ms - a, None if b is None else now_ms - b)
        for a, b in zip(fetched, caught_up, strict=True)
    ]


@pytest.mark.rule("B6.20", "B6.21")
async def test_a_topic_shows_when_each_replica_fetched_and_had_everything_last() -> None:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2, 3]])
        await kraft.topics.write("t", ["a"])
        await kraft.clock.advance("10s")
        assert await times(kraft) == [(0, 0)] * 3  # an idle follower polls

        await kraft.brokers.deafen(3)
        await kraft.clock.advance("5s")
        assert await times(kraft) == [(0, 0), (0, 0), (5000, 5000)]

        with pytest.raises(ApiError, match="it is written, but a replica in sync has not fetched"):
            await kraft.topics.write("t", ["b"])
        await kraft.clock.advance("60s")
        (partition,) = (await kraft.topics.describe("t"))["partitions"]
        assert partition["isr"] == [1, 2]
        assert await times(kraft) == [(0, 0), (0, 0), (65_000, 65_000)]

        await kraft.brokers.undeafen(3)
        await kraft.clock.advance("2s")
        assert await times(kraft) == [(0, 0)] * 3


async def test_a_slow_replica_fetches_without_having_everything() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]])
        await kraft.topics.write("t", ["a"])
        await kraft.clock.advance("10s")
        slow = {"replica.slow": {"on": 2, "bytes_per_second": 100, "for": "60s"}}
        fault = await kraft.faults.add(slow)
        for _ in range(3):
            with pytest.raises(ApiError, match="it is written"):
                await kraft.topics.write("t", ["b" * 200])
        await kraft.clock.advance("5s")

        _, (fetched_ms, caught_up_ms) = await times(kraft)
        assert (fetched_ms, caught_up_ms) == (5000 - 2700, 5000)  # 270 bytes take 2.7 s
        assert fault.hits == 1


def _key(kraft: Cluster) -> tuple[bytes, int]:
    return kraft.world.committed.topic_ids["t"], 1


async def test_the_log_starts_with_the_first_batch_that_may_be_read() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t", partitions=1)
        await kraft.topics.write("t", ["a", "b"])
        await kraft.clock.advance("5s")
        await kraft.topics.write("t", ["c"])
        ((_, _, _, size, before_ms),) = log_of(await kraft.topics.describe("t"))
        log = kraft.world.agents[1].store.logs[kraft.world.committed.topic_ids["t"], 0]

        log.delete_before(2, now_ms=0)

        ((start, _, end, left, start_ms),) = log_of(await kraft.topics.describe("t"))
        assert (start, end, left) == (2, 3, size)
        assert start_ms >= before_ms
        log.delete_before(3, now_ms=0)
        assert log_of(await kraft.topics.describe("t")) == [(3, 3, 3, size, None)]


def test_the_logs_are_shown_over_http_in_the_command_line_and_to_the_page(run: Any) -> None:
    service = Service(brokers=1)
    try:
        service.do(service.kraft.topics.create("t", partitions=1))
        service.do(service.kraft.topics.write("t", ["secret-word", "secret-word"]))
        url = f"--url {service.kraft.http_url}"

        _, text, _ = run(f"topic describe t {url} --output json")
        _, table, _ = run(f"topic describe t {url}")
        _, wide, _ = run(f"topic describe t {url} --output wide")
        scenes: list[Any] = []
        service.do(_keep(service.kraft.scene(), scenes))
    finally:
        service.close()

    ((start, _, end, size, start_ms),) = log_of(json.loads(text))
    assert (start, end) == (0, 2)
    assert [cell_of(table, name) for name in ("logStart", "logEnd", "logBytes")] == [
        "0",
        "2",
        str(size),
    ]
    assert start_ms is not None
    assert "logStartTime" in wide
    assert "highWatermark" not in table
    assert cell_of(wide, "highWatermark") == "2"
    partition = scenes[0]["scene"]["partitions"]["t-0"]
    assert [partition[name] for name in ("logStart", "logEnd", "logBytes")] == [0, 2, size]
    assert "secret-word" not in text + wide + str(scenes)


def cell_of(table: str, name: str) -> str:
    """The cell of the last row under a heading."""
    heading, row = table.splitlines()[-2:]
    return row[heading.index(name) :].split()[0]


async def _keep(verb: Any, into: list[Any]) -> None:
    into.append(await verb)
