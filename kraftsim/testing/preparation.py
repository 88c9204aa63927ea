"""Prepares a cluster for a test: its properties are watched, and its faults are chosen."""

import pytest

from ..api.cluster import Cluster
from .invariants import invariants_of
from .keys import CHOSEN


def prepare(test: pytest.Item, cluster: Cluster) -> None:
    """Makes a cluster, which starts or is reset next, the cluster of the test."""
    invariants_of(test).watch(cluster)
    if CHOSEN in test.stash:
        from .chosen_faults import choose_faults  # imports the verbs of faults

        choose_faults(cluster, test.stash[CHOSEN])
