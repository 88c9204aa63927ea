"""`kraftsim campaign run --guided`: the led search of `scenario hunt`, run by an engine's workers.

The driver draws the plans of a round and learns from their runs; workers only run them. So the same
seed, corpus, round and number of runs find the same on every engine, and in `scenario hunt`.
"""

import argparse
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

from ...errors import CommandError, UsageError
from .. import help_texts
from ..interrupts import interrupt_flag
from ..output import is_data
from ..progress import Progress
from ..scenario.hunt import (
    add_to_curve,
    expect_amounts,
    hunt_in,
    make_folder,
    report_hunt,
    written_findings,
)
from ..scenario.hunt_workers import HuntWorkers
from ..spark_options import spark_target_of
from .engine_options import engine_of

if TYPE_CHECKING:
    from pathlib import Path

    from kraftsim.scenarios.hunting.branches import Branches
    from kraftsim.scenarios.hunting.candidate import Shown
    from kraftsim.scenarios.hunting.hunt import Hunt, RunAll

GUIDED = ("runs", "seed", "round")  # options that need --guided
OTHERS = (
    "scenarios", "all", "tag", "smoke", "allow_code", "sweep", "seeds", "mutants", "shard_seconds",
)  # fmt: skip


def add_guided(verb: argparse.ArgumentParser) -> None:
    """Adds --guided and the options that need it."""
    verb.add_argument(
        "--guided",
        action="store_true",
        help="search for runs that show something new, as `scenario hunt` does, instead of "
        "scenarios and seeds; --out gets corpus, curve and findings, and no tables",
    )
    verb.add_argument("--runs", type=int, metavar="N", help="with --guided: at least N runs")
    verb.add_argument(
        "--seed", type=int, metavar="N", help="with --guided: seed of the search (default 1)"
    )
    verb.add_argument("--round", type=int, metavar="N", help=f"with --guided: {help_texts.ROUND}")


def is_guided(arguments: argparse.Namespace) -> bool:
    """Returns whether the campaign is guided; UsageError for options of the other kind."""
    if arguments.guided:
        wrong = next((name for name in OTHERS if getattr(arguments, name)), None)
        if wrong is not None or arguments.events != "all":
            raise UsageError(
                f"--guided: expected no {_option(wrong or 'events')}: a guided campaign draws its "
                "own scenarios and seeds"
            )
        if arguments.runs is None:
            raise UsageError("--guided: expected --runs N with it")
        return True
    for name in GUIDED:
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name}: expected --guided with it{_near(name)}")
    if arguments.seeds is None:
        raise UsageError("expected --seeds A..B, or --guided --runs N")
    return False


def _option(name: str) -> str:
    return "scenario" if name == "scenarios" else f"--{name.replace('_', '-')}"


def _near(name: str) -> str:
    return " (did you mean '--seeds'?)" if name == "seed" else ""


def run_guided(arguments: argparse.Namespace) -> int:
    """Runs rounds until there are enough runs; returns the exit code of a hunt."""
    from kraftsim.pipeline.campaign.alone import alone
    from kraftsim.pipeline.campaign.campaign import EngineError
    from kraftsim.pipeline.campaign.commit_log import PLAN

    expect_amounts(arguments, ("runs", "round"))
    engine_of(arguments)  # for its errors
    if (arguments.out / PLAN).exists():
        raise UsageError(f"--out: expected the folder of a hunt, got a campaign: {arguments.out}")
    seed = 1 if arguments.seed is None else arguments.seed
    make_folder(arguments.out)
    with alone(arguments.out), interrupt_flag(signal.SIGTERM) as interrupted:
        hunt = hunt_in(arguments.out, seed, arguments.round)
        try:
            _rounds(arguments, hunt, interrupted)
        except KeyboardInterrupt:
            interrupted.set()
        except EngineError as error:
            raise CommandError(f"{error}; the same command goes on from the corpus") from None
        found = written_findings(arguments.out, hunt, interrupted)
    return report_hunt(arguments, hunt, arguments.out, found, is_interrupted=interrupted.is_set())


def _rounds(arguments: argparse.Namespace, hunt: "Hunt", interrupted: Event) -> None:
    """Runs rounds, and writes the corpus after each, so that a killed driver loses one round."""
    from ...files.hunt_files import write_corpus

    folder: Path = arguments.out
    progress, began_s = Progress(is_enabled=not is_data(arguments)), time.monotonic()
    try:
        with _workers(arguments, hunt.draws, interrupted) as run_draws:
            while hunt.runs < arguments.runs:
                hunt.round(run_draws)
                write_corpus(folder, hunt.corpus)
                add_to_curve(hunt, folder, progress, time.monotonic() - began_s)
    finally:
        progress.clear()


@contextmanager
def _workers(arguments: argparse.Namespace, draws: int, interrupted: Event) -> "Iterator[RunAll]":
    """Yields a function that runs the draws of a round on the engine that the arguments choose."""

    def poll() -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt

    if arguments.engine == "local":
        jobs = arguments.workers or os.cpu_count() or 1
        with HuntWorkers(jobs, draws, interrupted) as workers:

            def run_draws(drawn: "Sequence[Branches]") -> "list[Sequence[Shown]]":
                shown = list(workers.results(drawn))
                poll()
                return shown

            yield run_draws
        return
    from kraftsim.pipeline.engines.spark_draws import draws_on_spark

    with draws_on_spark(spark_target_of(arguments), poll) as run_on_spark:
        yield run_on_spark
