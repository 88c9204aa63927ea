"""Prepares a cluster for a test: its properties are watched, and its faults are chosen.

Once it runs, random faults begin if the marker of the test has them.
"""

import pytest

from ..api.cluster import Cluster
from ..errors import UsageError
from .invariants import invariants_of
from .keys import CHOSEN
from .requested import refuse, requested_chaos


def prepare(test: pytest.Item, cluster: Cluster) -> None:
    """Makes a cluster, which starts or is reset next, the cluster of the test."""
    invariants_of(test).watch(cluster)
    if CHOSEN in test.stash:
        from .exploring.chosen_faults import choose_faults  # imports the verbs of faults

        choose_faults(cluster, test.stash[CHOSEN])


async def begin_chaos(test: pytest.Item, cluster: Cluster) -> None:
    """Begins the random faults of the test's marker; fails the test if they are wrong."""
    words = requested_chaos(test)
    if words is not None:
        try:
            await cluster.chaos.begin(**words)
        except UsageError as error:
            refuse(f"chaos: {error}")
