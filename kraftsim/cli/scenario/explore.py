"""`kraftsim scenario explore`: explores every history of a few nodes, within limits.

With a scenario, it explores what can follow from a moment of a run (`every_fate.py`).

Exit codes: 0 exhaustive and no violation, 1 a rule is broken, 3 not exhaustive.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from math import isinf
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, VACUOUS, UsageError
from ..output import add_output, is_data, print_data
from ..progress import Progress
from .every_fate import OPTIONS, add_branches, explore_run, refuse
from .mutants import planted_by

if TYPE_CHECKING:
    from kraftsim.scenarios.explore.limits import Limits
    from kraftsim.scenarios.explore.search import Explored
    from kraftsim.scenarios.explored.subjects import Subject

VOTERS = 2  # of a search without --voters
AMOUNTS = {  # option -> (field of Limits, what is counted)
    "epochs": ("epoch", "highest epoch of the quorum"),
    "writes": ("writes", "requests of an admin, such as to create a topic or unregister a broker"),
    "crashes": ("crashes", "crashes of a controller, which starts again"),
    "elections": ("timeouts", "elections that a voter starts after its fetch timeout"),
    "losses": ("losses", "lost responses, and late or duplicated requests"),
    "sessions": ("sessions", "session timeouts that pass on a controller's clock"),
    "rebirths": ("rebirths", "restarts of the broker"),
    "stops": ("stops", "controlled shutdowns of the broker"),
}


@dataclass(frozen=True)
class Outcome:
    """The result of an exploration.

    If a rule is violated, `broken` is the rule with the observation, and `history` is the shortest
    history that violates it.
    """

    explored: "Explored | None"
    broken: str | None = None
    history: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Returns "violated", "exhaustive" or "not exhaustive"."""
        if self.explored is None:
            return "violated"
        return "exhaustive" if self.explored.is_exhaustive else "not exhaustive"

    @property
    def exit_code(self) -> int:
        """The exit code for the verdict."""
        return {"violated": FAILED, "exhaustive": GOOD, "not exhaustive": VACUOUS}[self.verdict]


