"""Repeats some runs of a campaign and compares their digests with the recorded ones."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from ..tables import RUNS
from .campaign import Engine, OnProgress, run_campaign
from .commit_log import Folder, part
from .plan import Slice, seeds_of

SHARDS = 8  # at most; enough for the cores of one machine


@dataclass(frozen=True, slots=True)
class Repeated:
    """The number of repeated runs, and a sentence for each run whose result differs."""

    runs: int
    wrong: tuple[str, ...]


def repeated(folder: Folder, sample: int, engine: Engine, on_progress: OnProgress) -> Repeated:
    """Repeats `sample` committed runs, or all if there are fewer, and compares their digests.

    The plan's digest is the seed of the sample, so every call repeats the same runs.
    """
    plan = folder.plan()
    done = [plan.shards[number] for number in folder.commits()]
    runs = [
        Slice(slice_.item, seed, seed + 1)
        for shard in done
        for slice_ in shard
        for seed in seeds_of(slice_)
    ]
    drawn = sorted(
        Random(plan.digest).sample(runs, min(sample, len(runs))),
        key=lambda slice_: (slice_.item, slice_.first),
    )
    shards = tuple(tuple(drawn[first::SHARDS]) for first in range(min(SHARDS, len(drawn))))
    again = replace(plan, events="none", shards=shards)
    with tempfile.TemporaryDirectory() as path:
        repetition = Folder(Path(path))
        repetition.begin(again)
        run_campaign(repetition, engine, on_progress)
        before, now = digests_of(folder), digests_of(repetition)
    wrong = (
        f"run {run_id}: expected digest {before.get(run_id)}, got {digest}"
        for run_id, digest in now.items()
        if before.get(run_id) != digest
    )
    return Repeated(len(drawn), tuple(wrong))


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
