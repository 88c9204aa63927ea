"""`kraftsim campaign list` and `show`: which campaigns a folder has, and what one of them runs.

Both read `plan.json` and the commits only, so they need neither Spark nor pyarrow. Exit codes: 0, 2
no folder, no campaign, or a campaign that cannot be read or is damaged.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kraftsim.controller.wire.json.document import Document

from ...errors import GOOD, USAGE, UsageError
from ...printable import printable
from .. import help_texts
from ..output import add_output, is_data
from .folder_argument import campaign_folder, folder_of
from .summary import damage_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kraftsim.pipeline.campaign.commit_log import Folder


def add_list(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `list` to the parser."""
    parser = verbs.add_parser(
        "list", help="list the campaigns of a folder with finished runs, verdicts, engine and times"
    )
    parser.add_argument(
        "folder",
        type=campaign_folder,
        nargs="?",
        default=Path(),
        metavar="FOLDER",
        help="folder with folders of campaigns, or of one campaign (default: working directory)",
    )
    _add_output(parser)
    parser.set_defaults(run=_list)


def add_show(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `show` to the parser."""
    parser = verbs.add_parser(
        "show", help="show the plan and the state of a campaign: scenarios, seeds, finished runs"
    )
    parser.add_argument("folder", type=campaign_folder, metavar="DIR", help=help_texts.CAMPAIGN)
    _add_output(parser)
    parser.set_defaults(run=_show)


def _add_output(parser: argparse.ArgumentParser) -> None:
    add_output(parser)
    parser.add_argument("--utc", action="store_true", help=help_texts.UTC)


def _list(arguments: argparse.Namespace) -> int:
    """Prints a row for each campaign; an error on stderr for each unreadable or damaged one."""
    from kraftsim.pipeline.campaign.campaign_description import summary_of
    from kraftsim.pipeline.campaign.plan import PlanError

    from ..tables import print_document

    rows: list[Document] = []
    code = GOOD
    for folder in _campaigns(arguments.folder):
        try:
            rows.append(summary_of(folder))
            code = _warn_of_damage(rows[-1]) or code
        except PlanError as error:
            print(printable(f"kraftsim: {error}"), file=sys.stderr)
            code = USAGE
    if rows or is_data(arguments):
        print_document(arguments, {"campaigns": rows})
    elif code == GOOD:
        print(printable(f"no campaign in {arguments.folder.absolute()}"), file=sys.stderr)
    return code


def _warn_of_damage(summary: Document) -> int:
    """Prints an error on stderr if the campaign is damaged, and returns the exit code."""
    damage = summary["damage"]
    if not damage:
        return GOOD
    assert isinstance(damage, list), summary
    line = damage_line(Path(str(summary["folder"])), damage)
    print(printable(f"kraftsim: {line}"), file=sys.stderr)
    return USAGE


def _campaigns(path: Path) -> "Iterator[Folder]":
    """Yields the campaign in the folder, then those in its folders, in order of name."""
    from kraftsim.pipeline.campaign.commit_log import PLAN, Folder

    if not path.is_dir():
        raise UsageError(f"{path}: expected a folder, got {'a file' if path.exists() else 'none'}")
    for folder in (path, *sorted(path.iterdir())):
        if (folder / PLAN).is_file():
            yield Folder(folder)


def _show(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.campaign.campaign_description import description_of

    from ..tables import print_document

    description = description_of(folder_of(arguments))
    code = _warn_of_damage(description)
    if not is_data(arguments):
        del description["damage"]  # the warning has it as a sentence
    print_document(arguments, description)
    return code
