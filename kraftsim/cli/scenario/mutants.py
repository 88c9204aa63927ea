"""`kraftsim scenario mutants`: plants known bugs in turn and reports whether each is detected.

Exit codes: 0 all are killed, 1 a mutant survives, 2 unknown mutant.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from ... import machine_code
from ...errors import FAILED, GOOD, CommandError, UsageError
from ..output import add_output, is_data, print_data
from ..terminal import print_wrapped
from .shrink_progress import new_path, shrinking, write_new

if TYPE_CHECKING:
    from kraftsim.scenarios.document.scenario import Scenario
    from kraftsim.scenarios.mutants import Mutant
    from kraftsim.scenarios.mutants.kill import Kill

    from ...files.scenario_files import ScenarioFile

SWARM = "swarm-everything"
LIST = "docs/bugs.md"  # of all planted bugs


def add_mutants(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `mutants` to the parser."""
    parser = verbs.add_parser(
        "mutants", help="plant each known bug in a run and report whether a property detects it"
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="planted bugs to run (default: all)"
    )
    add_output(parser)
    parser.add_argument(
        "--smallest",
        action="store_true",
        help="run the smallest known scenario that detects each bug",
    )
    parser.add_argument(
        "--swarm",
        type=int,
        metavar="N",
        help=f"count the seeds from 1 to N with which {SWARM} alone detects each bug",
    )
    parser.set_defaults(run=_mutants)


def _mutants(arguments: argparse.Namespace) -> int:
    chosen = mutants_of(arguments.names)
    machine_code.restart_without("planted bugs")
    if arguments.swarm is not None:
        if arguments.smallest:
            raise UsageError("expected --smallest or --swarm, got both")
        if arguments.swarm < 1:
            raise UsageError(f"--swarm: expected 1 or more seeds, got {arguments.swarm}")
        return _swarm(arguments, chosen)
    rows: list[dict[str, object]] = []
    without: dict[str, tuple[str, ...]] = {}
    for mutant in chosen:
        began_s = time.monotonic()
        done = _kill(mutant, _shown_by(mutant, smallest=arguments.smallest), without)
        rows.append(_row(mutant) | _measured(mutant) | {"killed": done.is_killed})
        if not is_data(arguments):
            _print_kill(arguments, done, time.monotonic() - began_s)
    if is_data(arguments):
        print_data(arguments, rows)
    return GOOD if all(row["killed"] for row in rows) else FAILED


def planted_by(name: str | None) -> "Callable[[], AbstractContextManager[None]]":
    """Returns a context manager that plants the bug for one run; a no-op without a name."""
    from kraftsim.scenarios.mutants import planted

    if name is None:
        return nullcontext
    (mutant,) = mutants_of([name])
    machine_code.restart_without("planted bugs")
    return lambda: planted(mutant)


def mutants_of(names: Iterable[str]) -> "list[Mutant]":
    """Returns the mutants of these names, or all without names; UsageError for an unknown name."""
    from kraftsim.scenarios.language.suggestions import nearest
    from kraftsim.scenarios.mutants import MUTANTS

    for name in names:
        if name not in MUTANTS:
            raise UsageError(
                f"unknown planted bug {name!r}: expected {nearest(name, sorted(MUTANTS), LIST)}"
            )
    return [MUTANTS[name] for name in names or sorted(MUTANTS)]


def small_scenario(name: str) -> "Scenario":
    """Returns a scenario of the library in the small form that the test suite runs."""
    from kraftsim.scenarios.document.smoke import in_small

    from ...files.scenario_files import find, read_file

    return in_small(read_file(find(name)).scenario)


def _shown_by(mutant: "Mutant", *, smallest: bool) -> "Scenario":
    from ...files.mutant_files import reproducers
    from ...files.scenario_files import read_file

    if not smallest:
        return small_scenario(mutant.scenario)
    stored = reproducers()
    if mutant.name not in stored:
        raise CommandError(
            f"no smallest scenario for {mutant.name}: write it with `kraftsim scenario shrink "
            f"{mutant.scenario} --mutant {mutant.name}`"
        )
    return read_file(stored[mutant.name]).scenario


