"""Prints the summary of a campaign, from its commits."""

import argparse
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD, UNFINISHED, USAGE, VACUOUS
from ..output import is_data, print_data
from .allowed_code import resume_command

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kraftsim.pipeline.campaign.campaign import State
    from kraftsim.pipeline.campaign.commit_log import Commit, Folder
    from kraftsim.pipeline.campaign.plan import Plan


def print_summary(
    arguments: argparse.Namespace,
    folder: "Folder",
    plan: "Plan",
    commits: "Mapping[int, Commit]",
    state: "State",
) -> int:
    """Prints verdicts, failures, deaf canaries and damage of a campaign; returns the exit code."""
    deaf = _deaf_canaries(plan, state)
    damage = list(folder.damage(commits))
    if is_data(arguments):
        print_data(arguments, _document(state) | {"deafCanaries": deaf, "damage": damage})
    else:
        last = damage_line(folder.path, damage) if damage else _next_step(folder, state)
        print(*_lines(state, deaf), last, sep="\n")
    if damage:
        return USAGE
    if deaf or state.failures or (state.is_finished and state.exercise.missed):
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
        "idle": list(state.exercise.idle),
        "missed": list(state.exercise.missed),
    }


def _lines(state: "State", deaf: list[str]) -> list[str]:
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
    idle, missed = state.exercise.idle, state.exercise.missed
    if idle:
        lines.append(f"properties that no run has tested: {', '.join(idle)}")
    if missed:
        lines.append(f"failed, because swarms should have tested: {', '.join(missed)}")
    lines += [
        f"a canary had an unexpected verdict, so no verdict can be trusted: {name}" for name in deaf
    ]
    return lines


def _next_step(folder: "Folder", state: "State") -> str:
    """Returns a line with the command that continues or reports the campaign."""
    if not state.is_finished:
        return f"unfinished; continue with: {resume_command(folder)}"
    report = f"kraftsim campaign report {folder.path} --html report.html"
    return f"finished; see the results with: {report}"


def damage_line(folder: "Path", damage: "Sequence[str]") -> str:
    """Returns a sentence about the damaged files of a campaign; `damage` has one for each."""
    more = f" (and {len(damage) - 1:,} more damaged files)" if len(damage) > 1 else ""
    return (
        f"{damage[0]}{more}; move the shards aside with `kraftsim campaign sweep {folder}`, then "
        "`resume` runs them again"
    )
