"""Pins of a scenario file: what a seed gave when it was pinned, and whether it gives that still.

`plan:` names a file beside the scenario, which `kraftsim scenario show` wrote. It is a scenario
itself, and repeats the run that was meant, whatever the seed gives now.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kraftsim.scenarios.document.plan import expand, named
from kraftsim.scenarios.document.scenario import Pin, Scenario
from kraftsim.scenarios.running.drift import first_difference
from kraftsim.scenarios.running.run import Result

from ..errors import CommandError
from .scenario_files import ScenarioFile, read_file

if TYPE_CHECKING:
    from pathlib import Path


def pinned_plan(
    scenario: Scenario, seed: int, bound: Mapping[str, tuple[int, ...]], digest: str = ""
) -> Scenario:
    """The plan as it is kept, with those whom `let` has bound: run without words it repeats this
    very run."""
    pin = Pin(seed=seed, digest=digest, cell=scenario.cell)
    return replace(named(expand(scenario, seed), bound), pins=(pin,), smoke={})


def drifts(file: ScenarioFile, result: Result) -> Iterator[str]:
    """A sentence for each pin of that seed that does not hold any more."""
    for pin in file.scenario.own_pins:
        if pin.seed != result.seed:
            continue
        if pin.plan:
            path = _plan_path(file, pin)
            plan = read_file(path).scenario
            now = named(expand(file.scenario, pin.seed), result.bound)
            difference = first_difference(plan, now)
            if difference is not None:
                yield f"the plan is another: {difference}; kraftsim scenario run {path} has the old"
        if pin.digest and pin.digest != result.digest:
            yield f"{pin.digest} was pinned, so this seed no longer means what it meant"


def _plan_path(file: ScenarioFile, pin: Pin) -> "Path":
    path = file.path.parent / pin.plan
    if not path.is_file():
        show = f"kraftsim scenario show {file.path} --seed {pin.seed} > {path}"
        raise CommandError(f"{file.path}: expected the plan of seed {pin.seed} in {path}; {show}")
    return path
