"""`kraftsim scenario run --open`: the run as a lesson of a page, to rewind, branch and explain."""

import argparse
import json
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kraftsim.scenarios.running.run import Result

    from ...files.scenario_files import ScenarioFile


def add_open(parser: argparse.ArgumentParser) -> None:
    """Adds the option --open."""
    parser.add_argument(
        "--open",
        action="store_true",
        help="serve a page that shows the run as a lesson, and print its address (Ctrl-C ends it)",
    )


def open_page(arguments: argparse.Namespace, file: "ScenarioFile", result: "Result") -> None:
    """Serves the page of a run, at its first violation, until SIGTERM or Ctrl-C.

    Raises CommandError if the run is too large for the page.
    """
    from kraftsim.scenarios.language.reading import document_of

    from ...commands.open_run import open_run
    from ...files.own_files import sources
    from ...lessons.offer import Offer

    offer = Offer(
        document=json.loads(json.dumps(document_of(file.scenario))),
        seed=result.seed,
        called=quote(file.called),
        mutant=arguments.mutant or "",
        own=sources(file),
    )
    open_run(offer, min((broken.t_us for broken in result.violations), default=result.begin_us))
