"""The workload as a program for asyncio that knows of no simulator: one connection a pair."""

import asyncio

from bench.peers.workload import BEAT_S, SWEEP_S, LeaseKeeper, Tally

PORT = 9093
WIDTH = 8


async def controller(host: str, tally: Tally) -> None:
    keeper = LeaseKeeper(tally)
    loop = asyncio.get_running_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                beat = await reader.readexactly(WIDTH)
                keeper.hear(int.from_bytes(beat, "big"), loop.time())
                writer.write(beat)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the run is over

    await asyncio.start_server(serve, host, PORT)
    while True:
        await asyncio.sleep(SWEEP_S)
        keeper.sweep(loop.time())


async def broker(number: int, controllers: list[str], tally: Tally, first_s: float) -> None:
    async def listen(reader: asyncio.StreamReader) -> None:
        while True:
            await reader.readexactly(WIDTH)
            tally.events += 1

    await asyncio.sleep(0.1)  # the controllers begin to listen at the same time
    lines = [await asyncio.open_connection(one, PORT) for one in controllers]
    listeners = [asyncio.create_task(listen(reader)) for reader, _ in lines]
    await asyncio.sleep(first_s)
    beat = number.to_bytes(WIDTH, "big")
    while listeners:
        tally.events += 1
        for _, writer in lines:
            writer.write(beat)
        await asyncio.sleep(BEAT_S)
