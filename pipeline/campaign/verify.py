"""Repeats some runs of a campaign and compares their digests with the recorded ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from ..tables import RUNS
from .campaign import Poll, RepeatRuns
from .commit_log import Folder, part
from .plan import Plan, Slice, seeds_of

SHARDS = 8  # at most; enough for the cores of one machine


@dataclass(frozen=True, slots=True)
class Repeated:
    """The number of repeated runs, and a sentence for each run with another result or none."""

    runs: int
    wrong: tuple[str, ...]


def repeated(folder: Folder, sample: int, repeat: RepeatRuns, poll: Poll) -> Repeated:
    """Repeats `sample` committed runs, or all if there are fewer, and compares their digests.

    The plan's digest is the seed of the sample, so every call repeats the same runs.
    """
    plan = folder.plan()
    drawn = _drawn(plan, folder, sample)
    shards = tuple(tuple(drawn[first::SHARDS]) for first in range(min(SHARDS, len(drawn))))
    again = repeat(replace(plan, events="none", shards=shards), poll)
    now = {run_id: (verdict, digest) for run_id, verdict, digest in again}
    before = digests_of(folder)
    wrong, count = [], 0
    for slice_ in drawn:
        run_id = plan.items[slice_.item].run_id(slice_.first)
        if run_id not in now:
            wrong.append(f"run {run_id}: expected a repetition, got none")
            continue
        count += 1
        if before.get(run_id) != now[run_id]:
            wrong.append(f"run {run_id}: expected digest {before.get(run_id)}, got {now[run_id]}")
    return Repeated(count, tuple(wrong))


def _drawn(plan: Plan, folder: Folder, sample: int) -> list[Slice]:
    """Draws committed runs, each a slice of one seed, in the order of the plan."""
    runs = [
        Slice(slice_.item, seed, seed + 1)
        for number in folder.commits()
        for slice_ in plan.shards[number]
        for seed in seeds_of(slice_)
    ]
    return sorted(
        Random(plan.digest).sample(runs, min(sample, len(runs))),
        key=lambda slice_: (slice_.item, slice_.first),
    )


def digests_of(folder: Folder) -> Mapping[str, tuple[str, str]]:
    """Returns the verdict and the digest of every committed run, by run id."""
    import pyarrow.parquet as pq

    results: dict[str, tuple[str, str]] = {}
    for number in folder.commits():
        columns = ["run_id", "verdict", "digest"]
        table = pq.read_table(folder.path / part(RUNS.name, number), columns=columns)
        for run_id, verdict, digest in zip(
            *(column.to_pylist() for column in table.columns), strict=True
        ):
            results[run_id] = (verdict, digest)
    return results
