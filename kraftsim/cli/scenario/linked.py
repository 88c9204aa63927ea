"""`kraftsim scenario run --link ADDRESS`: the branches of a link of the page, played without it."""

import argparse
from typing import TYPE_CHECKING

from ... import machine_code
from ...errors import FAILED, GOOD, VACUOUS, UsageError
from ..output import is_data, print_item
from .exports import write_exports

if TYPE_CHECKING:
    from ...files.scenario_files import ScenarioFile
    from ...lessons.documents import Story
    from ...lessons.link import Link

_WITHOUT = (
    *("seed", "seeds", "all", "tag", "smoke", "sweep", "cell", "mutant", "junit"),
    *("lines", "verbose", "until_failure", "time_limit", "open"),
)
_CODES = {"pass": GOOD, "fail": FAILED, "vacuous": VACUOUS}


def run_link(arguments: argparse.Namespace) -> int:
    """Plays every branch of the link and prints its verdict; returns the code of the shown one.

    Raises UsageError for a damaged link, and for options that choose other runs.
    """
    from ...lessons.answers import Answers
    from ...lessons.link import LETTERS, read_link
    from ...lessons.tapes import Tapes

    link = read_link(arguments.link)
    _expect_alone(arguments)
    machine_code.restart_without("--link")
    file = _file(arguments, link)
    answers = Answers(Tapes(lambda name: file.scenario))
    stories = [
        answers.story(link.name, link.seed, branch.profile, branch.acts) for branch in link.branches
    ]
    documents = [_document(letter, story) for letter, story in zip(LETTERS, stories, strict=False)]
    if is_data(arguments):
        print_item(arguments, {"scenario": link.name, "seed": link.seed, "branches": documents})
    else:
        for document in documents:
            print("{branch}  {profile}  {verdict}  {digest}".format_map(document))
    write_exports(arguments, answers, link)
    return _CODES[stories[link.active]["verdict"]]


def _expect_alone(arguments: argparse.Namespace) -> None:
    for name in _WITHOUT:
        if getattr(arguments, name) not in (None, False, []):
            option = name.replace("_", "-")
            raise UsageError(f"--link has the runs in itself: expected no --{option}")
    if len(arguments.scenarios) > 1:
        raise UsageError("--link: expected at most one scenario file, that of the link")


def _file(arguments: argparse.Namespace, link: "Link") -> "ScenarioFile":
    """Returns the file that the arguments name, else that of the library with the link's name."""
    from ...files.own_files import load
    from ...files.scenario_files import find, read_sound

    file = read_sound(find(arguments.scenarios[0] if arguments.scenarios else link.name))
    load(file, is_allowed=arguments.allow_code)
    return file


def _document(letter: str, story: "Story") -> dict[str, object]:
    return {
        "branch": letter,
        "profile": story["profile"],
        "verdict": story["verdict"],
        "digest": story["digest"],
    }
