"""`kraftsim scenario mutants`: plant known bugs, one after the other; is each noticed?

Exit codes: 0 all are killed, 1 one survives, 2 no such mutant.
"""

import argparse
import json
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .errors import FAILED, GOOD, CommandError

if TYPE_CHECKING:
    from kraftsim.scenarios.mutants import Mutant
    from kraftsim.scenarios.mutants.kill import Kill
    from kraftsim.scenarios.scenario import Scenario

SWARM = "swarm-everything"


def add_mutants(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    one = words.add_parser("mutants", help="plant known bugs: is each noticed?")
    one.add_argument("names", nargs="*", metavar="NAME", help="all of them, unless given")
    one.add_argument("--json", action="store_true", help="print JSON")
    one.add_argument(
        "--swarm", type=int, metavar="N", help=f"how many of N seeds of {SWARM} alone kill each"
    )
    one.set_defaults(run=_mutants)


def _mutants(given: argparse.Namespace) -> int:
    chosen = _chosen(given.names)
    if given.swarm is not None:
        return _swarm(chosen, given.swarm, as_json=given.json)
    rows, without = [], {one.scenario: _without(one.scenario) for one in chosen}
    for one in chosen:
        began_s = time.monotonic()
        done = _kill(one, without[one.scenario])
        rows.append(_row(one) | {"property": one.broken, "killed": done.is_killed})
        if not given.json:
            _tell(done, time.monotonic() - began_s)
    if given.json:
        print(json.dumps(rows))
    return GOOD if all(row["killed"] for row in rows) else FAILED


def _chosen(names: Iterable[str]) -> "list[Mutant]":
    from kraftsim.scenarios.mutants import MUTANTS
    from kraftsim.scenarios.words import nearest

    for name in names:
        if name not in MUTANTS:
            raise CommandError(f"unknown mutant {name!r}: expected {nearest(name, MUTANTS)}")
    return [MUTANTS[name] for name in names or sorted(MUTANTS)]


def _scenario(name: str) -> "Scenario":
    from kraftsim.scenarios.smoke import in_small

    from .scenario_files import find, read_file

    return in_small(read_file(find(name)).scenario)


def _without(name: str) -> tuple[str, ...]:
    """What falls in a scenario although nothing is planted: that kills nobody."""
    from kraftsim.scenarios.mutants.kill import broken

    scenario = _scenario(name)
    return broken(scenario, scenario.pins[0].seed)


def _kill(one: "Mutant", without: tuple[str, ...]) -> "Kill":
    from kraftsim.scenarios.mutants.kill import kill

    scenario = _scenario(one.scenario)
    return kill(one, scenario, scenario.pins[0].seed, without)


def _row(one: "Mutant") -> dict[str, object]:
    return {"mutant": one.name, "defect": one.defect, "scenario": one.scenario}


def _tell(done: "Kill", took_s: float) -> None:
    one = done.mutant
    verdict = "killed  " if done.is_killed else "SURVIVED"
    print(
        f"{one.name} {verdict} {took_s:4.1f} s  {one.scenario} by {one.broken}: {one.title} "
        f"({one.defect})",
        flush=True,
    )


def _swarm(chosen: "list[Mutant]", seeds: int, *, as_json: bool) -> int:
    """Without the scenario that was made for each: a measure of the search, never a failure."""
    from kraftsim.scenarios.mutants.kill import broken, kills

    scenario = _scenario(SWARM)
    passing = [seed for seed in range(1, seeds + 1) if not broken(scenario, seed)]
    rows: list[dict[str, object]] = []
    for one in chosen:
        count = kills(one, scenario, passing)
        rows.append(_row(one) | {"scenario": SWARM, "seeds": len(passing), "kills": count})
        if not as_json:
            print(f"{one.name} {count:>5} of {len(passing)} seeds: {one.title}", flush=True)
    if as_json:
        print(json.dumps(rows))
    return GOOD
