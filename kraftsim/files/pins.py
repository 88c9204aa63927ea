"""Pins of a scenario file: the result of a seed when it was pinned, compared with its result now.

`plan:` names a file next to the scenario, written by `kraftsim scenario show`. The file is itself a
scenario, which repeats the pinned run even if the seed now draws another plan.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kraftsim.scenarios.document.plan import expand, named
from kraftsim.scenarios.document.scenario import Pin, Scenario
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.running.drift import first_difference
from kraftsim.scenarios.running.run import Result

from .contained import contained
from .scenario_files import ScenarioFile, read_file

if TYPE_CHECKING:
    from pathlib import Path


def pinned_plan(
    scenario: Scenario, seed: int, bound: Mapping[str, tuple[int, ...]], digest: str = ""
) -> Scenario:
    """Returns the plan of a seed as a scenario, which repeats the run exactly.

    `bound` has the nodes that each `let` of the scenario has bound during the run.
    """
    pin = Pin(seed=seed, digest=digest, cell=scenario.cell)
    return replace(named(expand(scenario, seed), bound), pins=(pin,), smoke={})


def expect_plans(file: ScenarioFile) -> None:
    """Raises UsageError if a pin names a plan that is no file in the folder of the scenario."""
    for pin in file.scenario.pins:
        if pin.plan:
            _plan_path(file, pin)


def drifts(file: ScenarioFile, result: Result) -> Iterator[str]:
    """Yields a sentence for each pin of the result's seed that no longer holds."""
    for pin in file.scenario.own_pins:
        if pin.seed != result.seed:
            continue
        if pin.plan:
            path = _plan_path(file, pin)
            plan = read_file(path).scenario
            now = named(expand(file.scenario, pin.seed), result.bound)
            difference = first_difference(plan, now)
            if difference is not None:
                yield (
                    f"the plan of this seed has changed: {difference}; run the pinned plan with: "
                    f"kraftsim scenario run {path}"
                )
        if pin.digest and pin.digest != result.digest:
            yield f"the pinned digest is {pin.digest}: this seed has another run now"


def _plan_path(file: ScenarioFile, pin: Pin) -> "Path":
    key_path = ("pins", file.scenario.pins.index(pin), "plan")
    try:
        path = contained(file.path.parent, pin.plan)
    except ValueError as error:
        raise file.document.error(Problem(key_path, str(error))) from None
    if not path.is_file():
        show = f"kraftsim scenario show {file.path} --seed {pin.seed} > {path}"
        text = f"no such file: {path}; write the plan of seed {pin.seed} with: {show}"
        raise file.document.error(Problem(key_path, text))
    return path
