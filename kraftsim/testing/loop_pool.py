"""The clusters of `kraft` that tests of a module or a session share, on one event loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event
from typing import Any

import pytest

from ..api.cluster import Cluster
from .blocking import is_asynchronous, refuse_late_call
from .keys import SEED
from .preparation import begin_chaos, prepare
from .requested import new_cluster, options_key, refuse, requested_options, requested_scope


class Lent:
    """A shared cluster as a test has it, or a part of it, until the test has ended."""

    def __init__(self, target: Any, ended: Event | None = None) -> None:
        self._target, self._ended = target, ended or Event()

    def end(self) -> None:
        """Refuses every later call: the cluster may belong to another test by then."""
        self._ended.set()

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            refuse_late_call(self._ended)
        attribute = getattr(self._target, name)
        return Lent(attribute, self._ended) if is_asynchronous(type(attribute)) else attribute

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Calls a part of a cluster: `async with kraft.chaos(7): ...`."""
        refuse_late_call(self._ended)
        return self._target(*arguments, **named)


class LoopPool:
    """The running clusters of a module or a session, by their options."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._clusters: dict[str, Cluster] = {}

    async def lend(self, test: pytest.Item) -> Cluster:
        """Returns the cluster that the test's marker describes; it is new, or was reset.

        Fails a test that runs on another event loop.
        """
        scope, options = requested_scope(test), requested_options(test)
        if asyncio.get_running_loop() is not self._loop:
            refuse(
                f"the cluster of this {scope} runs on another event loop than this test: give all "
                f"tests that share it the same loop, such as {loop_marker(scope)}"
            )
        key, seed = options_key(options), test.stash[SEED]
        cluster = self._clusters.get(key)
        if cluster is not None:
            prepare(test, cluster)
            await cluster.reset(seed)
        else:
            cluster = new_cluster({**options, "seed": seed})
            prepare(test, cluster)
            await cluster.start()
            self._clusters[key] = cluster
        await begin_chaos(test, cluster)
        return cluster

    async def close(self) -> None:
        """Closes every cluster."""
        for cluster in self._clusters.values():
            await cluster.close()


@asynccontextmanager
async def loop_pool() -> AsyncIterator[LoopPool]:
    """Returns a pool of the running event loop; closes its clusters when the block ends."""
    pool = LoopPool()
    try:
        yield pool
    finally:
        await pool.close()


def loop_marker(scope: str) -> str:
    """Returns the marker of pytest-asyncio for a test whose loop lives as long as `scope`."""
    return f'@pytest.mark.asyncio(loop_scope="{scope}")'
