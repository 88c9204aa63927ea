"""Each remedy against chance is needed: without it, processes or runs have other histories."""

import sys
from functools import cache

import pytest

from .ablation import REMEDIES
from .fresh_processes import told_by

pytestmark = pytest.mark.slow

SEED = "7"
HASH_SEEDS = ("1", "2", "3", "4", "5", "6", "7", "8")
HISTORIES = {"records-in-c": ("failover", SEED, "2")}  # with a producer; of the others: chance
ALIKE = {"killed-tasks", "records-in-c"}
"""Without these remedies the history is another one, but the same in each process: a killed node
cleans up; a broker refuses records of the year that the real clock shows."""


@cache
def digest(remedy: str, hash_seed: str) -> str:
    history = HISTORIES.get(remedy, ("chance", SEED))
    return told_by(sys.executable, "ablation", remedy, *history, hash_seed=hash_seed)


@pytest.mark.parametrize("remedy", sorted(REMEDIES.keys() - ALIKE - {"none"}))
def test_without_a_remedy_processes_have_different_histories(remedy: str) -> None:
    first, *others = HASH_SEEDS

    assert any(digest(remedy, other) != digest(remedy, first) for other in others)


@pytest.mark.parametrize("remedy", sorted(ALIKE))
def test_without_a_remedy_the_history_is_another_one(remedy: str) -> None:
    history = HISTORIES.get(remedy, ("chance", SEED))

    assert digest(remedy, "1") != told_by(sys.executable, "ablation", "none", *history)
