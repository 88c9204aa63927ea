"""What a judge runs where a mutant is planted; exits with 1 at the first violation.

`python -m tools.mutation.strike swarm SEEDS`, `hunt SECONDS` (of processor time), or `library`.
"""

import sys
from collections.abc import Callable, Iterator, Sequence

from kraftsim.cli.scenario.mutants import small_scenario
from kraftsim.files.hunt_files import swarm_of
from kraftsim.files.scenario_files import library
from kraftsim.pipeline.forks import apart, processor_s
from kraftsim.scenarios.hunting.branches import Branches, run_all
from kraftsim.scenarios.hunting.candidate import Shown, drawn, run
from kraftsim.scenarios.hunting.hunt import Hunt
from kraftsim.scenarios.mutants.kill import falls

HUNT_SEED = 7


def swarm(seeds: int) -> bool:
    """Returns True if a seed of the swarm breaks a property."""
    scenario = swarm_of()
    return any(run(drawn(scenario, seed)).broken for seed in range(1, seeds + 1))


def hunt(limit_s: float) -> bool:
    """Returns True if a hunt breaks a property within `limit_s` s of processor time; prints it."""
    searching = Hunt(swarm_of(), HUNT_SEED)
    while processor_s() < limit_s:
        searching.round(_until_broken)
        if searching.findings:
            first = searching.findings[0]
            print(f"seed {first.candidate.seed}: {', '.join(first.broken)}: {first.what}")
            return True
    return False


def _until_broken(draws: Sequence[Branches]) -> Iterator[Sequence[Shown]]:
    """Runs the candidates of a round up to a violation."""
    for branches in draws:
        shown = run_all(branches, apart)
        yield shown
        if any(shown_by_it.broken for shown_by_it in shown):
            return


def whole_library() -> bool:
    """Returns True if a scenario of the library breaks something, but those that always do."""
    return any(
        falls(scenario, scenario.pins[0].seed)
        for scenario in map(small_scenario, library())
        if scenario.expect.fails_with is None and scenario.pins
    )


STRIKES: dict[str, Callable[..., bool]] = {
    "swarm": lambda seeds: swarm(int(seeds)),
    "hunt": lambda seconds: hunt(float(seconds)),
    "library": whole_library,
}

if __name__ == "__main__":
    what, *amounts = sys.argv[1:]
    sys.exit(STRIKES[what](*amounts))
