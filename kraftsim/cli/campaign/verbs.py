"""`kraftsim campaign ...`: runs thousands of scenarios and stores the results as tables.

Exit codes: 0 all passed, 1 a run failed or a canary is deaf, 2 usage, 3 a run was vacuous, 130
interrupted; committed shards are kept.
"""

import argparse
import json
import os
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, INTERRUPTED, CommandError, UsageError
from .. import help_texts
from ..interrupts import interrupt_flag
from ..scenario.runs import add_choice, seed_range
from ..spark_options import add_spark, expect_installed, spark_target_of
from .check import add_check
from .compare import add_compare
from .report import add_report
from .summary import print_summary

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.campaign import Engine, State
    from kraftsim.pipeline.campaign.commit_log import Folder

SAMPLE = 20  # runs that `verify` repeats
ENGINES = ("spark", "local")


def add_campaign_verbs(parent: argparse.ArgumentParser) -> None:
    """Adds the verbs of `campaign` to its parser."""
    subverbs = parent.add_subparsers(metavar="VERB")
    _add_run(subverbs)
    add_report(subverbs)
    add_compare(subverbs)
    add_check(subverbs)
    for name, run, help_ in (
        ("resume", _resume, "run the shards that are missing"),
        ("status", _status, "print the number of finished runs and their verdicts"),
        (
            "verify",
            _verify,
            "check the files of a campaign, and repeat some runs to compare their digests",
        ),
        ("sweep", _sweep, "remove files of interrupted shards, and move corrupt shards aside"),
    ):
        parser = subverbs.add_parser(name, help=help_)
        parser.add_argument("folder", type=Path, metavar="DIR", help=help_texts.CAMPAIGN)
        if name in ("resume", "verify"):
            _add_engine(parser)
        if name == "verify":
            parser.add_argument(
                "--sample",
                type=_count,
                default=SAMPLE,
                metavar="N",
                help=f"number of runs to repeat (default {SAMPLE})",
            )
        parser.add_argument("--json", action="store_true", help=help_texts.JSON)
        parser.set_defaults(run=run)


def _add_run(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = verbs.add_parser(
        "run", help="run scenarios with many seeds and store the results of every run"
    )
    add_choice(parser)
    parser.add_argument(
        "--seeds",
        type=seed_range,
        required=True,
        metavar="A..B",
        help="run every scenario with each seed from A to B-1",
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="new folder for the tables"
    )
    parser.add_argument(
        "--mutants",
        nargs="?",
        const="all",
        metavar="NAME,...",
        help="also run every scenario with each of these planted bugs (without names: every bug)",
    )
    parser.add_argument(
        "--events",
        choices=("all", "failures", "none"),
        default="all",
        help="runs of which transitions, heartbeats and records are stored (default all)",
    )
    parser.add_argument(
        "--shard-seconds",
        type=_seconds,
        metavar="SECONDS",
        help=(
            "approximate run time of a shard in seconds (default: 8 to 60, by the campaign's "
            "length)"
        ),
    )
    _add_engine(parser)
    parser.add_argument("--json", action="store_true", help=help_texts.JSON)
    parser.set_defaults(run=_run, cell=[])


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < inf:
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, got {text}")
    return seconds


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, got {text}")
    return number


def _add_engine(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--engine",
        choices=ENGINES,
        default="spark",
        help=(
            "program that runs the shards: Spark, or local processes without a JVM (default spark)"
        ),
    )
    verb.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="number of processes of --engine local (default: one per CPU)",
    )
    add_spark(verb)


# The verbs


