"""`kraftsim campaign report`: the results of a campaign as an HTML page, or as JSON or YAML.

Exit codes: 0 passed, 1 failed or a canary is deaf, 2 not a campaign folder or a damaged one, 3
vacuous or unfinished.
"""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, UNFINISHED, VACUOUS, Unfinished, UsageError
from .. import help_texts
from ..output import add_output, is_data, print_data
from ..spark_options import add_spark, spark_target_of
from .allowed_code import resume_command
from .folder_argument import campaign_folder

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.commit_log import Folder
    from kraftsim.pipeline.report.findings import Findings

EXIT_CODES = {"pass": GOOD, "fail": FAILED, "vacuous": VACUOUS, "unfinished": UNFINISHED}


def add_report(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the verb `report` to the parser."""
    parser = verbs.add_parser(
        "report", help="write the results of a campaign as an HTML page, or print them as JSON"
    )
    parser.add_argument("folder", type=campaign_folder, metavar="DIR", help=help_texts.CAMPAIGN)
    parser.add_argument(
        "--html",
        type=Path,
        metavar="F",
        help="HTML file to write (default: report.html; with --output json or yaml: none)",
    )
    add_output(parser)
    add_spark(parser)
    parser.set_defaults(run=_report)


def whole_folder(path: Path) -> "Folder":
    """Returns the campaign's folder.

    Raises UsageError if it is not a campaign or if a file differs from its commit, Unfinished if it
    has no runs.
    """
    from kraftsim.pipeline.analysis.views import expect_whole
    from kraftsim.pipeline.campaign.commit_log import Folder
    from kraftsim.pipeline.campaign.plan import PlanError

    folder = Folder(path)
    try:
        expect_whole(folder)
        has_runs = bool(folder.commits())
    except PlanError as error:
        raise UsageError(str(error)) from None
    if not has_runs:
        raise Unfinished(
            f"{path}: expected a campaign with runs, got none: run it with "
            f"`{resume_command(folder)}`"
        )
    return folder


def _report(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.engines.on_spark import reported
    from kraftsim.pipeline.report.page import page

    html = arguments.html or (None if is_data(arguments) else Path("report.html"))
    _expect_writable(html)
    findings = reported(whole_folder(arguments.folder), spark_target_of(arguments))
    if html is not None:
        html.write_text(page(findings), "utf-8")
    if is_data(arguments):
        print_data(arguments, findings.to_document())
    else:
        print(f"{_sentence(findings)}; written: {html}")
    return EXIT_CODES[findings.verdict]


def _expect_writable(file: Path | None) -> None:
    """Raises UsageError, before any work, if the file cannot be written."""
    if file is not None and (file.is_dir() or not os.access(file.resolve().parent, os.W_OK)):
        raise UsageError(
            f"{file}: cannot be written: expected a file in an existing folder that you may write "
            "to"
        )


def _sentence(findings: "Findings") -> str:
    if findings.deaf:
        names = ", ".join(canary.name for canary in findings.deaf)
        return f"failed: a canary had an unexpected verdict, so no verdict can be trusted ({names})"
    runs = sum(cell.runs for cell in findings.cells)
    scenarios = len({cell.scenario for cell in findings.cells})
    noun = "scenario" if scenarios == 1 else "scenarios"
    return f"{findings.verdict}: {runs:,} runs of {scenarios:,} {noun}"
