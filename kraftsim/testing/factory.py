"""Starts the clusters of one test, and closes them at its end."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from ..api.cluster import Cluster
from ..commands.up import addresses
from .blocking import BlockingCluster, call_in, loop_in_thread
from .keys import FAILED, RUNNING, SEED
from .requested import new_cluster, requested_options


class Factory:
    """Starts clusters of one test. The marker of the test has the defaults of their options."""

    def __init__(self, test: pytest.Item) -> None:
        self._test, self._options = test, requested_options(test)
        self._clusters: list[Cluster] = []

    async def __call__(self, **options: Any) -> Cluster:
        """Starts a cluster and returns it once every broker is unfenced.

        `options` are arguments of `Cluster`. Fails the test if an argument is unknown or wrong.
        """
        seed = self._test.stash[SEED] + len(self._clusters)
        cluster = new_cluster({**self._options, "seed": seed, **options})
        await cluster.start()
        self._clusters.append(cluster)
        self._test.stash.setdefault(RUNNING, []).append(cluster)
        return cluster

    async def close(self) -> None:
        """Closes the clusters; after a failure with --kraft-keep, first waits for their end."""
        try:
            if FAILED in self._test.stash and self._test.config.getoption("kraft_keep"):
                await self._keep()
        finally:
            for cluster in self._clusters:
                self._test.stash[RUNNING].remove(cluster)
                await cluster.close()

    async def _keep(self) -> None:
        """Prints the addresses of the clusters, and waits for `kraftsim down` or Ctrl-C."""
        for cluster in self._clusters:
            if not cluster.http_url:
                await cluster.open_http()
            _print(self._test, cluster)
        for cluster in self._clusters:
            await cluster.until_down()


def _print(test: pytest.Item, cluster: Cluster) -> None:
    """Prints the addresses of a cluster as `kraftsim up` does, although pytest captures stdout."""
    lines = [f"{key}={value}" for key, value in addresses(cluster).items()]
    heading = f"kraftsim keeps the cluster of {test.nodeid} until Ctrl-C:"
    capture: Any = test.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("", heading, *lines, sep="\n", flush=True)


@asynccontextmanager
async def factory_of(test: pytest.Item) -> AsyncIterator[Factory]:
    """Returns the factory of a test; closes its clusters when the block ends."""
    factory = Factory(test)
    try:
        yield factory
    finally:
        await factory.close()


@contextmanager
def blocking_cluster(test: pytest.Item) -> Iterator[BlockingCluster]:
    """Runs a cluster of the test in a thread until the block ends."""
    factory = Factory(test)
    with loop_in_thread() as loop:
        try:
            yield BlockingCluster(call_in(loop, factory()), loop)
        finally:
            call_in(loop, factory.close())
