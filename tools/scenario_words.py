"""Writes docs/scenario-words.md: every word of a scenario file, from the code that reads it.

`python -m tools.scenario_words` writes the page, and tests/scenarios/test_schema.py fails if the
page differs from the result.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from kraftsim.scenarios.claims import Expect, measure
from kraftsim.scenarios.claims.converge import Converge
from kraftsim.scenarios.claims.during import During
from kraftsim.scenarios.claims.leads_to import LeadsTo
from kraftsim.scenarios.conditions import condition
from kraftsim.scenarios.conditions.topic_states import TopicState
from kraftsim.scenarios.document import network_shape, sweep
from kraftsim.scenarios.document.calm import Calm
from kraftsim.scenarios.document.caption import Caption
from kraftsim.scenarios.document.cluster_shape import ClusterShape
from kraftsim.scenarios.document.network_shape import PRESETS
from kraftsim.scenarios.document.scenario import Scenario, Times
from kraftsim.scenarios.document.step import STEP_WORDS, Step
from kraftsim.scenarios.document.swarm import Chaos
from kraftsim.scenarios.language import amounts, selectors
from kraftsim.scenarios.language.durations import duration_text
from kraftsim.scenarios.language.reading import words_of

PAGE = Path(__file__).resolve().parent.parent / "docs" / "scenario-words.md"
INTRODUCTION = """\
# The words of a scenario file

Written by `python -m tools.scenario_words` from the code that reads them; do not edit this page.
`kraftsim scenario schema` prints the same as JSON Schema, for editors. A word that is not here is a
mistake, which names its line and the nearest one that is.

At the top: {top}.

`include:` lays this file over others; `smoke:` is laid over this one where time is short.
A step of `do` has one verb: [faults.md](faults.md) lists all verbs with their words. With `for` a
verb is undone by itself.
"""
BLOCKS = {
    "cluster": ClusterShape,
    "time": Times,
    "chaos": Chaos,
    "calm": Calm,
    "expect": Expect,
    "expect: leads_to": LeadsTo,
    "expect: during": During,
    "expect: converge": Converge,
    "a caption of lesson": Caption,
    "conditions: topic (`TopicState`)": TopicState,
}
TABLES: dict[str, ModuleType] = {
    "Times": amounts,
    "Nodes": selectors,
    "Conditions": condition,
    "Networks": network_shape,
    "Sweeps": sweep,
    "Measures (`expect: measure`)": measure,
}
NAMES = {
    amounts: f"Settings: {', '.join(f'`{name}`' for name in amounts.SETTINGS_OF)}.\n",
    network_shape: "\n".join(
        ["| preset | `low` | `high` | `loss` |", "|---|---|---|---|"]
        + [
            f"| `{name}` | {duration_text(shape.low.us)} "
            f"| {duration_text(shape.high.us)} | {shape.loss:g} |"
            for name, shape in PRESETS.items()
        ]
        + [""]
    ),
}


def render() -> str:
    top = _listed(words_of(Scenario))
    return "\n".join([INTRODUCTION.format(top=top), *_tables(), *_blocks()])


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _tables() -> Iterator[str]:
    for title, module in TABLES.items():
        first, *parts = (module.__doc__ or "").strip().split("\n\n")
        yield f"## {title}\n\n{first}\n"
        for part in parts:
            is_table = part.startswith(("{", "30s", "2  ", "wan "))
            yield f"```\n{part}\n```\n" if is_table else f"{part}\n"
        if module in NAMES:
            yield NAMES[module]


def _blocks() -> Iterator[str]:
    yield "## Blocks\n\n| block | words | meaning |\n|---|---|---|"
    yield f"| a step of do | {_listed(STEP_WORDS)}, and one verb | {_docstring(Step)} |"
    for name, kind in BLOCKS.items():
        words = _listed(words_of(kind))
        yield f"| {name} | {words} | {_docstring(kind)} |"
    yield ""


def _docstring(kind: Any) -> str:
    return " ".join((kind.__doc__ or "").split()).replace("|", "/")


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
    print(f"docs/{PAGE.name} is written")
