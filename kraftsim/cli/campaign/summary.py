"""Prints the summary of a campaign, from its commits."""

import argparse
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, UNFINISHED, VACUOUS
from ..output import is_data, print_data
from .allowed_code import resume_command

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.campaign import State
    from kraftsim.pipeline.campaign.commit_log import Folder
    from kraftsim.pipeline.campaign.plan import Plan


def print_summary(arguments: argparse.Namespace, folder: "Folder", state: "State") -> int:
    """Prints the verdicts, failures and deaf canaries of a campaign; returns the exit code."""
    deaf = _deaf_canaries(folder.plan(), state)
    if is_data(arguments):
        print_data(arguments, _document(state) | {"deafCanaries": deaf})
    else:
        print(*_lines(folder, state, deaf), sep="\n")
    if deaf or state.failures:
        return FAILED
    if not state.is_finished:
        return UNFINISHED
    return VACUOUS if state.verdicts["vacuous"] else GOOD


def _deaf_canaries(plan: "Plan", state: "State") -> list[str]:
    """Returns a line for each canary whose verdict is not the expected verdict."""
    from kraftsim.pipeline.campaign.campaign import canaries_of

    return [
        f"{canary.name}: expected {canary.expected}, got {canary.got}"
        for canary in canaries_of(plan, state)
        if canary.is_deaf
    ]


def _document(state: "State") -> dict[str, object]:
    return {
        "shards": state.shards,
        "shardsDone": state.done_shards,
        "runs": state.runs,
        "runsDone": state.done_runs,
        "verdicts": dict(state.verdicts),
        "planted": dict(state.planted),
        "canaries": state.canaries,
    }


def _lines(folder: "Folder", state: "State", deaf: list[str]) -> list[str]:
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(state.verdicts.items()))
    lines = [
        f"{state.done_runs:,} of {state.runs:,} runs, {state.done_shards:,} of {state.shards:,} "
        f"shards; verdicts: {counts or 'none yet'}"
    ]
    if state.canaries and not deaf:
        lines.append("canaries: each had its expected verdict")
    if state.planted:
        killed = state.planted["fail"]
        lines.append(f"planted bugs: detected in {killed:,} of {state.planted.total():,} runs")
    lines += [
        f"a canary had an unexpected verdict, so no verdict can be trusted: {name}" for name in deaf
    ]
    if not state.is_finished:
        lines.append(f"unfinished; continue with: {resume_command(folder)}")
    else:
        lines.append(
            f"finished; see the results with: kraftsim campaign report {folder.path} --html "
            "report.html"
        )
    return lines
