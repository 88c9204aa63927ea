"""Measures the mutants, which takes hours of processor time.

`python -m tools.mutant_measures smallest [NAME ...]` makes the smallest scenario of each mutant
that has none, or of those that are named; `python -m tools.mutant_measures swarm SEEDS [NAME ...]`
counts how many seeds of the swarm alone kill each that has not been counted with as many.
"""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from kraftsim.cli.scenario.mutants import SWARM, small_scenario
from kraftsim.cli.scenario.shrink_progress import TRIES
from kraftsim.files.mutant_files import (
    REPRODUCERS,
    Density,
    densities,
    reproducers,
    size,
    store_density,
)
from kraftsim.files.scenario_files import written
from kraftsim.scenarios.mutants import MUTANTS
from kraftsim.scenarios.mutants.kill import broken, kills
from kraftsim.scenarios.shrinking.reproduce import reproducer
from kraftsim.scenarios.shrinking.search import Tries


def smallest(names: Sequence[str]) -> None:
    for name in names or sorted(set(MUTANTS) - set(reproducers())):
        mutant = MUTANTS[name]
        scenario = small_scenario(mutant.scenario)
        began_s = time.process_time()
        small = reproducer(mutant, scenario, scenario.pins[0].seed, Tries(TRIES))
        REPRODUCERS.mkdir(exist_ok=True)
        (REPRODUCERS / f"{name}.yaml").write_text(written(small.plan), "utf-8")
        size_text = f"{size(small.plan)}, {small.extent}"
        print(name, size_text, f"{time.process_time() - began_s:.0f} s", flush=True)


def swarm(seeds: int, names: Sequence[str]) -> None:
    """Counts the seeds that kill each mutant, in one process for each processor."""
    with ProcessPoolExecutor() as pool:
        passes = pool.map(_passes, range(1, seeds + 1), chunksize=10)
        passing = [seed for seed, pass_ in enumerate(passes, start=1) if pass_]
        known = densities()
        chosen = names or [
            name
            for name in sorted(MUTANTS)
            if name not in known or known[name].seeds < len(passing)
        ]
        counting = {pool.submit(_kills, name, passing): name for name in chosen}
        for done in as_completed(counting):
            density = Density(done.result(), len(passing))
            store_density(counting[done], density)
            print(counting[done], density, flush=True)


def _passes(seed: int) -> bool:
    return not broken(small_scenario(SWARM), seed)


def _kills(name: str, passing: Sequence[int]) -> int:
    return kills(MUTANTS[name], small_scenario(SWARM), passing)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["smallest", *names]:
            smallest(names)
        case ["swarm", seeds, *names]:
            swarm(int(seeds), names)
        case _:
            sys.exit(__doc__)
