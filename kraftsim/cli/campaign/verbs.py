"""`kraftsim campaign ...`: runs thousands of scenarios and stores the results as tables.

Exit codes: 0 all passed, 1 a run failed or a canary is deaf, 2 usage, 3 a run was vacuous or the
campaign is unfinished, 130 interrupted; committed shards are kept.
"""

import argparse
from typing import TYPE_CHECKING

from ...errors import GOOD, INTERRUPTED, CommandError, UsageError
from .. import help_texts
from ..interrupts import interrupt_flag
from ..output import add_output, is_data, print_data
from ..scenario.runs import add_allow_code, add_choice, seconds, seed_range
from .allowed_code import expect_code_allowed, resume_command
from .check import add_check
from .compare import add_compare
from .engine_options import add_engine, engine_of
from .folder_argument import campaign_folder, folder_of
from .guided import add_guided, is_guided, run_guided
from .listing import add_list, add_show
from .report import add_report
from .summary import print_summary
from .verify import add_verify

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.campaign import Engine, State
    from kraftsim.pipeline.campaign.commit_log import Folder


def add_campaign_verbs(parent: argparse.ArgumentParser) -> None:
    """Adds the verbs of `campaign` to its parser."""
    subverbs = parent.add_subparsers(metavar="VERB")
    add_list(subverbs)
    add_show(subverbs)
    _add_run(subverbs)
    add_report(subverbs)
    add_compare(subverbs)
    add_check(subverbs)
    add_verify(subverbs)
    for name, run, help_ in (
        ("resume", _resume, "run the shards that are missing"),
        ("status", _status, "print the number of finished runs and their verdicts"),
        ("sweep", _sweep, "remove files of interrupted shards, and move corrupt shards aside"),
    ):
        parser = subverbs.add_parser(name, help=help_)
        parser.add_argument("folder", type=campaign_folder, metavar="DIR", help=help_texts.CAMPAIGN)
        if name == "resume":
            add_allow_code(parser)
            add_engine(parser)
        add_output(parser)
        parser.set_defaults(run=run)


def _add_run(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = verbs.add_parser(
        "run", help="run scenarios with many seeds and store the results of every run"
    )
    add_choice(parser)
    parser.add_argument(
        "--seeds",
        type=seed_range,
        metavar="A..B",
        help="run every scenario with each seed from A to B-1 (required without --guided)",
    )
    parser.add_argument(
        "--out", type=campaign_folder, required=True, metavar="DIR", help=help_texts.CAMPAIGN_OUT
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
        type=_shard_seconds,
        metavar="DURATION",
        help=(
            "approximate run time of a shard (default: 8s to 60s, by the campaign's length; a bare "
            "number is seconds)"
        ),
    )
    add_guided(parser)
    add_engine(parser)
    add_output(parser)
    parser.set_defaults(run=_run, cell=[])


def _shard_seconds(text: str) -> float:
    shard_s = seconds(text)
    if not shard_s:
        raise argparse.ArgumentTypeError(f"expected a duration above 0, got {text!r}")
    return shard_s


# The verbs


def _run(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.commit_log import Folder

    from .plan import plan_of

    if is_guided(arguments):
        return run_guided(arguments)
    engine = engine_of(arguments)
    folder = Folder(arguments.out)
    folder.begin(plan_of(arguments))
    return _run_missing(folder, engine, arguments)


def _resume(arguments: argparse.Namespace) -> int:
    folder = folder_of(arguments)
    _expect_whole(folder)
    expect_code_allowed(folder, is_allowed=arguments.allow_code)
    return _run_missing(folder, engine_of(arguments), arguments)


def _status(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.campaign import state_of

    folder = folder_of(arguments)
    plan, commits = folder.plan(), folder.commits()
    return print_summary(arguments, folder, plan, commits, state_of(plan, commits))


def _sweep(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.alone import alone

    folder = folder_of(arguments)
    with alone(folder.path):
        removed, aside = folder.sweep(), folder.set_corrupt_aside()
    if is_data(arguments):
        print_data(arguments, {"removed": removed, "aside": aside})
    else:
        print(
            f"removed {removed} files of interrupted shards, moved {len(aside)} corrupt shards "
            "aside"
        )
        if aside:
            print(f"run those shards again with: kraftsim campaign resume {folder.path}")
    return GOOD


# Shared by the verbs


def _expect_whole(folder: "Folder") -> None:
    from kraftsim.pipeline.package import code_digest

    plan = folder.plan()
    if plan.code != code_digest():
        raise UsageError(
            f"{folder.path}: started by another version of kraftsim, whose runs may differ: resume "
            "it "
            "with that version, or start another campaign"
        )
    for wrong in folder.corruptions():
        raise UsageError(f"{wrong}; move it aside with `kraftsim campaign sweep {folder.path}`")


def _run_missing(folder: "Folder", engine: "Engine", arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.campaign import EngineError, run_campaign

    from .progress import CampaignProgress

    progress = CampaignProgress(is_enabled=not is_data(arguments))

    def on_progress(state: "State", worked_s: float) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        progress.update(state, worked_s)

    try:
        with interrupt_flag() as interrupted:
            state = run_campaign(folder, engine.run, on_progress)
    except EngineError as error:
        raise CommandError(
            f"{error}; finished shards are kept; continue with: {resume_command(folder)}"
        ) from None
    except KeyboardInterrupt:
        progress.clear()
        print(f"interrupted; continue with: {resume_command(folder)}")
        return INTERRUPTED
    finally:
        progress.clear()
    return print_summary(arguments, folder, folder.plan(), folder.commits(), state)
