"""`kraftsim explain`: the causes of a fence, an unfence or an election, in at most twenty lines.

It explains an event of a scenario's run or of a running cluster.
"""

import argparse
from typing import TYPE_CHECKING

from ..errors import GOOD
from ..http.client import call, service_url
from ..printable import printable
from . import help_texts
from .output import add_output, is_data, print_data
from .scenario.runs import add_cell, seed_of
from .terminal import print_wrapped

if TYPE_CHECKING:
    from kraftsim.scenarios.running.run import Run

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
    parser.add_argument(
        "--event",
        type=int,
        metavar="SEQ",
        help=(
            "number of the event in the scenario's run (default: list fences, unfences and "
            "elections)"
        ),
    )
    parser.add_argument("--url", metavar="URL", help=help_texts.URL)
    add_output(parser)
    parser.set_defaults(run=_explain)


def _explain(arguments: argparse.Namespace) -> int:
    if arguments.what.isdecimal():
        from ..operations import EXPLAIN

        url = service_url(arguments.url)
        document = call(url, EXPLAIN.method, EXPLAIN.path, {"event": arguments.what})
        lines = document["lines"]
        assert isinstance(lines, list), document
        _print_causes(arguments, int(arguments.what), lines)
        return GOOD
    run = _finished_run(arguments)
    if arguments.event is None:
        _list(arguments, run)
    else:
        _print_causes(arguments, arguments.event, _causes(run, arguments.event))
    return GOOD


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


def _finished_run(arguments: argparse.Namespace) -> "Run":
    """Runs the scenario, without properties, which do not affect it."""
    from kraftsim.scenarios.running.run import Run

    from ..files.scenario_files import find, read_sound

    file = read_sound(find(arguments.what), arguments.cell)
    run = Run(file.scenario, seed_of(arguments, file), ())
    run.finish()
    return run


def _list(arguments: argparse.Namespace, run: "Run") -> None:
    from kraftsim.scenarios.running.explain import ASKED_FOR
    from kraftsim.scenarios.running.story import story, times_text

    listed = [row for row in run.world.journal.since(0) if row.kind in ASKED_FOR]
    if is_data(arguments):
        from ..api.views import event_view
        from ..simulation.world import VIRTUAL_WALL_START_MS

        events = [event_view(row, VIRTUAL_WALL_START_MS + row.t_us // 1000) for row in listed]
        print_data(arguments, {"events": events})
    else:
        for line in story(run.world, run.stage, folds=False):
            if line.kind in ASKED_FOR:
                print(f"{line.seq:6}  {times_text(line.t_us, line.elapsed_us)}  {line.text}")
