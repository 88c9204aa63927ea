"""make differential ARGS="--replicas": three released brokers judge three of ours."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from tests.differential.explained import explanation, matches
from tests.differential.judge import Mismatch
from tests.differential.progress import tell
from tests.differential.replicas import kept
from tests.differential.replicas.again import judge_again
from tests.differential.replicas.generate import SIDE_BY_SIDE, draw_sequence
from tests.differential.replicas.judge import Judge
from tests.differential.replicas.sides import our_sides, released_side
from tests.differential.replicas.steps import Configure, Elect, Reassign
from tests.differential.replicas.steps import Sequence as Drawn
from tests.differential.replicas.witness import Witness, witnesses
from tests.released.releases import Release

FOUND = Path("build") / "differential"
SHOWN_MAX = 8  # mismatches of a finding that are printed
RACE = "a race of the judge: clean when judged again in the same way"
_API_OF = {
    Reassign: "AlterPartitionReassignments",
    Elect: "ElectLeaders",
    Configure: "IncrementalAlterConfigs",
}
Number = tuple[int, int]  # seed, and number of a sequence


@contextmanager
def started(release: Release) -> Iterator[Judge]:
    """Both clusters, started once for all sequences."""
    with (
        released_side(release) as released,
        our_sides() as simulated,
        closing(Witness(released)) as kafka,
        witnesses(simulated) as ours,
    ):
        yield Judge(kafka, ours)


def judge_drawn(release: Release, numbers: Sequence[Number]) -> int:
    """Judges the sequences of these numbers; exit 0 if nothing was found, else 1."""
    began_s, sequences, steps, found, races = time.monotonic(), 0, 0, 0, 0
    explained: Counter[str] = Counter()
    with started(release) as judge:
        for group in side_by_side(numbers):
            drawn = [draw_sequence(*number) for number in group]
            verdict = judge_again(judge, drawn)
            sequences += len(drawn)
            steps += sum(len(sequence.steps) for sequence in drawn)
            for sequence in drawn:
                if mismatches := verdict.races.get(sequence.name):
                    races += 1
                    _print_finding(release, sequence, mismatches, RACE)
                mismatches = verdict.differing.get(sequence.name, [])
                if row := explaining_row(release, sequence, mismatches):
                    explained[row] += 1
                elif mismatches:
                    found += 1
                    _print_finding(release, sequence, mismatches, "differs when judged again")
            tell(f"{sequences} of {len(numbers)} sequences, {steps} steps, {found} unexplained")
    for row, count in explained.most_common():
        print(f"explained by {row}: {count} sequences")
    print(
        f"Kafka {release.version}: {sequences} sequences of replicas, {steps} steps, "
        f"{explained.total()} explained, {races} races of the judge, judged again, "
        f"{found} unexplained, {time.monotonic() - began_s:.0f} s"
    )
    return 1 if found else 0


def side_by_side(numbers: Sequence[Number]) -> list[list[Number]]:
    """The sequences that share their faults, together."""

    def faults_of(number: Number) -> Number:
        return number[0], number[1] // SIDE_BY_SIDE

    return [list(group) for _, group in groupby(sorted(numbers), key=faults_of)]


def explaining_row(release: Release, sequence: Drawn, mismatches: Sequence[Mismatch]) -> str | None:
    """The row of docs/differences.toml that explains an error code, and so what follows from it."""
    codes = [mismatch for mismatch in mismatches if mismatch.path.startswith("codes[")]
    if not codes:
        return None
    api = _API_OF[type(sequence.steps[codes[0].step].ask)]
    asked = [replace(mismatch, api=api, path="reply.errorCode") for mismatch in codes]
    used = explanation(asked, release.version, matches())
    return used[0].row if used else None


def _print_finding(
    release: Release, sequence: Drawn, mismatches: list[Mismatch], verdict: str
) -> None:
    path = FOUND / release.version / f"{sequence.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sequence.to_json(), indent=1) + "\n", "utf-8")
    print(f"\n{path}: {verdict}")
    print(f"  replicas {list(sequence.replicas)}, {dict(sequence.configs)}")
    for place, step in enumerate(sequence.steps[: mismatches[0].step + 1]):
        print(f"  {place}: {json.dumps(step.to_json())}")
    for mismatch in mismatches[:SHOWN_MAX]:
        print(f"  {mismatch}")
    print(f'  again: make differential ARGS="--replicas --only {sequence.name}"', flush=True)


def keep(release: Release, numbers: Sequence[Number], name: str, rule: str) -> int:
    """Records what the released brokers show, as a kept file; exit 1 if ours shows another.

    Raises ValueError for sequences that do not share their faults.
    """
    (group,) = side_by_side(numbers)
    drawn = [draw_sequence(*number) for number in group]
    with started(release) as judge:
        judged = judge.judge(drawn)
    for sequence in drawn:
        if mismatches := judged.mismatches.get(sequence.name):
            why = judged.late or "ours differs"
            _print_finding(release, sequence, mismatches, f"not kept: {why}")
    if judged.mismatches:
        return 1
    path = kept.FOLDER / f"{name}.json"
    kept.write(path, release.version, rule, drawn, judged)
    print(f"kept: {path}, rule {rule}")
    return 0
