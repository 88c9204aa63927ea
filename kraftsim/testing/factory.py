"""Starts or borrows the clusters of one test, and closes or returns them at its end."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ..api.cluster import Cluster
from ..commands.up import addresses
from ..service.event_loop.simulated import simulated_loop
from .keys import FAILED, RUNNING, SEED
from .leaks import Leaks
from .loop_pool import Lent, LoopPool
from .preparation import begin_chaos, prepare
from .requested import has_simulated_loop, new_cluster, refuse, requested_options


class Factory:
    """Starts clusters of one test. The marker of the test has the defaults of their options."""

    def __init__(self, test: pytest.Item) -> None:
        self._test, self._options = test, requested_options(test)
        self._clusters: list[Cluster] = []
        self._borrowed: list[Lent] = []

    async def __call__(self, **options: Any) -> Cluster:
        """Starts a cluster and returns it once every broker is unfenced.

        `options` are arguments of `Cluster`. Fails the test if an argument is unknown or wrong.
        """
        if has_simulated_loop(self._test) != (simulated_loop() is not None):
            refuse(
                'loop="simulated": expected an event loop for each test, got one that tests with '
                'other loops share: pytest-asyncio\'s loop_scope="function"'
            )
        seed = self._test.stash[SEED] + len(self._clusters)
        cluster = new_cluster({**self._options, "seed": seed, **options})
        prepare(self._test, cluster)
        await cluster.start()
        self._clusters.append(cluster)
        await begin_chaos(self._test, cluster)
        self._running.append(cluster)
        return cluster

    async def borrow(self, pool: LoopPool) -> Any:
        """Returns the cluster of the test from the pool, which refuses calls after the test."""
        cluster = await pool.lend(self._test)
        self._running.append(cluster)
        self._borrowed.append(Lent(cluster))
        return self._borrowed[-1]

    @property
    def _running(self) -> list[Cluster]:
        return self._test.stash.setdefault(RUNNING, [])

    async def close(self, leaks: Leaks) -> None:
        """Closes its own clusters; after a failure with --kraft-keep, first waits for their end.

        Fails a test that has left something behind.
        """
        try:
            await keep_after_failure(self._test, self._running)
            await leaks.refuse(self._running)
        finally:
            for borrowed in self._borrowed:
                borrowed.end()
            self._running.clear()
            for cluster in self._clusters:
                await cluster.close()


async def keep_after_failure(test: pytest.Item, clusters: Sequence[Cluster]) -> None:
    """After a failure with --kraft-keep, waits for `kraftsim down` or Ctrl-C."""
    if FAILED not in test.stash or not test.config.getoption("kraft_keep"):
        return
    if has_simulated_loop(test):
        _print(test, [f"kraftsim keeps no cluster of a simulated loop: {test.nodeid}"])
        return
    for cluster in clusters:
        if not cluster.http_url:
            await cluster.open_http()
        lines = [f"{key}={value}" for key, value in addresses(cluster).items()]
        _print(test, [f"kraftsim keeps the cluster of {test.nodeid} until Ctrl-C:", *lines])
    for cluster in clusters:
        await cluster.until_down()


def _print(test: pytest.Item, lines: Sequence[str]) -> None:
    """Prints lines, although pytest captures stdout."""
    capture: Any = test.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("", *lines, sep="\n", flush=True)


@asynccontextmanager
async def factory_of(test: pytest.Item) -> AsyncIterator[Factory]:
    """Returns the factory of a test; closes its clusters when the block ends."""
    factory, leaks = Factory(test), Leaks(test)
    try:
        yield factory
    finally:
        await factory.close(leaks)
