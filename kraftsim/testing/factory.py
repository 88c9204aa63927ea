"""Starts the clusters of one test, and closes them at its end."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ..api.cluster import Cluster
from ..commands.up import addresses
from .invariants import invariants_of
from .keys import CHOSEN, FAILED, RUNNING, SEED
from .leaks import Leaks
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
        prepare(self._test, cluster)
        await cluster.start()
        self._clusters.append(cluster)
        self._test.stash.setdefault(RUNNING, []).append(cluster)
        return cluster

    async def close(self, leaks: Leaks) -> None:
        """Closes the clusters; after a failure with --kraft-keep, first waits for their end.

        Fails a test that has left something behind.
        """
        try:
            await keep_after_failure(self._test, self._clusters)
            await leaks.refuse(self._clusters)
        finally:
            for cluster in self._clusters:
                self._test.stash[RUNNING].remove(cluster)
                await cluster.close()


def prepare(test: pytest.Item, cluster: Cluster) -> None:
    """Makes a cluster, which starts or is reset next, the cluster of the test."""
    invariants_of(test).watch(cluster)
    if CHOSEN in test.stash:
        from .chosen_faults import choose_faults  # imports the verbs of faults

        choose_faults(cluster, test.stash[CHOSEN])


async def keep_after_failure(test: pytest.Item, clusters: Sequence[Cluster]) -> None:
    """After a failure with --kraft-keep, waits for `kraftsim down` or Ctrl-C."""
    if FAILED not in test.stash or not test.config.getoption("kraft_keep"):
        return
    for cluster in clusters:
        if not cluster.http_url:
            await cluster.open_http()
        _print(test, cluster)
    for cluster in clusters:
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
    factory, leaks = Factory(test), Leaks(test)
    try:
        yield factory
    finally:
        await factory.close(leaks)
