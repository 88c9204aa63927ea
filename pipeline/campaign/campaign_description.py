"""Describes a campaign from its plan and its commits: what it runs, and how far it is."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from kraftsim.controller.wire.json.document import Document

from .campaign import State, state_of
from .commit_log import PLAN, Commit, Folder
from .plan import Plan, Slice


def summary_of(folder: Folder) -> Document:
    """Returns name, folder, state, runs, verdicts, engines, scenarios and times of a campaign.

    `state` is "finished", "unfinished" or, if a committed file is missing or has another size,
    "damaged"; `damage` then has a sentence for each such file. `engines` are those that ran its
    committed shards. `startTimeMs` and `lastCommitTimeMs` are the times of the files of the plan
    and of the newest commit, in milliseconds since the epoch.
    Raises PlanError if the plan or a commit cannot be read.
    """
    plan, commits = folder.plan(), folder.commits()
    return _summary(folder, plan, commits, state_of(plan, commits))


def _summary(folder: Folder, plan: Plan, commits: Mapping[int, Commit], state: State) -> Document:
    subjects = [item for item in plan.items if not item.is_canary]
    damage = list(folder.damage(commits))
    return {
        "name": folder.path.resolve().name,
        "folder": str(folder.path),
        "state": "damaged" if damage else "finished" if state.is_finished else "unfinished",
        "runsDone": state.done_runs,
        "runs": state.runs,
        "verdicts": _in_order(state.verdicts),
        "engines": sorted({commit.engine or "unknown" for commit in commits.values()}),
        "startTimeMs": _time_ms(folder.path / PLAN),
        "lastCommitTimeMs": max(map(_time_ms, folder.commit_files()), default=None),
        "damage": damage,
        "scenarios": list(dict.fromkeys(item.name for item in subjects)),
    }


def description_of(folder: Folder) -> Document:
    """Returns the summary of a campaign, the rest of its plan, and how far each item is.

    Raises PlanError if the plan or a commit cannot be read.
    """
    plan, commits = folder.plan(), folder.commits()
    state = state_of(plan, commits)
    summary = _summary(folder, plan, commits, state)
    del summary["scenarios"]  # of the items
    return summary | {
        "shardsDone": state.done_shards,
        "shards": state.shards,
        "planted": _in_order(state.planted),
        "canaries": state.canaries,
        "workedS": round(state.worked_s, 1),
        "events": plan.events,
        "plan": plan.digest,
        "code": plan.code,
        "items": _items(plan, commits),
    }


def _items(plan: Plan, commits: Mapping[int, Commit]) -> list[Document]:
    slices: dict[int, list[Slice]] = defaultdict(list)
    done: dict[int, list[Slice]] = defaultdict(list)
    for shard, shard_slices in enumerate(plan.shards):
        for slice_ in shard_slices:
            slices[slice_.item].append(slice_)
            if shard in commits:
                done[slice_.item].append(slice_)
    return [
        {
            "scenario": item.name,
            "cell": list(item.cell),
            "mutant": item.mutant,
            "seeds": _seeds(slices[number]),
            "runsDone": _runs(done[number]),
            "runs": _runs(slices[number]),
            "expected": item.expected,
        }
        for number, item in enumerate(plan.items)
    ]


def _seeds(slices: list[Slice]) -> str:
    """Returns the seeds of an item as --seeds has them; a plan cuts them at shards only."""
    return f"{min(slice_.first for slice_ in slices)}..{max(slice_.end for slice_ in slices)}"


def _runs(slices: list[Slice]) -> int:
    return sum(slice_.end - slice_.first for slice_ in slices)


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _time_ms(path: Path) -> int:
    return path.stat().st_mtime_ns // 1_000_000
