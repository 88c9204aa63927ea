"""Writes the pins of the library: what each of its seeds gives now.

`python -m tests.pins` puts the digest of the whole run beside each pinned seed, and where a plan
depends on draws it keeps that, too; tests/scenarios/test_library.py fails when a seed gives
something else. Names as arguments: only those.
"""

import re
import sys
from pathlib import Path

from kraftsim.pins import pinned_plan
from kraftsim.scenario_files import library, read_files, written
from kraftsim.scenarios.drift import first_difference
from kraftsim.scenarios.plan import expand
from kraftsim.scenarios.run import Run
from kraftsim.scenarios.scenario import Pin, Scenario

PIN = re.compile(r"^  - \{seed: (\d+)[^}]*\}", re.MULTILINE)


def pin_of(scenario: Scenario, seed: int, folder: Path) -> Pin:
    """And its plan, written to the folder, where another seed would give another one."""
    digest = Run(scenario, seed, []).finish().digest
    if first_difference(expand(scenario, seed), expand(scenario, seed + 1)) is None:
        return Pin(seed=seed, digest=digest)
    name = f"pins/{scenario.name}-{seed}.yaml"
    (folder / name).write_text(written(pinned_plan(scenario, seed, digest)), "utf-8")
    return Pin(seed=seed, digest=digest, plan=name)


def spelled(pin: Pin) -> str:
    plan = f", plan: {pin.plan}" if pin.plan else ""
    return f'  - {{seed: {pin.seed}, digest: "{pin.digest}"{plan}}}'


def pin_file(path: Path) -> None:
    """Each cell of a sweep has a digest of its own: such a file pins none."""
    text, (first, *others) = path.read_text("utf-8"), read_files(path)
    if others:
        return
    scenario = first.scenario
    for found in PIN.finditer(text):
        pin = pin_of(scenario, int(found[1]), path.parent)
        text = text.replace(found[0], spelled(pin))
    path.write_text(text, "utf-8")


def main(names: list[str]) -> None:
    for name, path in library().items():
        if name in names or not names:
            pin_file(path)
            print(f"{name} is pinned", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
