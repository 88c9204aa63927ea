"""`kraftsim campaign compare BASE NEW`: compares the same seeds before and after a change, for CI.

Exit codes: 0 every gate holds, 1 a gate fails, 2 invalid arguments or campaigns, 3 an
unfinished campaign.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, Unfinished, UsageError
from ..output import add_output, is_data, print_data
from ..spark_options import add_spark, spark_target_of
from .allowed_code import resume_command
from .folder_argument import campaign_folder
from .report import whole_folder

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.commit_log import Folder
    from kraftsim.pipeline.report.comparison import Comparison, Interval, Quantile
    from kraftsim.pipeline.report.gates import Gate

CHANCE = 0.05  # a p-value below this is printed


def add_compare(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `compare` to the parser."""
    parser = verbs.add_parser(
        "compare", help="compare two campaigns of the same seeds, before and after a change"
    )
    parser.add_argument(
        "base",
        type=campaign_folder,
        metavar="BASE",
        help="folder of the campaign before the change",
    )
    parser.add_argument(
        "new", type=campaign_folder, metavar="NEW", help="folder of the campaign after the change"
    )
    parser.add_argument(
        "--fail-on",
        type=_gates,
        default=(),
        metavar="NAME:+N,...",
        help="fail if a number grows by more than this, as in p99:+10%%,violations:+0",
    )
    add_output(parser)
    add_spark(parser)
    parser.set_defaults(run=_compare)


def _gates(text: str) -> "tuple[Gate, ...]":
    from kraftsim.pipeline.report.gates import read_gates

    try:
        return read_gates(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _compare(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.plan import PlanError
    from kraftsim.pipeline.engines.on_spark import compared
    from kraftsim.pipeline.report.gates import regressions

    base, new = (_finished(path) for path in (arguments.base, arguments.new))
    try:
        comparison = compared(base, new, spark_target_of(arguments))
    except PlanError as error:
        raise UsageError(f"{base.path}, {new.path}: {error}") from None
    wrong = list(regressions(comparison, arguments.fail_on))
    if is_data(arguments):
        failures = [{"gate": gate.text, "why": reason} for gate, reason in wrong]
        print_data(arguments, comparison.to_document() | {"regressions": failures})
    else:
        print(*_lines(comparison), *(f"REGRESSION  {reason}" for _, reason in wrong), sep="\n")
    return FAILED if wrong else GOOD


def _finished(path: Path) -> "Folder":
    """Returns the campaign's folder; Unfinished if shards are missing.

    Runs that are missing could not fail a gate.
    """
    from kraftsim.pipeline.campaign.campaign import state_of

    folder = whole_folder(path)
    state = state_of(folder.plan(), folder.commits())
    if not state.is_finished:
        raise Unfinished(
            f"{path}: expected a finished campaign, got {state.done_shards:,} of {state.shards:,} "
            f"shards: run the rest with `{resume_command(folder)}`"
        )
    return folder


def _lines(comparison: "Comparison") -> Iterator[str]:
    yield f"runs with the same seed in both campaigns: {comparison.pairs:,}"
    for flip in comparison.flips:
        planted = " with a bug planted" if flip.is_planted else ""
        yield f"  {flip.runs:,} runs{planted}: {flip.was} before, {flip.is_now} now: {flip.repro}"
    for digest in comparison.digests:
        if digest.different:
            share = f"{digest.different:,} of {digest.pairs:,}"
            yield f"  {share} runs of {digest.scenario} have another digest now: {digest.repro}"
    yield f"{'measure':16}{'base':>14}{'new':>14}   pairs in which it grew, in which it shrank"
    for measure in comparison.measures:
        p_value = f" (p-value {measure.chance:.2g})" if measure.chance < CHANCE else ""
        grew = f"{measure.more:,}, {measure.less:,}{p_value}"
        is_time = measure.name == "zombies"
        base, new = (
            f"{number / 1e6:,.3f} s" if is_time else f"{number:,}"
            for number in (measure.base, measure.new)
        )
        yield f"{measure.name:16}{base:>14}{new:>14}   {grew}"
    yield f"{'quantile':16}{'base':>14}{'new':>14}   95 % interval of each"
    for quantile in comparison.quantiles:
        yield _quantile_line(quantile)


def _quantile_line(quantile: "Quantile") -> str:
    base, new = (
        "-" if us is None else f"{us / 1000:,.1f} ms" for us in (quantile.base_us, quantile.new_us)
    )
    ranges = [_range(us) for us in (quantile.base_interval_us, quantile.new_interval_us)]
    return f"{quantile.name:16}{base:>14}{new:>14}   {ranges[0]}; {ranges[1]}"


def _range(interval_us: "Interval | None") -> str:
    """Formats an interval; an end is unknown if there are too few samples."""
    if interval_us is None or interval_us == (None, None):
        return "-"
    low, high = (None if us is None else f"{us / 1000:,.1f}" for us in interval_us)
    if high is None:
        return f"{low} or more"
    return f"{high} or less" if low is None else f"{low} to {high}"
