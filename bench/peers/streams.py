"""The workload as plain asyncio code without a simulator's API: one connection per pair."""

import asyncio

from bench.peers.workload import BEAT_S, SWEEP_S, LeaseKeeper, Tally

PORT = 9093
WIDTH = 8


async def controller(host: str, tally: Tally) -> None:
    """Answers heartbeats and sweeps leases."""
    keeper = LeaseKeeper(tally)
    loop = asyncio.get_running_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                beat = await reader.readexactly(WIDTH)
                keeper.renew(int.from_bytes(beat, "big"), loop.time())
                writer.write(beat)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the run has ended

    await asyncio.start_server(serve, host, PORT)
    while True:
        await asyncio.sleep(SWEEP_S)
        keeper.sweep(loop.time())


async def broker(number: int, controllers: list[str], tally: Tally, first_s: float) -> None:
    """Sends heartbeats to every controller, the first after `first_s` seconds."""

    async def listen(reader: asyncio.StreamReader) -> None:
        while True:
            await reader.readexactly(WIDTH)
            tally.events += 1

    await asyncio.sleep(0.1)  # controllers start to listen meanwhile
    lines = [await asyncio.open_connection(process, PORT) for process in controllers]
    listeners = [asyncio.create_task(listen(reader)) for reader, _ in lines]
    await asyncio.sleep(first_s)
    beat = number.to_bytes(WIDTH, "big")
    while listeners:
        tally.events += 1
        for _, writer in lines:
            writer.write(beat)
        await asyncio.sleep(BEAT_S)
