"""What a judge runs where a mutant is planted; exits with 1 at the first violation.

`python -m tools.mutation.strike swarm SEEDS`, `hunt SECONDS` (of processor time), or `library`.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence

from kraftsim.cli.scenario.mutants import small_scenario
from kraftsim.files.scenario_files import find, library, read_file
from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.hunting.candidate import Candidate, Shown, drawn, run
from kraftsim.scenarios.hunting.hunt import Hunt
from kraftsim.scenarios.mutants.kill import falls

SWARM = "swarm-of-everything"
HUNT_SEED = 7


def swarm(seeds: int) -> bool:
    """Returns True if a seed of the swarm breaks a property."""
    scenario = _swarm()
    return any(run(drawn(scenario, seed)).broken for seed in range(1, seeds + 1))


def hunt(limit_s: float) -> bool:
    """Returns True if a hunt breaks a property within `limit_s` seconds of processor time."""
    searching = Hunt(_swarm(), HUNT_SEED)
    while time.process_time() < limit_s:
        searching.round(_until_broken)
        if searching.findings:
            return True
    return False


def _until_broken(candidates: Sequence[Candidate]) -> Iterator[Shown]:
    """Runs the candidates; after a violation the others of the round show nothing."""
    is_broken = False
    for candidate in candidates:
        shown = Shown({}, ()) if is_broken else run(candidate)
        is_broken = is_broken or bool(shown.broken)
        yield shown


def whole_library() -> bool:
    """Returns True if a scenario of the library breaks something, but those that always do."""
    return any(
        falls(scenario, scenario.pins[0].seed)
        for scenario in map(small_scenario, library())
        if scenario.expect.fails_with is None and scenario.pins
    )


def _swarm() -> Scenario:
    return read_file(find(SWARM)).scenario


STRIKES: dict[str, Callable[..., bool]] = {
    "swarm": lambda seeds: swarm(int(seeds)),
    "hunt": lambda seconds: hunt(float(seconds)),
    "library": whole_library,
}

if __name__ == "__main__":
    what, *amounts = sys.argv[1:]
    sys.exit(STRIKES[what](*amounts))
