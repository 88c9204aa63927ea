"""Writes docs/bugs.md: each mutant, where the bug happened, and which scenario kills it.

`python -m tools.mutant_table` writes the page; a test fails if the page differs from the result.
"""

from pathlib import Path

from kraftsim.files.mutant_files import densities, reproducers, size
from kraftsim.files.scenario_files import read_file
from kraftsim.scenarios.mutants import MUTANTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "bugs.md"
HEAD = """\
# Bugs that are planted, and what kills them

Each is switched on by `kraftsim scenario mutants NAME`, which runs its scenario with the bug and
expects the property, or the claim of the file, to fall. `start`: the cluster does not come up;
`assertion`: the core itself sees the impossible. A survivor fails the suite. Written by
`python -m tools.mutant_table`.

*Krabka* names an independent KRaft controller, in whose source or changelog of 2026 the bug was
seen (github.com/krabka-io, formerly robot-head/crabka). A number after `#` is a pull request.

*swarm alone*: with how many seeds of `swarm-everything`, all of which pass without the bug,
anything falls. *smallest*: controllers + brokers, steps and simulated seconds of the smallest
scenario that shows it, which `kraftsim scenario mutants NAME --smallest` runs, and which
`kraftsim scenario shrink SCENARIO --mutant NAME` makes. `make mutants` measures both anew.

| mutant | the bug | where it happened | scenario | falls by | swarm alone | smallest |
|---|---|---|---|---|---|---|
"""
FOLDER = "../scenarios/mutants/reproducers"
PUBLISHED = Path(__file__).with_name("published_defects.md")
DRAWN = Path(__file__).with_name("drawn_bugs.md")


def page() -> str:
    alone, small = densities(), reproducers()
    rows = (
        f"| {mutant.name} | {mutant.title} | {mutant.defect} | {mutant.scenario} | {mutant.broken} "
        f"| {alone.get(mutant.name, 'not measured')} | {_link(small.get(mutant.name))} |\n"
        for mutant in sorted(MUTANTS.values(), key=lambda mutant: mutant.name)
    )
    return f"{HEAD}{''.join(rows)}\n{PUBLISHED.read_text('utf-8')}{DRAWN.read_text('utf-8')}"


def _link(path: Path | None) -> str:
    if path is None:
        return "not made"
    return f"[{size(read_file(path).scenario)}]({FOLDER}/{path.name})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
