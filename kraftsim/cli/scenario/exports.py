"""`kraftsim scenario run --html F`, `--perfetto F`, `--shiviz F`: a run in a file for a viewer."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ... import machine_code
from ...errors import UsageError
from .mutants import planted_by

if TYPE_CHECKING:
    from ...files.scenario_files import ScenarioFile
    from ...lessons.answers import Answers
    from ...lessons.link import Link

HELP = {
    "html": "write the run as one HTML file, which opens offline and can be rewound",
    "perfetto": "write the run as a trace that ui.perfetto.dev opens",
    "shiviz": "write the run as a log with vector clocks, which ShiViz opens",
}


def add_exports(parser: argparse.ArgumentParser) -> None:
    """Adds the options that write a run for a viewer."""
    for name, text in HELP.items():
        parser.add_argument(f"--{name}", type=Path, metavar="F", help=text)


def export_run(arguments: argparse.Namespace, file: "ScenarioFile", seed: int) -> None:
    """Writes the files that the options name, each with the run of `file` with this seed.

    Raises UsageError if a file cannot be written, or if the run is too long for a viewer.
    """
    if not any(getattr(arguments, name) for name in HELP):
        return
    from ...lessons.answers import Answers
    from ...lessons.link import Link, LinkedBranch
    from ...lessons.tapes import Tapes

    answers = Answers(Tapes(lambda name: file.scenario))
    with planted_by(arguments.mutant)():
        write_exports(arguments, answers, Link(file.called, seed, None, (LinkedBranch(),), 0, ()))


def write_exports(arguments: argparse.Namespace, answers: "Answers", link: "Link") -> None:
    """Writes what a link shows to the files that the options name.

    Raises UsageError if a file cannot be written.
    """
    from ...lessons.exports.files import text_of

    for name in HELP:
        path: Path | None = getattr(arguments, name)
        if path is None:
            continue
        try:
            path.write_text(text_of(answers, link, name), "utf-8")
        except OSError as error:
            raise UsageError(f"--{name}: {path}: {error.strerror}") from None
        print(f"{path}: {HELP[name].removeprefix('write ')}", file=sys.stderr)


def expect_one_run(arguments: argparse.Namespace, runs: int) -> None:
    """Raises UsageError if a file for a viewer or a page is asked for, but not exactly one run.

    Runs the command again on the Python modules if these are compiled: they cannot be copied.
    """
    named = next((name for name in (*HELP, "open") if getattr(arguments, name)), None)
    if named is None:
        return
    if runs != 1:
        raise UsageError(f"--{named}: expected one scenario and one seed, got {runs} runs")
    machine_code.restart_without(f"--{named}")
