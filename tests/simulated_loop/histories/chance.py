"""Code that asks each source of time, of chance and of an order that a process has by chance."""

import asyncio
import datetime
import gc
import os
import random
import secrets
import time
import uuid
from collections.abc import AsyncGenerator
from time import monotonic
from typing import Any

from aiokafka.structs import BrokerMetadata, TopicPartition

from kraftsim import Cluster

from .events import Rows

MANY = 20  # tasks, futures, generators: in so many an order by address differs
GARBAGE = 3_000  # objects, of which automatic collections find some at once


async def history(seed: int) -> Rows:
    """Returns the answers of all sources; after the run the closed generators are added."""
    rows: Rows = []
    _allocate(hash("a process") % 700)
    await asyncio.sleep(1.5)
    rows += _clocks()
    rows += _draws()
    rows += _sets()
    for ordered in (_done, _cancelled, _completed):
        rows += await ordered()
    rows += await _collected()
    await _kill_a_node(seed, rows)
    _opened.extend([_generator(number, rows) for number in range(MANY)])
    for generator in _opened:
        await anext(generator)
    return rows


_allocated: list[object] = []
_opened: list[AsyncGenerator[None, None]] = []


def _allocate(count: int) -> None:
    """Lets processes differ in what they have allocated before, in every size."""
    _allocated.extend([] for _ in range(count))
    _allocated.extend(bytes(count * number % 500) for number in range(count))


def _default_argument(clock: Any = time.time) -> float:
    now_s: float = clock()
    return now_s


def _clocks() -> Rows:
    now = (time.time_ns(), monotonic(), _default_argument(), time.gmtime()[:6])
    return [now, (datetime.datetime.now(datetime.UTC), datetime.date.today())]


def _draws() -> Rows:
    of_a_set = random.choice(list({f"broker-{number}" for number in range(MANY)}))
    rows: Rows = [(random.random(), random.Random().random(), of_a_set)]
    rows += [(os.urandom(8), secrets.token_hex(8), uuid.uuid4())]
    rows += [(uuid.uuid1().time, uuid.uuid1().clock_seq)]
    random.seed()
    return [*rows, (random.random(),)]


def _sets() -> Rows:
    """Returns the order in which sets iterate that aiokafka hands out."""
    partitions = {TopicPartition("orders", number) for number in range(MANY)}
    brokers = {BrokerMetadata(number, "localhost", 9092, None) for number in range(MANY)}
    return [tuple(of.partition for of in partitions), tuple(of.nodeId for of in brokers)]


async def _done() -> Rows:
    """Returns the order in which sets of tasks and of futures iterate."""
    loop = asyncio.get_running_loop()
    tasks = [asyncio.create_task(asyncio.sleep(0, number)) for number in range(MANY)]
    done, _ = await asyncio.wait(tasks)
    futures = {loop.create_future(): number for number in range(MANY)}
    for future in futures:
        future.set_result(None)
    of_futures, _ = await asyncio.wait(futures)
    return [tuple(task.result() for task in done), tuple(futures[of] for of in of_futures)]


async def _cancelled() -> Rows:
    """Returns the order in which a task group cancels its tasks."""
    cancelled: list[int] = []

    async def wait(number: int) -> None:
        try:
            await asyncio.sleep(10)
        finally:
            cancelled.append(number)

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError

    try:
        async with asyncio.TaskGroup() as group:
            for number in range(MANY):
                group.create_task(wait(number))
            group.create_task(fail())
    except* ValueError:
        pass
    return [tuple(cancelled)]


async def _completed() -> Rows:
    """Returns the order in which `as_completed` begins what it is given."""
    begun: list[int] = []

    async def begin(number: int) -> None:
        begun.append(number)

    for completed in asyncio.as_completed([begin(number) for number in range(MANY)]):
        await completed
    return [tuple(begun)]


async def _collected() -> Rows:
    """Returns when an object of a cycle is collected."""
    collected: list[int] = []

    class Cycle:
        def __init__(self, number: int) -> None:
            self.number, self.itself = number, self

        def __del__(self) -> None:
            collected.append(made)

    made = 0
    for made in range(GARBAGE):
        Cycle(made)
        if not made % 100:
            await asyncio.sleep(0)
    return [tuple(collected)]


async def _kill_a_node(seed: int, rows: Rows) -> None:
    async def main() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            rows.append(("a killed node cleans up", monotonic()))

    async with Cluster(brokers=1, seed=seed) as kraft:
        kraft.nodes.add(main, name="operator")
        await asyncio.sleep(1)
        await kraft.nodes.kill("operator")
        gc.collect()
        await asyncio.sleep(1)


async def _generator(number: int, rows: Rows) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        rows.append(("closed", number))