def _kill(mutant: "Mutant", scenario: "Scenario", without: dict[str, tuple[str, ...]]) -> "Kill":
    """Runs a scenario with a planted bug.

    `without` caches, by scenario, the violations that occur without the bug: they do not count as
    kills.
    """
    from kraftsim.scenarios.mutants.kill import broken, kill

    seed = scenario.pins[0].seed
    if scenario.name not in without:
        without[scenario.name] = broken(scenario, seed)
    return kill(mutant, scenario, seed, without[scenario.name])


def _row(mutant: "Mutant") -> dict[str, object]:
    return {
        "mutant": mutant.name,
        "defect": mutant.defect,
        "scenario": mutant.scenario,
        "property": mutant.broken,
    }


def _measured(mutant: "Mutant") -> dict[str, object]:
    """Returns the measurements that `make mutants` stored; None for a missing measurement."""
    from ...files.mutant_files import densities, reproducers, size
    from ...files.scenario_files import read_file

    density, small = densities().get(mutant.name), reproducers().get(mutant.name)
    return {
        "swarmKills": None if density is None else density.kills,
        "swarmSeeds": None if density is None else density.seeds,
        "smallest": None if small is None else size(read_file(small).scenario),
    }


def _print_kill(arguments: argparse.Namespace, done: "Kill", duration_s: float) -> None:
    mutant, measured = done.mutant, _measured(done.mutant)
    alone = f"{measured['swarmKills']} of {measured['swarmSeeds']} seeds"
    verdict = "killed  " if done.is_killed else "SURVIVED"
    print_wrapped(
        f"{mutant.name} {verdict} {duration_s:4.1f} s  {mutant.scenario} by {mutant.broken}: "
        f"{mutant.title} ({mutant.defect}); swarm alone: {alone}; smallest: {measured['smallest']}",
        indent=len(mutant.name) + 1,
        is_wide=arguments.output == "wide",
    )


def _swarm(arguments: argparse.Namespace, chosen: "list[Mutant]") -> int:
    """Prints how many seeds of the swarm kill each mutant; the exit code is always 0."""
    from kraftsim.scenarios.mutants.kill import broken, kills

    scenario = small_scenario(SWARM)
    passing = [seed for seed in range(1, arguments.swarm + 1) if not broken(scenario, seed)]
    rows: list[dict[str, object]] = []
    for mutant in chosen:
        count = kills(mutant, scenario, passing)
        rows.append(_row(mutant) | {"scenario": SWARM, "seeds": len(passing), "kills": count})
        if not is_data(arguments):
            print_wrapped(
                f"{mutant.name} {count:>5} of {len(passing)} seeds: {mutant.title}",
                indent=len(mutant.name) + 1,
                is_wide=arguments.output == "wide",
            )
    if is_data(arguments):
        print_data(arguments, rows)
    return GOOD


def shrink_with(arguments: argparse.Namespace, file: "ScenarioFile") -> int:
    """`scenario shrink --mutant`: writes the smallest scenario that fails only with the bug."""
    from kraftsim.scenarios.document.smoke import in_small
    from kraftsim.scenarios.shrinking.reproduce import reproducer

    from ...files.mutant_files import size
    from ...files.scenario_files import written

    (mutant,) = mutants_of([arguments.mutant])
    scenario = in_small(file.scenario)
    seed = arguments.seed
    if seed is None:
        seed = scenario.pins[0].seed if scenario.pins else 1
    path = new_path(arguments.out, mutant.name)
    try:
        with shrinking(arguments, scenario.name) as tries:
            small = reproducer(mutant, scenario, seed, tries)
    except ValueError as error:
        raise CommandError(str(error)) from None
    write_new(path, written(small.plan))
    if is_data(arguments):
        found = {"path": str(path), "seed": seed, "breaks": mutant.broken}
        print_data(arguments, found | small.counts)
    else:
        print(f"{path}: {size(small.plan)}; {small.extent}; {mutant.broken} detects the bug")
    return GOOD
