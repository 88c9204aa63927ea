"""Campaigns: the overhead of Spark over local processes, the speed of a swarm, the disk usage.

Every figure includes whole processes, started as a user starts them, on all cores.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from kraftsim.pipeline.campaign.campaign import state_of
from kraftsim.pipeline.campaign.commit_log import Folder, part
from tools import native

from .report import Row

ENGINES = {"spark": (), "local": ("--engine", "local")}
FEW, MANY = 100, 900  # runs; the difference gives the cost per run, the rest is the fixed cost
SWARM_RUNS = int(os.environ.get("KRAFTSIM_BENCH_RUNS", "300"))
SWARM_GOAL_RUNS = 10_000
# A run of 20 ms or more: a broker crashes and is fenced.
SHORT = ("broker-crash-fenced", "--smoke")
# Two virtual minutes with three controllers and five brokers; four are unfenced at the end.
SWARM = (
    "swarm-everything",
    *("--sweep", "cluster.brokers=5", "--sweep", "let.survivors.pick=4"),
    *("--sweep", "time.run=85s", "--sweep", "time.calm=28s"),
)
EVENTS = ("transitions", "heartbeats")
LEARNT_OF = 11  # the first 1/11 of the seeds gives Good and Turing's estimate for the others


def campaigns() -> Iterator[Row]:
    """Yields the figures of campaigns."""
    native.main()
    took_s = {
        (engine, runs): campaign_s(SHORT, runs, engine)
        for runs in (FEW, MANY)
        for engine in ENGINES
    }
    for runs in (FEW, MANY):
        spark, local = took_s["spark", runs], took_s["local", runs]
        name = f"{runs} runs from command to end, beside processes"
        yield Row(name, f"{spark:.1f} s", f"{local:.1f} s", spark / local)
    spark_ms, local_ms = (1000 * _marginal_s(took_s, engine) for engine in ENGINES)
    name, ratio = "a run more, Spark beside processes", spark_ms / local_ms
    yield Row(name, f"{spark_ms:.1f} ms", f"{local_ms:.1f} ms", ratio, "<= 1.10")
    fixed_s = took_s["spark", FEW] - took_s["local", FEW]
    yield Row("what Spark costs once", f"{fixed_s:.1f} s", goal="<= 10 s")
    yield from _swarm(fixed_s)


def _swarm(fixed_s: float) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "swarm")
        took_s = campaign_s(SWARM, SWARM_RUNS, "spark", out=out, is_native=True)
        whole_min = (fixed_s + (took_s - fixed_s) * SWARM_GOAL_RUNS / SWARM_RUNS) / 60
        yield Row(
            f"{SWARM_GOAL_RUNS:,} swarm runs of two virtual minutes, native",
            f"{whole_min:.1f} min (of {SWARM_RUNS:,} runs)",
            goal="<= 15 min",
        )
        yield Row("verdicts of them", _verdicts(out))
        yield Row("on disk, a transition or heartbeat", _weight(out, EVENTS), goal="<= 4 bytes")
        yield Row("on disk, a record of a log", _weight(out, ("records",)))
        yield _foreseen(out)


def campaign_s(
    words: tuple[str, ...],
    runs: int,
    engine: str,
    *,
    out: Path | None = None,
    is_native: bool = False,
) -> float:
    """Returns the seconds that a whole campaign takes, from the command to its end."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "kraftsim", "campaign", "run", *words, *ENGINES[engine]]
        command += ["--seeds", f"1..{runs + 1}", "--out", str(out or Path(folder, "out"))]
        began_s = time.perf_counter()
        done = subprocess.run(
            command, cwd=folder, env=_environment(is_native), capture_output=True, text=True
        )
        if "; verdicts: " not in done.stdout:
            raise RuntimeError(done.stdout + done.stderr)
        return time.perf_counter() - began_s


def _environment(is_native: bool) -> dict[str, str]:
    """Returns an environment in which workers do not import from their working directory."""
    env = native.environment() if is_native else {**os.environ, "PYTHONPATH": str(native.ROOT)}
    return env | {"PYTHONSAFEPATH": "1"}


def _marginal_s(took_s: dict[tuple[str, int], float], engine: str) -> float:
    return (took_s[engine, MANY] - took_s[engine, FEW]) / (MANY - FEW)


def _verdicts(out: Path) -> str:
    folder = Folder(out)
    verdicts = state_of(folder.plan(), folder.commits()).verdicts
    return ", ".join(f"{number:,} {name}" for name, number in verdicts.most_common())


def _weight(out: Path, tables: tuple[str, ...]) -> str:
    """Returns the bytes on disk per row of the given tables."""
    pieces = [commit.pieces[name] for commit in Folder(out).commits().values() for name in tables]
    rows = sum(piece.rows for piece in pieces)
    return f"{sum(piece.size for piece in pieces) / rows:.2f} bytes ({rows:,})"


def _foreseen(out: Path) -> Row:
    """Compares Good and Turing's estimate from the first seeds with the later seeds.

    The estimate is the share of runs that will show something new.
    """
    runs = [
        row
        for number in Folder(out).commits()
        for row in pq.read_table(
            out / part("runs", number), columns=["seed", "coverage", "cell"]
        ).to_pylist()
        if row["cell"]  # canaries have none
    ]
    runs.sort(key=lambda row: row["seed"])
    first, later = runs[: len(runs) // LEARNT_OF], runs[len(runs) // LEARNT_OF :]
    counts = Counter(kind for row in first for kind in set(row["coverage"]))
    alone = sum(any(counts[kind] == 1 for kind in row["coverage"]) for row in first)
    new = sum(any(kind not in counts for kind in row["coverage"]) for row in later)
    foreseen, observed = f"{alone / len(first):.2%}", f"{new / len(later):.2%}"
    return Row(
        "one more seed shows something new",
        f"foreseen of {len(first):,}: {foreseen}; found in {len(later):,}: {observed}",
    )
