"""Queries a campaign's tables for the findings of a report.

Only the tables `runs`, `intervals` and `violations` are read; events are counted from the commits.
Spark, and DuckDB in the tests, run the same queries.
"""

import re
from collections.abc import Mapping
from heapq import nlargest
from operator import itemgetter
from typing import Any

from ..analysis.statistics import difference, share_of
from ..analysis.views import Query, sql
from ..campaign.campaign import State, canaries_of, state_of
from ..campaign.commit_log import SLOWEST, Commit, Folder
from ..campaign.plan import Plan
from ..tables import TABLES
from . import findings
from .coverage import coverage_of
from .sweeps import sweeps_of

READS = ("runs", "intervals", "violations")
RUN_ID = re.compile(r"[0-9a-f]{16}-\d+")  # no quote, which SQL would read
ROWS_MAX = 10_000  # rows per kind of finding


def gather(folder: Folder, query: Query) -> findings.Findings:
    """Returns the findings of a campaign; `query` runs SQL on its tables."""
    plan, commits = folder.plan(), folder.commits()
    cells = [findings.Cell(**row) for row in query(sql("cells"))]
    cells.sort(key=lambda cell: (cell.scenario, cell.cell))
    state = state_of(plan, commits)
    return findings.Findings(
        campaign=_campaign(folder, plan, commits, state),
        canaries=canaries_of(plan, state),
        cells=tuple(cells),
        failures=tuple(findings.Failure(**row) for row in query(sql("failures"))),
        lifts=_lifts(query),
        delays=tuple(findings.Delay(**row) for row in query(sql("delays"))),
        availability=tuple(findings.Availability(**row) for row in query(sql("availability"))),
        coverage=coverage_of(_seeds(plan), query),
        slowest=_slowest(commits, query),
        sweeps=sweeps_of(plan, cells),
        kills=_kills(query),
        exports=_exports(plan),
        idle=state.exercise.idle,
        missed=state.exercise.missed,
    )


def _campaign(
    folder: Folder, plan: Plan, commits: Mapping[int, Commit], state: State
) -> findings.Campaign:
    return findings.Campaign(
        name=folder.path.resolve().name,
        plan=plan.digest,
        code=plan.code,
        seeds=_seeds(plan),
        shards=state.shards,
        shards_done=state.done_shards,
        runs=state.runs,
        runs_done=state.done_runs,
        rows={
            name: sum(commit.pieces[name].rows for commit in commits.values()) for name in TABLES
        },
        worked_s=round(state.worked_s, 1),
    )


def _seeds(plan: Plan) -> tuple[int, int]:
    slices = [
        slice_ for shard in plan.shards for slice_ in shard if not plan.items[slice_.item].is_canary
    ]
    return min(slice_.first for slice_ in slices), max(slice_.end for slice_ in slices)


def _exports(plan: Plan) -> tuple[findings.Export, ...]:
    """Returns the command of each cell, without planted bugs, in order of scenario and cell."""
    slices = [slice_ for shard in plan.shards for slice_ in shard]
    seeds = {
        number: [slice_ for slice_ in slices if slice_.item == number]
        for number, item in enumerate(plan.items)
        if item.mutant is None
    }
    exports = [
        findings.Export(
            scenario=plan.items[number].name,
            cell=", ".join(plan.items[number].cell),
            first_seed=min(slice_.first for slice_ in own),
            end_seed=max(slice_.end for slice_ in own),
            command=plan.items[number].export(),
        )
        for number, own in seeds.items()
        if own
    ]
    return tuple(sorted(exports, key=lambda export: (export.scenario, export.cell)))


def _slowest(commits: Mapping[int, Commit], query: Query) -> tuple[findings.Slow, ...]:
    """Returns the runs that took longest, the longest first."""
    times = [
        (run_id, wall_us)
        for commit in commits.values()
        for run_id, wall_us in commit.slowest.items()
        if RUN_ID.fullmatch(run_id)
    ]
    wall_us = dict(nlargest(SLOWEST, times, key=itemgetter(1)))
    if not wall_us:
        return ()
    rows = query(sql("slowest", run_ids=", ".join(f"'{run_id}'" for run_id in wall_us)))
    rows.sort(key=lambda row: (-wall_us[row["run_id"]], row["run_id"]))
    return tuple(findings.Slow(wall_us=wall_us[row.pop("run_id")], **row) for row in rows)


def _lifts(query: Query) -> tuple[findings.Lift, ...]:
    """Returns the effects of knobs on verdicts, those with the largest certain difference first."""
    rows = query(sql("knobs"))
    lifts = [_lift(row, verdict) for row in rows for verdict in ("failed", "vacuous")]
    effective = [lift for lift in lifts if lift.having.hits or lift.lacking.hits]
    effective.sort(
        key=lambda lift: (-lift.difference.least, lift.scenario, lift.knob, lift.verdict)
    )
    return tuple(effective[:ROWS_MAX])


def _lift(row: Mapping[str, Any], verdict: str) -> findings.Lift:
    having = share_of(row[f"with_{verdict}"], row["with_runs"])
    lacking = share_of(row[verdict] - row[f"with_{verdict}"], row["runs"] - row["with_runs"])
    return findings.Lift(
        scenario=row["scenario"],
        knob=row["knob"],
        verdict=verdict,
        having=having,
        lacking=lacking,
        difference=difference(having, lacking),
    )


def _kills(query: Query) -> tuple[findings.Kill, ...]:
    """Returns the kills of each planted bug: a total over all scenarios, then by scenario."""
    kills: list[findings.Kill] = []
    for row in query(sql("mutants")):
        killed = share_of(row.pop("killed"), row.pop("pairs"))
        kills.append(findings.Kill(killed=killed, **row))
    grouped: list[findings.Kill] = []
    for mutant in sorted({kill.mutant for kill in kills}):
        by_scenario = [kill for kill in kills if kill.mutant == mutant]
        total = share_of(
            sum(kill.killed.hits for kill in by_scenario),
            sum(kill.killed.of for kill in by_scenario),
        )
        best = max(by_scenario, key=lambda kill: kill.killed.share)
        grouped.append(
            findings.Kill(
                mutant=mutant,
                scenario=None,
                killed=total,
                first_seed=best.first_seed,
                repro=best.repro,
            )
        )
        grouped += by_scenario
    return tuple(grouped)
