"""Writes docs/scenarios.md: the table of all scenarios in the library, from their files.

`python -m tools.scenario_docs` writes the page, and tests/scenarios/test_library.py fails if the
page differs from the result.
"""

from collections.abc import Iterable
from pathlib import Path

from kraftsim.files.scenario_files import library, read_file
from kraftsim.scenarios.document.scenario import Scenario

PAGE = Path(__file__).resolve().parent.parent / "docs" / "scenarios.md"
FAMILIES = {
    "lesson": "Lessons, in their order",
    "lease": "Leases, fencing and zombies",
    "registration": "Registration and identity",
    "quorum": "The quorum, and failovers",
    "operations": "Operations",
    "rack": "Racks",
    "clock": "Clocks",
    "disk": "Disks",
    "messages": "Messages",
    "load": "Load",
    "search": "Random faults, and checks of the verdicts",
}
INTRODUCTION = """\
# Scenarios: the library and its claims

Written by `python -m tools.scenario_docs` from the files of the library; do not edit this page.

`kraftsim scenario run NAME` runs a scenario and prints its events. `--seed N` selects
another run; the same seed always gives the same run. `kraftsim scenario show NAME` prints the plan
of a run. Each scenario makes a claim. Where the claim is *expected to break*, released Kafka breaks
it too.
"""


def scenarios() -> list[Scenario]:
    return [read_file(path).scenario for path in library().values()]


def render(scenarios: Iterable[Scenario]) -> str:
    by_family: dict[str, list[Scenario]] = {family: [] for family in FAMILIES}
    for scenario in scenarios:
        by_family[family_of(scenario)].append(scenario)
    lines = [INTRODUCTION]
    for family, members in by_family.items():
        lines += [f"## {FAMILIES[family]}", "", f"{len(members)} scenarios.", ""]
        lines += ["| name | claim | title and verbs | source | seed |", "|---|---|---|---|---|"]
        lines += [_row(member) for member in members]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def family_of(scenario: Scenario) -> str:
    """Returns the scenario's family: the first of its tags that is a family."""
    return next(tag for tag in scenario.tags if tag in FAMILIES)


def _row(scenario: Scenario) -> str:
    broken = scenario.expect.fails_with
    claim = scenario.claim + (f" *Expected to break: {broken}.*" if broken else "")
    seeds = ", ".join(str(seed) for seed in dict.fromkeys(pin.seed for pin in scenario.pins))
    cells = (f"`{scenario.name}`", claim, _shown(scenario), ", ".join(scenario.refs), seeds)
    return f"| {' | '.join(' '.join(cell.split()).replace('|', '/') for cell in cells)} |"


def _shown(scenario: Scenario) -> str:
    """Returns the title of the scenario, and the verbs of its steps."""
    words = dict.fromkeys(f"`{step.word}`" for step in scenario.do if step.word != "note")
    return f"{scenario.title}: {', '.join(words)}" if words else scenario.title


def main() -> None:
    PAGE.write_text(render(scenarios()), encoding="utf-8")
    print(f"docs/{PAGE.name}: {len(scenarios())} scenarios")


if __name__ == "__main__":
    main()
