"""Distinct behaviours of a led hunt beside the plain swarm, for the same processor time."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kraftsim.files.hunt_files import swarm_of
from kraftsim.pipeline.forks import apart, processor_s
from kraftsim.scenarios.hunting.branches import Branches, run_all
from kraftsim.scenarios.hunting.candidate import Shown
from kraftsim.scenarios.hunting.hunt import Hunt

from ..report import Row

SEEDS = tuple(int(seed) for seed in os.environ.get("KRAFTSIM_BENCH_SEEDS", "2 3 4").split())
SEARCH_S = int(os.environ.get("KRAFTSIM_BENCH_SEARCH_S", "600"))  # of each search
MARKS_S = (60, 180, 600)  # points of the curve


@dataclass(slots=True)
class _Search:
    hunt: Hunt
    spent_s: float = 0.0

    @property
    def behaviours(self) -> int:
        return len(self.hunt.corpus.runs_with)

    def round(self) -> None:
        began_s = processor_s()
        self.hunt.round(_in_turn)
        self.spent_s += processor_s() - began_s


def searches() -> Iterator[Row]:
    """Yields a row for each seed and each point of the curve."""
    for seed in SEEDS:
        yield from _of_seed(seed)


def _of_seed(seed: int) -> Iterator[Row]:
    """Lets that search go on which has had less time: so both meet the same load of the machine."""
    scenario = swarm_of()
    led, plain = _Search(Hunt(scenario, seed)), _Search(Hunt(scenario, seed, is_led=False))
    for mark_s in (mark for mark in MARKS_S if mark <= SEARCH_S):
        while min(led.spent_s, plain.spent_s) < mark_s:
            min(led, plain, key=lambda search: search.spent_s).round()
        times = f"{led.spent_s:.0f} s beside {plain.spent_s:.0f} s"
        yield Row(
            f"behaviours of seed {seed}, {times}",
            f"{led.behaviours:,}",
            f"{plain.behaviours:,}",
            led.behaviours / plain.behaviours,
            ">= 3",
        )


def _in_turn(draws: Sequence[Branches]) -> Iterator[Sequence[Shown]]:
    return (run_all(branches, apart) for branches in draws)
