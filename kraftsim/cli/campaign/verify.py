"""`kraftsim campaign verify`: checks every file of a campaign, and repeats some of its runs.

Exit codes: 0 all files and repetitions match, 1 a file or a repetition differs or is missing, 2 not
a campaign folder, 3 the campaign is unfinished.
"""

import argparse
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, UNFINISHED, CommandError, Unfinished
from .. import help_texts
from ..output import add_output, is_data, print_data
from ..scenario.runs import add_allow_code
from .allowed_code import expect_code_allowed, resume_command
from .engine_options import add_engine, engine_of
from .folder_argument import campaign_folder, folder_of

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.commit_log import Folder

SAMPLE = 20  # repeated runs


def add_verify(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `verify` to the parser."""
    parser = verbs.add_parser(
        "verify",
        help="check the files of a campaign, and repeat some runs to compare their digests",
    )
    parser.add_argument("folder", type=campaign_folder, metavar="DIR", help=help_texts.CAMPAIGN)
    add_allow_code(parser)
    add_engine(parser)
    parser.add_argument(
        "--sample",
        type=_count,
        default=SAMPLE,
        metavar="N",
        help=f"number of runs to repeat (default {SAMPLE})",
    )
    add_output(parser)
    parser.set_defaults(run=_verify)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, got {text}")
    return number


def _verify(arguments: argparse.Namespace) -> int:
    folder = folder_of(arguments)
    expect_code_allowed(folder, is_allowed=arguments.allow_code)
    done, shards = len(folder.commits()), len(folder.plan().shards)
    if not done:
        raise Unfinished(
            f"{folder.path}: expected committed runs to verify, got none: run them with "
            f"`{resume_command(folder)}`"
        )
    wrong, runs = list(folder.corruptions()), 0
    if not wrong:
        runs, wrong = _repeated(folder, arguments)
    elif not is_data(arguments):
        wrong.append(f"move the corrupt shards aside with: kraftsim campaign sweep {folder.path}")
    if is_data(arguments):
        counts = {"sample": runs, "shards": shards, "shardsDone": done}
        print_data(arguments, counts | {"wrong": wrong})
    else:
        sound = f"every file matches its commit; {runs:,} runs repeated with the same digests"
        missing = (
            f"unfinished: {done:,} of {shards:,} shards are committed; continue with: "
            f"{resume_command(folder)}"
        )
        print(*wrong or [sound], *([missing] if done < shards else []), sep="\n")
    if wrong:
        return FAILED
    return GOOD if done == shards else UNFINISHED


def _repeated(folder: "Folder", arguments: argparse.Namespace) -> tuple[int, list[str]]:
    """Returns the number of repeated runs, and a line for each with another result or none."""
    from kraftsim.pipeline.campaign.campaign import EngineError
    from kraftsim.pipeline.campaign.verify import repeated

    from ..progress import Progress

    progress = Progress(is_enabled=not is_data(arguments))
    try:
        done = repeated(
            folder,
            arguments.sample,
            engine_of(arguments).repeat,
            lambda: progress.write(f"repeating at most {arguments.sample:,} runs"),
        )
    except EngineError as error:
        raise CommandError(f"{folder.path}: nothing was verified: {error}") from None
    finally:
        progress.clear()
    return done.runs, list(done.wrong)
