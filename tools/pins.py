"""Writes the pins of the scenario library: the digest of the run of each pinned seed.

`python -m tools.pins [NAME ...]` writes the pins of all scenarios, or of the named scenarios. A
plan that depends on draws is written to a file beside them. tests/scenarios/test_library.py fails
if a run differs from its pin. Comments behind pins stay.
"""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import yaml

from kraftsim.files.pins import pinned_plan
from kraftsim.files.scenario_files import library, read_files, written
from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.document.scenario import Pin, Scenario
from kraftsim.scenarios.running.drift import first_difference
from kraftsim.scenarios.running.run import Run

PINS = re.compile(r"(?:^  - \{seed: .*\}(?:  #.*)?$\n)+", re.MULTILINE)


def pin_of(scenario: Scenario, seed: int, folder: Path) -> Pin:
    """Returns the pin of a seed: the digest of its run.

    If another seed would have another plan, the plan is written to a file in the folder.
    """
    result = Run(scenario, seed, []).finish()
    pin = Pin(seed=seed, digest=result.digest, cell=scenario.cell)
    if first_difference(expand(scenario, seed), expand(scenario, seed + 1)) is None:
        return pin
    assert not pin.cell, f"{scenario.name}: expected cells without draws, for a plan is of a seed"
    name = f"pins/{scenario.name}-{seed}.yaml"
    plan = pinned_plan(scenario, seed, result.bound, result.digest)
    (folder / name).write_text(written(plan), "utf-8")
    return replace(pin, plan=name)


def comments(lines: str) -> dict[tuple[int, tuple[str, ...]], str]:
    """Returns the comment behind each pin that has one, by seed and cell."""
    comment_of = {}
    for line in lines.splitlines():
        text, mark, comment = line.partition("  #")
        (pin,) = yaml.safe_load(text)
        comment_of[pin["seed"], tuple(pin.get("cell", ()))] = mark + comment
    return comment_of


def pin_line(pin: Pin, comment: str = "") -> str:
    cell = f", cell: {json.dumps(pin.cell)}" if pin.cell else ""
    plan = f", plan: {pin.plan}" if pin.plan else ""
    return f'  - {{seed: {pin.seed}, digest: "{pin.digest}"{cell}{plan}}}{comment}\n'


def pin_file(path: Path) -> None:
    """Writes the pins of a scenario file.

    Each cell of a sweep has a digest of its own for each pinned seed.
    """
    cells = [file.scenario for file in read_files(path)]
    pins = [pin_of(cell, pin.seed, path.parent) for cell in cells for pin in cell.own_pins]

    def anew(lines: re.Match[str]) -> str:
        comment_of = comments(lines[0])
        return "".join(pin_line(pin, comment_of.get((pin.seed, pin.cell), "")) for pin in pins)

    path.write_text(PINS.sub(anew, path.read_text("utf-8"), count=1), "utf-8")


def main(names: list[str]) -> None:
    for name, path in library().items():
        if name in names or not names:
            pin_file(path)
            print(f"{name} is pinned", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
