"""Measure the mutants anew: hours of a processor, so nobody waits for it.

`python -m tests.mutant_measures smallest [NAME ...]` makes the smallest scenario of each mutant
that has none, or of those that are named; `python -m tests.mutant_measures swarm SEEDS [NAME ...]`
counts how many seeds of the swarm alone kill each that has not been counted with as many.
"""

import sys
import time

from kraftsim.mutant_files import (
    REPRODUCERS,
    Density,
    densities,
    keep_density,
    reproducers,
    size,
)
from kraftsim.mutant_verbs import SWARM, small_scenario
from kraftsim.scenario_files import written
from kraftsim.scenarios.mutants import MUTANTS
from kraftsim.scenarios.mutants.kill import broken, kills
from kraftsim.scenarios.mutants.reproduce import reproducer

LIMIT_S = 60.0  # of the processor, for the smallest scenario of one


def smallest(names):
    for name in names or sorted(set(MUTANTS) - set(reproducers())):
        one = MUTANTS[name]
        scenario = small_scenario(one.scenario)
        began_s = time.process_time()
        small = reproducer(one, scenario, scenario.pins[0].seed, may_go_on=within(LIMIT_S))
        REPRODUCERS.mkdir(exist_ok=True)
        (REPRODUCERS / f"{name}.yaml").write_text(written(small), "utf-8")
        print(name, size(small), f"{time.process_time() - began_s:.0f} s", flush=True)


def within(limit_s):
    ends_s = time.process_time() + limit_s
    return lambda: time.process_time() < ends_s


def swarm(seeds, names):
    scenario = small_scenario(SWARM)
    passing = [seed for seed in range(1, seeds + 1) if not broken(scenario, seed)]
    known = densities()
    for name in names or sorted(MUTANTS):
        if not names and name in known and known[name].seeds >= len(passing):
            continue
        density = Density(kills(MUTANTS[name], scenario, passing), len(passing))
        keep_density(name, density)
        print(name, density, flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["smallest", *names]:
            smallest(names)
        case ["swarm", seeds, *names]:
            swarm(int(seeds), names)
        case _:
            sys.exit(__doc__)
