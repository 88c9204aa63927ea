"""Builds the plan of a campaign from the arguments: its scenarios, cells, bugs and seeds.

The plan depends only on the arguments, the files and kraftsim's code, so it is the same on every
machine.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.language.reading import document_of

from ... import machine_code
from ...errors import UsageError
from ...files.own_files import sources
from ...files.scenario_files import expect_sound, library
from ..scenario.mutants import mutants_of
from ..scenario.runs import CANARIES, chosen

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.items import Item
    from kraftsim.pipeline.campaign.plan import Plan

    from ...files.scenario_files import ScenarioFile

COST_S = 0.0005  # of one node per virtual second, roughly: shards need not be equally long


def plan_of(arguments: argparse.Namespace) -> "Plan":
    """Returns the plan that the arguments describe; raises UsageError for invalid arguments."""
    from kraftsim.pipeline.campaign.plan import RUNS_MAX, Plan, shards_of
    from kraftsim.pipeline.package import code_digest

    files = list(chosen(arguments))
    for file in files:
        expect_sound(file)
    _expect_names_apart(files)
    subjects = [file for file in files if not _is_canary(file)]
    if arguments.tag and not files:
        raise UsageError(
            f"--tag: no scenario of the library has the tag {' or '.join(arguments.tag)}"
        )
    if not subjects:
        raise UsageError(
            "expected a scenario besides the canaries, which every campaign runs anyway"
        )
    items = _once((*_items(subjects, arguments), *_canaries()))
    seeds = {
        number: _pinned(item) if item.is_canary else arguments.seeds
        for number, item in enumerate(items)
    }
    if (runs := sum(map(len, seeds.values()))) > RUNS_MAX:
        raise UsageError(f"expected at most {RUNS_MAX:,} runs, got {runs:,}: give fewer --seeds")
    cost_s = {number: _cost_s(item, seeds[number].start) for number, item in enumerate(items)}
    shards = shards_of(items, seeds, cost_s, arguments.shard_seconds)
    return Plan(code=code_digest(), events=arguments.events, items=items, shards=shards)


def _once(items: "Iterable[Item]") -> "tuple[Item, ...]":
    """Removes duplicates, such as a file named by two paths, so that each run has one row."""
    return tuple({item.key: item for item in items}.values())


def _expect_names_apart(files: "list[ScenarioFile]") -> None:
    """Raises UsageError if two files define the same scenario name, which is the key in tables."""
    paths: dict[str, Path] = {}
    for file in files:
        path = file.path.resolve()
        shipped = library().get(file.scenario.name)
        first = paths.setdefault(
            file.scenario.name, shipped if _is_canary(file) and shipped else path
        )
        if first.resolve() != path:
            raise UsageError(
                f"{path} and {first}: expected different names, got two scenarios with the name "
                f"{file.scenario.name!r}"
            )


def _is_canary(file: "ScenarioFile") -> bool:
    return file.scenario.name in CANARIES


def _items(files: "list[ScenarioFile]", arguments: argparse.Namespace) -> "Iterator[Item]":
    names = arguments.mutants
    bugs = [] if names is None else mutants_of([] if names == "all" else names.split(","))
    if bugs:
        machine_code.restart_without("planted bugs")
    for file in files:
        for mutant in (None, *(bug.name for bug in bugs)):
            yield _item(file, mutant=mutant, is_small=arguments.smoke)


def _canaries() -> "Iterator[Item]":
    """Yields the canaries, which every campaign runs to prove that it detects failures."""
    from ...files.scenario_files import find, read_file

    for name, expected in CANARIES.items():
        yield _item(read_file(find(name)), expected=expected)


def _item(
    file: "ScenarioFile",
    *,
    mutant: str | None = None,
    expected: str = "pass",
    is_small: bool = False,
) -> "Item":
    from kraftsim.pipeline.campaign.items import Item

    scenario = file.scenario
    document = json.loads(json.dumps(document_of(scenario)))
    return Item(
        called=str(file.path.resolve()) if file.called == str(file.path) else file.called,
        document=document,
        cell=scenario.cell,
        is_small=is_small,
        mutant=mutant,
        expected=expected,
        own=sources(file),
    )


def _pinned(item: "Item") -> range:
    seed = item.scenario().pins[0].seed
    return range(seed, seed + 1)


def _cost_s(item: "Item", seed: int) -> float:
    plan = expand(item.scenario(), seed)
    times, cluster = plan.time, plan.cluster
    virtual_s = (times.warmup.us + times.run.us + times.calm.us) / 1e6
    return COST_S * virtual_s * (cluster.controllers + cluster.brokers)
