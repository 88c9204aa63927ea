"""`BlockingCluster` by itself, for programs that know no asyncio and no fixtures of pytest."""

import threading

import pytest

from kraftsim import BlockingCluster
from kraftsim.errors import CommandError


def test_a_blocking_cluster_starts_and_ends_with_its_block() -> None:
    threads = threading.active_count()
    with BlockingCluster(brokers=3, clock="virtual", seed=7) as kraft:
        kraft.brokers.kill(2)
        kraft.wait(broker=2, state="fenced")

        assert "fenced" in kraft.brokers.states_of(2)
        with kraft.branch() as branch:
            branch.brokers.restart(2, wait="60s")
            assert "unfenced" in branch.brokers.states_of(2)
        assert "fenced" in kraft.brokers.states_of(2)

    assert threading.active_count() == threads
    with pytest.raises(CommandError, match="has ended"):
        kraft.brokers.states_of(2)


def test_a_blocking_cluster_refuses_what_a_cluster_refuses() -> None:
    with pytest.raises(ValueError, match="brokers: expected 0 to"):
        BlockingCluster(brokers=-1)
    with pytest.raises(CommandError, match=r"not started: `with BlockingCluster\(\.\.\.\)`"):
        BlockingCluster(brokers=1).brokers.kill(1)
