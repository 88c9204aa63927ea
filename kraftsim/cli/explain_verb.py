"""`kraftsim explain`: the causes of a fence, an unfence or an election, in at most twenty lines.

It explains an event of a scenario's run or of a running cluster.
"""

import argparse
from typing import TYPE_CHECKING

from ..errors import GOOD
from ..http.client import call, service_url
from . import help_texts
from .scenario.runs import add_cell, seeds_of

if TYPE_CHECKING:
    from kraftsim.simulation.event_row import EventRow


def add_explain(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `explain` to the parser."""
    parser = verbs.add_parser(
        "explain", help="print the causes of an event, such as a fence or an election"
    )
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
    parser.set_defaults(run=_explain)


def _explain(arguments: argparse.Namespace) -> int:
    if arguments.what.isdecimal():
        from ..operations import EXPLAIN

        url = service_url(arguments.url)
        document = call(url, EXPLAIN.method, EXPLAIN.path, {"event": arguments.what})
        lines = document["lines"]
        assert isinstance(lines, list), document
        print(*lines, sep="\n")
        return GOOD
    rows = _rows(arguments)
    if arguments.event is None:
        _list(rows)
    else:
        from ..explanation import explanation

        print(*explanation(rows, arguments.event), sep="\n")
    return GOOD


def _rows(arguments: argparse.Namespace) -> "list[EventRow]":
    """Runs the scenario, without properties, which do not affect it, and returns its journal."""
    from kraftsim.scenarios.running.run import Run

    from ..files.scenario_files import find, read_sound

    file = read_sound(find(arguments.what), arguments.cell)
    arguments.seeds = None
    return list(Run(file.scenario, seeds_of(arguments, file)[0], ()).finish().rows)


def _list(rows: "list[EventRow]") -> None:
    from kraftsim.scenarios.running.explain import ASKED_FOR

    for row in rows:
        if row.kind in ASKED_FOR:
            subject = row.detail.get("leader_id", row.broker_id)
            print(f"{row.seq:6}  {row.t_us / 1e6:9.3f} s  {row.kind.replace('_', ' ')}: {subject}")