def add_explore(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `explore` to the parser."""
    parser = verbs.add_parser(
        "explore",
        help="check every history of a few nodes up to given limits, or from a moment of a run",
    )
    add_branches(parser)
    parser.add_argument(
        "--voters", type=int, choices=(1, 2, 3), help="number of voters (default 2)"
    )
    parser.add_argument("--broker", action="store_true", help="add a broker that renews its lease")
    parser.add_argument(
        "--partition",
        action="store_true",
        help="explore one controller, two brokers and their partition",
    )
    for option, (_, counted) in AMOUNTS.items():
        parser.add_argument(f"--{option}", type=int, metavar="N", help=f"limit of the {counted}")
    parser.add_argument(
        "--states-max",
        type=int,
        metavar="N",
        help="stop at this number of states; the result is then not exhaustive",
    )
    parser.add_argument(
        "--mutant", metavar="NAME", help="plant this bug, to see whether the exploration finds it"
    )
    add_output(parser)
    parser.set_defaults(run=_explore)


def _explore(arguments: argparse.Namespace) -> int:
    if arguments.scenario is not None:
        of_nodes = ("voters", *AMOUNTS, "states_max", "broker", "partition")
        refuse(arguments, of_nodes, "no scenario, whose nodes are those of the file")
        return explore_run(arguments)
    refuse(arguments, OPTIONS, "a scenario too, such as active-controller-crash")
    return _explore_nodes(arguments)


def _explore_nodes(arguments: argparse.Namespace) -> int:
    from kraftsim.scenarios.explored.subjects import STATES_MAX

    subject = _subject(arguments)
    limits = _limits(arguments, subject)
    states_max = STATES_MAX if arguments.states_max is None else arguments.states_max
    if states_max < 1:
        raise UsageError(f"--states-max: expected 1 or more, got {states_max}")
    began_s = time.monotonic()
    progress = Progress(is_enabled=not is_data(arguments))

    def on_progress(states: int, depth: int) -> None:
        progress.write(f"{subject}: {states:,} states visited, histories of {depth} steps")

    outcome = _searched(subject, limits, states_max, arguments.mutant, on_progress)
    progress.clear()
    seconds = time.monotonic() - began_s
    if is_data(arguments):
        print_data(arguments, _document(subject, limits, outcome))
    else:
        _print_outcome(subject, limits, outcome, seconds)
    return outcome.exit_code


def _subject(arguments: argparse.Namespace) -> "Subject":
    from kraftsim.scenarios.explored.subjects import Subject

    if not arguments.partition:
        return Subject(arguments.voters or VOTERS, arguments.broker)
    if arguments.broker or arguments.voters not in (None, 1):
        raise UsageError("--partition: expected no --broker, and one voter, got more nodes")
    return Subject(1, has_broker=False, has_partition=True)


def _limits(arguments: argparse.Namespace, subject: "Subject") -> "Limits":
    from kraftsim.scenarios.explored.subjects import LIMITS

    if subject not in LIMITS:
        raise UsageError(
            "--voters 1: expected --broker too, because a lone voter has no other node to explore"
        )
    bounds = {field: getattr(arguments, option) for option, (field, _) in AMOUNTS.items()}
    for option, (field, _) in AMOUNTS.items():
        if bounds[field] is not None and bounds[field] < 0:
            raise UsageError(f"--{option}: expected 0 or more, got {bounds[field]}")
    return replace(
        LIMITS[subject], **{key: item for key, item in bounds.items() if item is not None}
    )


def _searched(
    subject: "Subject",
    limits: "Limits",
    states_max: int,
    mutant: str | None,
    on_progress: Callable[[int, int], None],
) -> Outcome:
    from kraftsim.controller.core.errors import Impossible
    from kraftsim.scenarios.explore.search import explore
    from kraftsim.scenarios.explored.subjects import world_of

    with planted_by(mutant)():
        try:
            world, beginnings = world_of(subject, limits)
            return Outcome(
                explore(world, *beginnings, states_max=states_max, on_progress=on_progress)
            )
        except Impossible as broken:
            return Outcome(None, str(broken), tuple(getattr(broken, "__notes__", ())))


def _print_outcome(subject: "Subject", limits: "Limits", outcome: Outcome, seconds: float) -> None:
    print(f"{subject}: {', '.join(_limit_texts(limits))}")
    explored = outcome.explored
    if explored is None:
        print(f"VIOLATED  {outcome.broken}")
        print("shortest history that violates it:")
        print(
            *(f"  {number:3}  {name}" for number, name in enumerate(outcome.history, 1)), sep="\n"
        )
        return
    extent = (
        f"{explored.states:,} states, histories of up to {explored.depth} steps, {seconds:.1f} s"
    )
    if explored.is_exhaustive:
        print(f"EXHAUSTIVE  {extent}: every rule holds in all of them")
    else:
        print(
            f"NOT EXHAUSTIVE  {extent}: stopped at {explored.bound}; further states are unchecked"
        )


def _limit_texts(limits: "Limits") -> list[str]:
    amounts = {option: getattr(limits, field) for option, (field, _) in AMOUNTS.items()}
    return [f"{option} {'any' if isinf(item) else item}" for option, item in amounts.items()]


def _document(subject: "Subject", limits: "Limits", outcome: Outcome) -> dict[str, object]:
    explored = outcome.explored
    amounts = {key: None if isinf(item) else item for key, item in asdict(limits).items()}
    return {
        "voters": subject.voters,
        "broker": subject.has_broker,
        "partition": subject.has_partition,
        "limits": amounts,
        "verdict": outcome.verdict,
        "states": None if explored is None else explored.states,
        "depth": None if explored is None else explored.depth,
        "bound": None if explored is None else explored.bound,
        "broken": outcome.broken,
        "history": list(outcome.history),
    }
