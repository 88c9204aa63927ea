"""Counts which judges kill drawn mutants: `python -m tools.mutation COUNT [--help]`.

Results are appended to a file of build/mutation as they come, and an interrupted run goes on
there: each seed, length of the hunts and state of the code has its own file. At the end it prints
the score: of the mutants that the tests kill, how many the others do.

The same hunt is run over the code without a mutant first: if that breaks a property, the hunt would
kill every mutant that it reaches, and no mutant is judged.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue

from .copied import copy_to, fingerprint, planted
from .drawn import ROOT, Drawn, drawn
from .judges import HUNT_S, judges
from .score import Verdict, table

RESULTS = ROOT / "build" / "mutation"


def main() -> int:
    """Judges the mutants that have no result yet, and prints the score of all."""
    arguments = _arguments()
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / results_name(arguments.seed, arguments.hunt_seconds)
    known = {verdict.name: verdict for verdict in _read(path)}
    wanted = drawn(arguments.count, arguments.seed)
    missing = [mutant for mutant in wanted if mutant.name not in known]
    if missing and not known and (blamed := _blamed(arguments.hunt_seconds)) is not None:
        print(f"the hunt breaks a property of the code without a mutant: {blamed}", file=sys.stderr)
        return 1
    number = len(wanted) - len(missing)
    for verdict in _judged(missing, arguments.jobs, arguments.hunt_seconds):
        known[verdict.name], number = verdict, number + 1
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(verdict.to_document())}\n")
        print(f"{number}/{len(wanted)} {verdict}", file=sys.stderr, flush=True)
    print(table([known[mutant.name] for mutant in wanted]))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=200, help="mutants (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw (default 1)")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="at a time (default 2)")
    parser.add_argument(
        "--hunt-seconds",
        type=int,
        default=HUNT_S,
        help=f"processor time of each hunt (default {HUNT_S})",
    )
    return parser.parse_args()


def results_name(seed: int, hunt_s: int) -> str:
    """Returns the name of the file of results; other code has other verdicts."""
    return f"seed-{seed}-hunts-of-{hunt_s}-s-{fingerprint()}.jsonl"


def _read(path: Path) -> list[Verdict]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [Verdict.from_document(json.loads(line)) for line in lines]


def _blamed(hunt_s: int) -> str | None:
    """Returns what the hunt of the mutants says of the code without one; None: it finds nothing."""
    print(f"hunting for {hunt_s} s in the code without a mutant", file=sys.stderr, flush=True)
    return next(judge for judge in judges(hunt_s) if judge.name == "hunt").finding(ROOT)


def _judged(mutants: list[Drawn], jobs: int, hunt_s: int) -> Iterator[Verdict]:
    """Judges `jobs` mutants at a time, each in a copy of the project; yields them as they end."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            free.put(copy_to(Path(folder, str(number))))

        def judge(mutant: Drawn) -> Verdict:
            copy = free.get()
            try:
                return _judge(copy, mutant, hunt_s)
            finally:
                free.put(copy)

        for done in as_completed([pool.submit(judge, mutant) for mutant in mutants]):
            yield done.result()


def _judge(copy: Path, mutant: Drawn, hunt_s: int) -> Verdict:
    """Asks the tests, and the other judges only if the tests kill the mutant.

    A mutant that the tests miss is equivalent to honest code, or shows a gap in the tests: somebody
    reads it. A hunt for it would nearly always take all of its time.
    """
    killed: dict[str, bool] = {}
    took_s: dict[str, float] = {}
    with planted(copy, mutant):
        for judge in judges(hunt_s):
            began_s = time.monotonic()
            killed[judge.name] = judge.kills(copy)
            took_s[judge.name] = round(time.monotonic() - began_s, 1)
            if not killed["tests"]:
                break
    return Verdict(mutant.name, killed, took_s)


if __name__ == "__main__":
    sys.exit(main())
