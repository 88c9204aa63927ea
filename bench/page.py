"""The page and its lessons: first answers, rewinding, pictures of many brokers, weight."""

import asyncio
import gc
import gzip
import json
import time
from collections.abc import Iterator
from random import Random
from statistics import median

from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.lessons.film import film_of
from kraftsim.lessons.page_files import page_files
from kraftsim.lessons.tape import Tape
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.running.play import Play
from kraftsim.scenarios.running.run import Run

from .processes import elapsed_ms
from .report import Row

LESSON = "lesson-01-lease"
LONG_SEED = 7
REWINDS = 60
VISITORS = 30
FILM_US, SEEN_US = 5_000_000, 40_000_000
LONG = {
    "schema": "kraftsim/scenario/1",
    "name": "long",
    "claim": "A pause of 12 s every 40 s for twenty minutes.",
    "cluster": {
        "controllers": 3,
        "brokers": 6,
        "topics": {"orders": {"partitions": 12, "replication": 3}},
    },
    "time": {"run": "1150s", "calm": "10s"},
    "do": [{"every": "40s", "proc.pause": {"on": {"pick": 1, "of": "brokers"}, "for": "12s"}}],
}


def page() -> Iterator[Row]:
    """Measures what a visitor of the page waits for."""
    yield from asyncio.run(_answers())
    yield asyncio.run(_class())
    yield _rewinds()
    yield asyncio.run(_picture())
    weight_kb = sum(len(gzip.compress(data)) for data in page_files().values()) / 1000
    yield Row("weight of the page, compressed", f"{weight_kb:.0f} kB", goal="<= 300 kB")


async def _answers() -> Iterator[Row]:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        began = time.perf_counter()
        story = await kraft.lessons.story(LESSON)
        first_ms, began = elapsed_ms(began), time.perf_counter()
        await kraft.lessons.film(
            LESSON, from_us=story["beginUs"], to_us=story["beginUs"] + 5_000_000
        )
        film_ms = elapsed_ms(began)
    return iter(
        (
            Row("first lesson, with the start of its process", f"{first_ms:.0f} ms"),
            Row("five seconds of a lesson in pictures", f"{film_ms:.0f} ms"),
        )
    )


async def _class() -> Row:
    """Thirty visitors open one lesson over HTTP, and each fetches 40 s of it, film by film."""
    waits_ms: list[float] = []

    async def get(session: ClientSession, path: str, **words: int) -> None:
        began = time.perf_counter()
        async with session.get(path, params=words) as response:
            response.raise_for_status()
            await response.read()
        waits_ms.append(elapsed_ms(began))

    async def visit(session: ClientSession) -> None:
        await get(session, f"/v1/lessons/{LESSON}/story")
        for from_us in range(0, SEEN_US, FILM_US):
            to_us = from_us + FILM_US - 1
            await get(session, f"/v1/lessons/{LESSON}/film", fromUs=from_us, toUs=to_us)

    async with (
        Cluster(brokers=1, clock="virtual", seed=1, http_port=0) as kraft,
        ClientSession(kraft.http_url) as session,
    ):
        await asyncio.gather(*(visit(session) for _ in range(VISITORS)))
    text = f"{median(waits_ms):.0f} ms (longest {max(waits_ms):.0f})"
    return Row(f"{VISITORS} visitors of one lesson: an answer", text)


def _rewinds() -> Row:
    scenario = read_scenario(LONG)
    tape = Tape(Play(Run(scenario, LONG_SEED)))
    draw, times_ms = Random(1), []
    gc.disable()  # as in the process of the lessons, which collects between two answers
    for _ in range(REWINDS):
        at_us = draw.randrange(tape.end_us)
        began = time.perf_counter()
        json.dumps(film_of(tape.at(at_us), at_us))
        times_ms.append(elapsed_ms(began))
        gc.collect(0)
    gc.enable()
    name = f"rewind to any of {tape.result.events:,} events"
    text = f"{median(times_ms):.0f} ms (longest {max(times_ms):.0f})"
    return Row(name, text, goal="<= 100 ms")


async def _picture() -> Row:
    async with Cluster(brokers=1000, controllers=3, clock="virtual", seed=1) as kraft:
        times_ms = []
        for _ in range(20):
            began = time.perf_counter()
            json.dumps(await kraft.scene())
            times_ms.append(elapsed_ms(began))
    return Row("1,000 brokers: a picture", f"{median(times_ms):.1f} ms (four a second)")
