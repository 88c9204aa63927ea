"""`kraftsim explain`: the causes of a fence, an unfence or an election, in at most twenty lines.

It explains an event of a scenario's run or of a running cluster, or the violation of a failed run.
"""

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import GOOD, UsageError
from ..http.client import call, service_url
from ..printable import printable
from . import help_texts
from .output import add_output, is_data, print_data
from .scenario.runs import add_allow_code, add_cell, seed_of
from .terminal import print_wrapped

if TYPE_CHECKING:
    from kraftsim.scenarios.document.scenario import Scenario
    from kraftsim.scenarios.running.run import Run

    from ..files.scenario_files import ScenarioFile

TITLES = {
    "name": "broken",
    "claim": "claim",
    "expected": "expected",
    "got": "got",
    "leader": "leader",
}
INDENT = 22  # the column at which a sentence begins


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `explain` to its parser."""
    parser.add_argument(
        "what",
        metavar="EVENT|FILE|NAME",
        help="number of an event of the cluster at --url; or a scenario, by file or name",
    )
    parser.add_argument("--seed", type=int, metavar="N", help=help_texts.SEED)
    add_cell(parser)
    add_allow_code(parser)
    parser.add_argument(
        "--event",
        type=int,
        metavar="SEQ",
        help=(
            "number of the event in the scenario's run (default: explain its first violation; if "
            "there is none, list fences, unfences and elections)"
        ),
    )
    parser.add_argument("--url", metavar="URL", help=help_texts.URL)
    add_output(parser)
    parser.set_defaults(run=_explain)


def _explain(arguments: argparse.Namespace) -> int:
    if arguments.what.isdecimal():
        from ..operations.table import EXPLAIN

        _refuse(arguments, ("seed", "cell", "allow_code", "event"), "a scenario with it")
        url = service_url(arguments.url)
        document = call(url, EXPLAIN.method, EXPLAIN.path, {"event": arguments.what})
        lines = document["lines"]
        assert isinstance(lines, list), document
        _print_causes(arguments, int(arguments.what), lines)
        return GOOD
    from ..files.own_files import load_nodes
    from ..files.scenario_files import find, read_sound

    _refuse(arguments, ("url",), "the number of an event of a cluster with it")
    file = read_sound(find(arguments.what), arguments.cell)
    if arguments.event is not None and not file.scenario.nodes:
        _refuse(arguments, ("allow_code",), "no --event with it: an event has no properties")
    load_nodes(file, is_allowed=arguments.allow_code)
    if arguments.event is None:
        _explain_violation(arguments, file)
    else:
        run = _finished_run(arguments, file)
        _print_causes(arguments, arguments.event, _causes(run, arguments.event))
    return GOOD


def _refuse(arguments: argparse.Namespace, options: Iterable[str], expected: str) -> None:
    """Raises UsageError for the first of the options that was given: it would have no effect."""
    for option in options:
        if getattr(arguments, option) not in (None, False, []):
            raise UsageError(f"--{option.replace('_', '-')}: expected {expected}")


def _explain_violation(arguments: argparse.Namespace, file: "ScenarioFile") -> None:
    """Explains the first violation of the run; lists events of a run without one."""
    from kraftsim.scenarios.running.until_broken import UntilBroken, violations_until

    from ..explanation import explained

    scenario = _with_own(file) if arguments.allow_code else _without_own(file.scenario)
    run = UntilBroken(scenario, seed_of(arguments, file))
    violations = violations_until(run, lambda: run.finish().violations)
    if not violations:
        _list(arguments, run)
        return
    found, lines = explained(run, violations[0])
    if is_data(arguments):
        facts = {
            word: getattr(found, word) for word in ("claim", "expected", "got", "leader", "event")
        }
        print_data(arguments, {"violation": {"name": found.name} | facts | {"lines": lines}})
        return
    is_wide = arguments.output == "wide"
    for word, title in TITLES.items():
        text = getattr(found, word)
        print_wrapped(printable(f"{title:10}{text}"), indent=10, is_wide=is_wide)
    for line in lines:
        print_wrapped(printable(line), indent=INDENT, is_wide=is_wide)


def _with_own(file: "ScenarioFile") -> "Scenario":
    from ..files.own_files import load

    load(file, is_allowed=True)
    return file.scenario


def _without_own(scenario: "Scenario") -> "Scenario":
    """Returns the scenario without properties of files: a file is only run if that is allowed."""
    from kraftsim.scenarios.properties.own_properties import is_own

    always = tuple(name for name in scenario.expect.always if not is_own(name))
    return replace(scenario, expect=replace(scenario.expect, always=always))


def _print_causes(arguments: argparse.Namespace, event: int, lines: list[str]) -> None:
    if is_data(arguments):
        print_data(arguments, {"event": event, "lines": lines})
    else:
        for line in lines:
            print_wrapped(printable(line), indent=INDENT, is_wide=arguments.output == "wide")


def _causes(run: "Run", event: int) -> list[str]:
    from kraftsim.scenarios.running.beside_rows import beside_rows

    from ..explanation import explanation

    rows, stage = run.world.journal.since(0), run.stage
    beside = beside_rows(run.world, stage.faults, rows)
    return explanation(rows, event, beside, stage.timetable_begins_us)


def _finished_run(arguments: argparse.Namespace, file: "ScenarioFile") -> "Run":
    """Runs the scenario, without properties, which do not affect it."""
    from kraftsim.scenarios.running.run import Run

    run = Run(file.scenario, seed_of(arguments, file), ())
    run.finish()
    return run


def _list(arguments: argparse.Namespace, run: "Run") -> None:
    from kraftsim.scenarios.running.explain import ASKED_FOR
    from kraftsim.scenarios.running.story import story, times_text

    listed = [row for row in run.world.journal.since(0) if row.kind in ASKED_FOR]
    if is_data(arguments):
        from ..api.views.state_views import event_view
        from ..simulation.world import VIRTUAL_WALL_START_MS

        events = [event_view(row, VIRTUAL_WALL_START_MS + row.t_us // 1000) for row in listed]
        print_data(arguments, {"events": events})
    else:
        for line in story(run.world, run.stage, folds=False):
            if line.kind in ASKED_FOR:
                print(f"{line.seq:6}  {times_text(line.t_us, line.elapsed_us)}  {line.text}")
