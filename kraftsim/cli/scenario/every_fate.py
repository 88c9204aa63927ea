"""`kraftsim scenario explore FILE|NAME`: explores the fates of messages from one moment of a run.

Exit codes: 0 no violation in any branch, 1 a violation.
"""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, CommandError, UsageError
from ...printable import printable
from ..output import is_data, print_data
from ..progress import Progress
from .mutants import planted_by
from .runs import seconds, seed_of

if TYPE_CHECKING:
    from kraftsim.scenarios.document.scenario import Scenario
    from kraftsim.scenarios.hunting.every_fate import EveryFate

DEPTH, DEPTH_MAX = 6, 10  # messages; ten have up to 59,049 combinations of fates
OPTIONS = ("seed", "at", "depth")  # those that need a scenario


def add_branches(parser: argparse.ArgumentParser) -> None:
    """Adds the options of a search from a moment of a run."""
    parser.add_argument(
        "scenario",
        metavar="FILE|NAME",
        nargs="?",
        help="start from a moment of this scenario's run (default: from empty disks)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the run (with a scenario)")
    parser.add_argument(
        "--at",
        type=seconds,
        metavar="DURATION",
        help="moment of the run, counted as `at:` in the file (default: the moment that shows most "
        "new behaviours; a bare number is seconds)",
    )
    parser.add_argument(
        "--depth",
        type=int,
        metavar="N",
        help=f"messages that are delivered, lost, or late: 1 to {DEPTH_MAX} (default {DEPTH})",
    )


def refuse(arguments: argparse.Namespace, options: Iterable[str], expected: str) -> None:
    """Raises UsageError for the first of the options that was given; `expected` says what is."""
    for option in options:
        value = getattr(arguments, option)
        if value is not None and value is not False:
            raise UsageError(f"--{option.replace('_', '-')}: expected {expected}")


def explore_run(arguments: argparse.Namespace) -> int:
    """Explores the branches of a run, and prints the first that breaks a property."""
    from kraftsim.simulation.copying import NotCopied

    from ...files.scenario_files import find, read_sound

    file = read_sound(find(arguments.scenario))
    seed = seed_of(arguments, file)
    depth = DEPTH if arguments.depth is None else arguments.depth
    if not 1 <= depth <= DEPTH_MAX:
        raise UsageError(f"--depth: expected 1 to {DEPTH_MAX}, got {depth}")
    run_us = file.scenario.time.run.us
    if arguments.at is not None and arguments.at * 1e6 > run_us:
        raise UsageError(f"--at: expected at most {run_us / 1e6:g}s, got {arguments.at:g}s")
    try:
        with planted_by(arguments.mutant)():
            branches = _explored(arguments, file.scenario, seed, depth)
    except NotCopied as refusal:
        raise CommandError(f"{refusal}: KRAFTSIM_PURE=1 explores a run in Python") from refusal
    if is_data(arguments):
        print_data(arguments, _document(arguments.scenario, seed, depth, branches))
    else:
        _print(arguments.scenario, seed, branches)
    return GOOD if branches.violation is None else FAILED


def _explored(
    arguments: argparse.Namespace, scenario: "Scenario", seed: int, depth: int
) -> "EveryFate":
    from kraftsim.scenarios.hunting.every_fate import explore_fates, rarest_us

    at_us = rarest_us(scenario, seed) if arguments.at is None else round(arguments.at * 1e6)
    progress = Progress(is_enabled=not is_data(arguments))

    def on_branch(number: int) -> None:
        progress.write(f"explore {scenario.name}: {number:,} of at most {3**depth:,} branches")

    branches = explore_fates(scenario, seed, at_us, depth, on_branch)
    progress.clear()
    return branches


def _print(name: str, seed: int, branches: "EveryFate") -> None:
    extent = f"{name}  seed {seed}  {branches.branches:,} branches from T+{branches.at_us / 1e6:g}s"
    broken = branches.violation
    if broken is None:
        print(f"EXHAUSTIVE  {extent}: every fate of the next {branches.met} messages")
        return
    print(f"VIOLATED  {extent}")
    print(printable(f"{broken.number} {broken.name}: {broken.what}"))
    if not branches.branches:
        print(f"the run itself violates it before; `kraftsim scenario run {name} --seed {seed}`")
    for number, decision in enumerate(branches.decisions, 1):
        print(f"  {number:3}  {decision}")


def _document(name: str, seed: int, depth: int, branches: "EveryFate") -> dict[str, object]:
    broken = branches.violation
    return {
        "scenario": name,
        "seed": seed,
        "at_s": branches.at_us / 1e6,
        "depth": depth,
        "branches": branches.branches,
        "verdict": "exhaustive" if broken is None else "violated",
        "broken": None if broken is None else {"name": broken.name, "what": broken.what},
        "fates": [
            {"message": decision.message, "fate": decision.fate.value}
            for decision in branches.decisions
        ],
    }
