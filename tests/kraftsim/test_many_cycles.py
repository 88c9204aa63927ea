"""Many clusters start, are reset and end in one process, and leave nothing behind."""

import asyncio
import gc
import os
import threading
from collections import Counter
from functools import _lru_cache_wrapper

import pytest

from kraftsim import Cluster
from tests.kraftsim.loop_passes import others_run

pytestmark = pytest.mark.slow

CYCLES = int(os.environ.get("KRAFTSIM_SOAK_CYCLES", "100"))  # `make soak` runs ten thousand
PASSES = 10  # of the event loop, in which it closes the sockets of the last cluster
WARM_UP = 20  # cycles, in which modules are imported and tables are made


async def cycle(seed: int) -> None:
    async with Cluster(
        brokers=1, clock="auto", seed=seed, kafka_port=0, controller_port=0
    ) as kraft:
        host, port = kraft.bootstrap_servers.split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        await kraft.brokers.kill(1)
        await kraft.wait(1, "fenced")
        await kraft.reset()
        writer.close()


def kept() -> Counter[str]:
    """Open files, threads, and the objects of kraftsim by type, without those in bounded caches."""
    gc.unfreeze()  # a service that a test has started froze what there was, caches too
    for cache in [item for item in gc.get_objects() if isinstance(item, _lru_cache_wrapper)]:
        cache.cache_clear()  # no other object may be held by a variable while they are counted
    gc.collect()
    ours = (type(item) for item in gc.get_objects())
    named = Counter(
        kind.__qualname__ for kind in ours if str(kind.__module__).startswith("kraftsim")
    )
    return named + Counter(files=len(os.listdir("/dev/fd")), threads=threading.active_count())


async def test_clusters_that_end_leave_nothing_behind() -> None:
    for number in range(WARM_UP):
        await cycle(number)
    await others_run(PASSES)
    before = kept()

    for number in range(CYCLES):
        await cycle(number)
    await others_run(PASSES)

    assert kept() - before == Counter()
    assert asyncio.all_tasks() == {asyncio.current_task()}