def _run(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.commit_log import Folder

    from .plan import plan_of

    engine = _engine(arguments)
    folder = Folder(arguments.out)
    folder.begin(plan_of(arguments))
    return _run_missing(folder, engine, arguments)


def _resume(arguments: argparse.Namespace) -> int:
    folder = _folder(arguments)
    _expect_whole(folder)
    return _run_missing(folder, _engine(arguments), arguments)


def _status(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.campaign import state_of

    folder = _folder(arguments)
    state = state_of(folder.plan(), folder.commits())
    return print_summary(folder, state, as_json=arguments.json)


def _verify(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.verify import repeated

    from .progress import CampaignProgress

    folder = _folder(arguments)
    wrong, runs = list(folder.corruptions()), 0
    if not wrong:
        progress = CampaignProgress(is_enabled=not arguments.json)
        done = repeated(folder, arguments.sample, _engine(arguments), progress.update)
        wrong, runs = list(done.wrong), done.runs
        progress.clear()
    elif not arguments.json:
        wrong.append(f"move the corrupt shards aside with: kraftsim campaign sweep {folder.path}")
    if arguments.json:
        print(json.dumps({"sample": runs, "wrong": wrong}))
    else:
        print(
            *wrong
            or [f"every file matches its commit; {runs:,} runs repeated with the same digests"],
            sep="\n",
        )
    return FAILED if wrong else GOOD


def _sweep(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.campaign import alone

    folder = _folder(arguments)
    with alone(folder):
        removed, aside = folder.sweep(), folder.set_corrupt_aside()
    if arguments.json:
        print(json.dumps({"removed": removed, "aside": aside}))
    else:
        print(
            f"removed {removed} files of interrupted shards, moved {len(aside)} corrupt shards "
            "aside"
        )
        if aside:
            print(f"run those shards again with: kraftsim campaign resume {folder.path}")
    return GOOD


# Shared by the verbs


def _folder(arguments: argparse.Namespace) -> "Folder":
    from kraftsim.pipeline.campaign.commit_log import Folder

    folder = Folder(arguments.folder)
    folder.plan()
    return folder


def _expect_whole(folder: "Folder") -> None:
    from kraftsim.pipeline.package import code_digest

    plan = folder.plan()
    if plan.code != code_digest():
        raise CommandError(
            f"{folder.path}: started by another version of kraftsim, whose runs may differ: resume "
            "it "
            "with that version, or start another campaign"
        )
    for wrong in folder.corruptions():
        raise CommandError(f"{wrong}; move it aside with `kraftsim campaign sweep {folder.path}`")


def _engine(arguments: argparse.Namespace) -> "Engine":
    """Returns the engine that the arguments choose; UsageError if the arguments contradict it."""
    from functools import partial

    if arguments.engine == "local":
        expect_installed("pyarrow")
        from kraftsim.pipeline.engines import local_engine

        if arguments.master or arguments.remote or arguments.conf:
            raise UsageError(
                "--engine local: expected no --master, --remote or --conf, which are options of "
                "Spark"
            )
        if arguments.workers is not None and arguments.workers < 1:
            raise UsageError(f"--workers: expected 1 or more, got {arguments.workers}")
        workers = arguments.workers or os.cpu_count() or 1
        return partial(local_engine.run_shards, workers=workers)
    if arguments.workers is not None:
        raise UsageError(
            "--workers: expected --engine local with it; Spark takes --master 'local[N,4]' instead"
        )
    target = spark_target_of(arguments)
    from kraftsim.pipeline.engines.java import require_java
    from kraftsim.pipeline.engines.spark_engine import run_shards

    if not target.remote:
        require_java()
    return partial(run_shards, master=target.master, remote=target.remote, conf=target.conf)


def _run_missing(folder: "Folder", engine: "Engine", arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.campaign import EngineError, run_campaign

    from .progress import CampaignProgress

    progress = CampaignProgress(is_enabled=not arguments.json)

    def on_progress(state: "State", worked_s: float) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        progress.update(state, worked_s)

    try:
        with interrupt_flag() as interrupted:
            state = run_campaign(folder, engine, on_progress)
    except EngineError as error:
        raise CommandError(
            f"{error}; finished shards are kept; continue with: kraftsim campaign resume "
            f"{folder.path}"
        ) from None
    except KeyboardInterrupt:
        progress.clear()
        print(f"interrupted; continue with: kraftsim campaign resume {folder.path}")
        return INTERRUPTED
    finally:
        progress.clear()
    return print_summary(folder, state, as_json=arguments.json)
