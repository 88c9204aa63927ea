"""What runs of the library come to: a line `NAME SEED off` comes in and a digest goes out; `on`:
all properties watch. Nothing but the project is imported: any Python with its libraries will do.
"""

import sys
from functools import cache

from kraftsim.files.scenario_files import library, read_file
from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.running.run import Run


@cache
def scenario_of(name: str) -> Scenario:
    return in_small(read_file(library()[name]).scenario)


def digest_of(name: str, seed: int, *, watched: bool) -> str:
    scenario = scenario_of(name)
    return Run(scenario, seed, None if watched else []).finish().digest


if __name__ == "__main__":
    for line in sys.stdin:
        name, seed, watched = line.split()
        print(digest_of(name, int(seed), watched=watched == "on"), flush=True)
