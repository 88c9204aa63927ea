"""`kraftsim scenario hunt`: searches for runs that show something new, and for violations.

Exit codes: 0 no violation, 1 a violation was found, 2 invalid arguments, 130 interrupted.
"""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, INTERRUPTED, UsageError
from .. import help_texts
from ..interrupts import interrupt_flag
from ..output import add_output, is_data, print_data
from ..progress import Progress
from .hunt_workers import HuntWorkers
from .shrink_progress import TRIES

if TYPE_CHECKING:
    from kraftsim.scenarios.hunting.hunt import Finding, Hunt

MINUTES = 10.0
SWARMS = ("swarm-of-everything", "swarm-of-messages")  # that draw every part of a plan
KEEP_EVERY_S = 60  # of the corpus, which a killed hunt goes on from


def add_hunt(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `hunt` to the parser."""
    parser = verbs.add_parser(
        "hunt", help="search for runs that show something new, and for violations"
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--minutes", type=float, default=MINUTES, help="stop after this time (default 10)"
    )
    length.add_argument("--runs", type=int, metavar="N", help="stop after at least N runs")
    parser.add_argument(
        "-j",
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="processes, at most one for each draw of a round (default 1)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the search (default 1)")
    parser.add_argument(
        "--swarm",
        choices=SWARMS,
        default=SWARMS[0],
        help="scenario whose plans the search draws (default %(default)s)",
    )
    parser.add_argument("--round", type=int, metavar="N", help=help_texts.ROUND)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="folder of corpus, curve and findings (default hunt)",
    )
    parser.add_argument(
        "--plain", action="store_true", help="draw every run anew: a plain swarm, to compare with"
    )
    add_output(parser)
    parser.set_defaults(run=_hunt)


def _hunt(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.alone import alone

    from ...files.hunt_files import write_corpus

    expect_amounts(arguments, ("jobs", "runs", "round"))
    if not arguments.minutes > 0:  # refuses nan, too
        raise UsageError(f"--minutes: expected more than 0, got {arguments.minutes:g}")
    folder = arguments.out or Path("hunt")
    make_folder(folder)
    with alone(folder), interrupt_flag(signal.SIGTERM) as interrupted:
        swarm, is_led = arguments.swarm, not arguments.plain
        hunt = hunt_in(folder, arguments.seed, arguments.round, swarm=swarm, is_led=is_led)
        with HuntWorkers(arguments.jobs, hunt.draws, interrupted) as workers:
            _rounds(arguments, hunt, folder, workers, interrupted)
        write_corpus(folder, hunt.corpus)
        found = written_findings(folder, hunt, interrupted)
    return report_hunt(arguments, hunt, folder, found, is_interrupted=interrupted.is_set())


def make_folder(folder: Path) -> None:
    """Makes the folder of a hunt, unless it is there; raises UsageError if it cannot be made."""
    for path in (folder, *folder.parents):
        if path.exists() and not path.is_dir():
            raise UsageError(f"--out: expected a folder, got the file {path}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out: {error.strerror}: {error.filename}") from None


def hunt_in(
    folder: Path, seed: int, draws: int | None, *, swarm: str = SWARMS[0], is_led: bool = True
) -> "Hunt":
    """Returns a hunt that goes on from the corpus of a folder, if there is one.

    `draws` are those of a round; None stands for the default.
    """
    from kraftsim.scenarios.hunting.hunt import ROUND, Hunt

    from ...files.hunt_files import read_corpus, swarm_of

    try:
        corpus = read_corpus(folder)
    except OSError as error:
        raise UsageError(f"--out: {error.strerror}: {error.filename}") from None
    return Hunt(swarm_of(swarm), seed, is_led, draws or ROUND, corpus)


def expect_amounts(arguments: argparse.Namespace, options: Sequence[str]) -> None:
    """Raises UsageError for an amount of nothing."""
    for option in options:
        amount = getattr(arguments, option)
        if amount is not None and amount < 1:
            raise UsageError(f"--{option}: expected 1 or more, got {amount}")


def _rounds(
    arguments: argparse.Namespace,
    hunt: "Hunt",
    folder: Path,
    workers: "HuntWorkers",
    interrupted: Event,
) -> None:
    """Runs rounds until the hunt is over or interrupted; each adds a point to the curve.

    What is found is written at once, and the corpus now and then: a hunt may be killed.
    """
    from ...files.hunt_files import write_corpus

    progress, began_s = Progress(is_enabled=not is_data(arguments)), time.monotonic()
    passed_s = kept_s = 0.0
    while not interrupted.is_set() and not _is_over(arguments, hunt, passed_s):
        known = len(hunt.findings)
        hunt.round(workers.results)
        passed_s = time.monotonic() - began_s
        add_to_curve(hunt, folder, progress, passed_s)
        if len(hunt.findings) > known or passed_s - kept_s > KEEP_EVERY_S:
            write_corpus(folder, hunt.corpus)
            kept_s = passed_s
        for number, finding in enumerate(hunt.findings[known:], known + 1):
            _write_whole(folder, finding, number)
    progress.clear()


def add_to_curve(hunt: "Hunt", folder: Path, progress: Progress, passed_s: float) -> None:
    """Adds a point to the curve of a hunt, and prints its progress."""
    from ...files.hunt_files import append_to_curve

    behaviours = len(hunt.corpus.runs_with)
    point = {"runs": hunt.runs, "seconds": round(passed_s, 1), "behaviours": behaviours}
    append_to_curve(folder, point)
    found = f"{len(hunt.findings)} violations"
    progress.write(f"hunt: {hunt.runs:,} runs, {behaviours:,} behaviours, {found}")


def _is_over(arguments: argparse.Namespace, hunt: "Hunt", passed_s: float) -> bool:
    if arguments.runs is not None:
        return bool(hunt.runs >= arguments.runs)
    return bool(passed_s >= 60 * arguments.minutes)


def written_findings(folder: Path, hunt: "Hunt", interrupted: Event) -> list[dict[str, object]]:
    """Writes each finding as the smallest scenario, and returns the reports of them."""
    findings = enumerate(hunt.findings, 1)
    return [_written(folder, finding, number, interrupted) for number, finding in findings]


def _written(
    folder: Path, finding: "Finding", number: int, interrupted: Event
) -> dict[str, object]:
    """Shrinks a finding unless interrupted, writes it to a file, and returns the report of it."""
    from kraftsim.scenarios.document.scenario import read_scenario
    from kraftsim.scenarios.shrinking.search import Tries
    from kraftsim.scenarios.shrinking.shrink import shrink

    from ...files.hunt_files import write_finding

    scenario, seed = read_scenario(finding.candidate.document), finding.candidate.seed
    tries = Tries(TRIES, lambda number: not interrupted.is_set())
    try:
        smallest = shrink(scenario, seed, tries)
        plan, extent = smallest.plan, smallest.extent
    except ValueError as error:  # its run passes: the finding itself needs an explanation
        plan, extent = scenario, str(error)
    path = write_finding(folder, _name(finding, number), plan)
    found: dict[str, object] = {"broken": list(finding.broken), "what": finding.what}
    return found | {"path": str(path), "seed": seed, "extent": extent}


def _write_whole(folder: Path, finding: "Finding", number: int) -> None:
    """Writes a finding as it was found; `_written` replaces it by the smallest scenario."""
    from kraftsim.scenarios.document.scenario import read_scenario

    from ...files.hunt_files import write_finding

    scenario = read_scenario(finding.candidate.document)
    write_finding(folder, _name(finding, number), scenario)


def _name(finding: "Finding", number: int) -> str:
    """Returns the name of a finding's file, with the seed that repeats it."""
    broken = finding.broken[0].replace("[", "-").rstrip("]")
    return f"{broken}-{number}-seed-{finding.candidate.seed}"


def report_hunt(
    arguments: argparse.Namespace,
    hunt: "Hunt",
    folder: Path,
    found: list[dict[str, object]],
    *,
    is_interrupted: bool,
) -> int:
    """Prints what a hunt has found, and returns the exit code."""
    _print_report(arguments, hunt, folder, found)
    if is_interrupted:
        print("kraftsim: interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    return FAILED if found else GOOD


def _print_report(
    arguments: argparse.Namespace, hunt: "Hunt", folder: Path, found: list[dict[str, object]]
) -> None:
    summary = {
        "runs": hunt.runs,
        "behaviours": len(hunt.corpus.runs_with),
        "kept": len(hunt.corpus.kept),
        "findings": found,
    }
    if is_data(arguments):
        print_data(arguments, summary)
        return
    print(
        f"{hunt.runs:,} runs, {summary['behaviours']:,} behaviours, {summary['kept']:,} plans kept "
        f"in {folder}"
    )
    for finding in found:
        print(f"broken: {finding['what']}")
        print(f"  {finding['path']}: {finding['extent']}")
        print(f"  kraftsim explain {finding['path']} --seed {finding['seed']}")
