"""`kraftsim campaign check`: checks the log of every run with independent code.

Exit codes: 0 no violation, 1 violations, 2 not a campaign folder or a damaged one, 3 the campaign
kept no log to check, or has no runs.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kraftsim.controller.core.camel_case import lower_camel

from ...errors import FAILED, GOOD, VACUOUS
from .. import help_texts
from ..output import add_output, is_data, print_data
from ..spark_options import add_spark, spark_target_of
from .folder_argument import campaign_folder
from .report import whole_folder

SHOWN_MAX = 20  # printed rows per rule


def add_check(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `check` to the parser."""
    parser = verbs.add_parser(
        "check", help="check every stored log with SQL and with an independent model of the image"
    )
    parser.add_argument("folder", type=campaign_folder, metavar="DIR", help=help_texts.CAMPAIGN)
    add_output(parser)
    add_spark(parser)
    parser.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.engines.on_spark import checked

    folder = whole_folder(arguments.folder)
    rows = checked(folder, spark_target_of(arguments))
    logs = sum(commit.pieces["records"].rows for commit in folder.commits().values())
    if is_data(arguments):
        violations = [{lower_camel(name): item for name, item in row.items()} for row in rows]
        print_data(arguments, {"records": logs, "violations": violations})
    else:
        print(*_lines(rows, logs), sep="\n")
    if rows:
        return FAILED
    return GOOD if logs else VACUOUS


def _lines(rows: Sequence[Mapping[str, Any]], logs: int) -> Iterator[str]:
    from kraftsim.pipeline.invariants.recheck import NAME, NUMBER
    from kraftsim.pipeline.invariants.rules import RULES

    counts = Counter(row["number"] for row in rows)
    for number, name, claim in (
        *((rule.number, rule.name, rule.claim) for rule in RULES),
        (NUMBER, NAME, "An independent model of the log finds nothing that Kafka forbids."),
    ):
        held = "holds" if logs else "not checked"
        state = f"BROKEN, {counts[number]} times" if counts[number] else held
        yield f"{number:4} {name:36} {state:18} {claim}"
        for row in [row for row in rows if row["number"] == number][:SHOWN_MAX]:
            yield f"     {row['run_id']} at {row['t_us'] / 1e6:.3f} s: {row['what']}"
            yield f"     {row['repro']}"
    if logs:
        yield f"{len(rows):,} violations; {logs:,} records replayed"
    else:
        yield "no log was stored: run the campaign with --events all to have its logs checked"
