"""docs/bugs.md: every mutant, what it was for real, and what kills it.

`python -m tests.mutant_table` writes it; a test sees that it is what the table says.
"""

from pathlib import Path

from kraftsim.scenarios.mutants import MUTANTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "bugs.md"
HEAD = """\
# Bugs that are planted, and what kills them

Each is switched on by `kraftsim scenario mutants NAME`, which runs its scenario with the bug and
expects the property, or the claim of the file, to fall. `start`: the cluster does not come up;
`assertion`: the core itself sees the impossible. A survivor fails the suite. Written by
`python -m tests.mutant_table`.

| mutant | the bug | where it happened | scenario | falls by |
|---|---|---|---|---|
"""


def page() -> str:
    rows = (
        f"| {one.name} | {one.title} | {one.defect} | {one.scenario} | {one.broken} |\n"
        for one in sorted(MUTANTS.values(), key=lambda one: one.name)
    )
    return HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
