"""The simulated loop beside asyncio's own, and what it costs a cluster in virtual time."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from statistics import median
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from kraftsim import Cluster, simulated_loop
from kraftsim.simulated_loop.runner import new_loop

from ..report import Row

RUNS = 7
CALLS, ECHOES = 20_000, 2_000
MESSAGE = b"." * 100
MINUTES = 5  # of virtual time, with and without a loop
IDLE_S = 300

Loop = asyncio.AbstractEventLoop


def loop() -> Iterator[Row]:
    """Measures callbacks and timers, a world in a loop, and clients that wait."""
    for name, measured, calls, goal in (
        ("a callback", _callbacks, CALLS, "<= 2"),
        ("a timer", _timers, CALLS, "<= 2"),
        ("a timer that is cancelled", _cancelled_timers, CALLS, "<= 2"),
        ("asyncio.sleep", _sleeps, CALLS, "<= 2"),
        ("an echo of 100 bytes over a connection", _echoes, ECHOES, ""),
    ):
        pairs = [
            tuple(_us(make, measured, calls) for make in (new_loop, asyncio.new_event_loop))
            for _ in range(RUNS)
        ]
        yield _row(f"simulated loop: {name}", pairs, "us", "asyncio", goal)
    pairs = [(_in_simulated_loop_s(), _in_virtual_clock_s()) for _ in range(RUNS)]
    yield _row(f"{MINUTES} minutes of 3 + 10 nodes", pairs, "s", "without a loop", "<= 1.10")
    rate = median(IDLE_S / _idle_clients_s() for _ in range(RUNS))
    yield Row("aiokafka producer and consumer, idle", f"{rate:.0f} x real time", goal=">= 300 x")


def _row(name: str, pairs: list[tuple[float, ...]], unit: str, peer: str, goal: str) -> Row:
    ours, theirs = (median(times) for times in zip(*pairs, strict=True))
    ratio = median(its / other for its, other in pairs)
    return Row(name, f"{ours:.2f} {unit}", f"{peer} {theirs:.2f} {unit}", ratio, goal)


def _us(make: Callable[[], Loop], measured: Callable[[Loop, int], None], calls: int) -> float:
    """Returns the microseconds of processor time that a call takes."""
    made = make()
    began = time.process_time()
    measured(made, calls)
    took_s = time.process_time() - began
    made.close()
    return took_s / calls * 1e6


def _callbacks(loop: Loop, calls: int) -> None:
    _in_turn(loop, calls, loop.call_soon)


def _timers(loop: Loop, calls: int) -> None:
    _in_turn(loop, calls, lambda callback: loop.call_later(1e-9, callback))


def _in_turn(loop: Loop, calls: int, schedule: Callable[[Callable[[], None]], object]) -> None:
    left = calls

    def call() -> None:
        nonlocal left
        left -= 1
        if left:
            schedule(call)
        else:
            loop.stop()

    schedule(call)
    loop.run_forever()


def _cancelled_timers(loop: Loop, calls: int) -> None:
    async def main() -> None:
        for _ in range(calls):
            loop.call_later(100, int).cancel()

    loop.run_until_complete(main())


def _sleeps(loop: Loop, calls: int) -> None:
    async def main() -> None:
        for _ in range(calls):
            await asyncio.sleep(1e-9)

    loop.run_until_complete(main())


def _echoes(loop: Loop, calls: int) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(len(MESSAGE)):
            writer.write(data)
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        for _ in range(calls):
            writer.write(MESSAGE)
            await reader.readexactly(len(MESSAGE))
        writer.close()
        await writer.wait_closed()
        server.close()

    loop.run_until_complete(main())


def _in_virtual_clock_s() -> float:
    async def main() -> float:
        async with Cluster(brokers=10, controllers=3, seed=1, clock="virtual") as kraft:
            return await _spent_s(lambda: kraft.clock.sleep(f"{MINUTES}m"))

    return asyncio.run(main())


def _in_simulated_loop_s() -> float:
    async def main() -> float:
        async with Cluster(brokers=10, controllers=3, seed=1):
            return await _spent_s(lambda: asyncio.sleep(MINUTES * 60))

    return simulated_loop.run(main, seed=1)


def _idle_clients_s() -> float:
    async def main() -> float:
        async with Cluster(brokers=3, kafka_port=0, seed=1) as kraft:
            await kraft.topics.create("orders", partitions=1, replication_factor=3)
            servers = kraft.bootstrap_servers
            consumer = AIOKafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")
            producer = AIOKafkaProducer(bootstrap_servers=servers)
            async with producer, consumer:
                consumer.assign([TopicPartition("orders", 0)])
                await producer.send_and_wait("orders", b"first")
                await consumer.getone()
                waiting = asyncio.create_task(consumer.getone())
                spent_s = await _spent_s(lambda: asyncio.sleep(IDLE_S))
                waiting.cancel()
            return spent_s

    return simulated_loop.run(main, seed=1)


async def _spent_s(act: Callable[[], Coroutine[Any, Any, object]]) -> float:
    began = time.process_time()
    await act()
    return time.process_time() - began
