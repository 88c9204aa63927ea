"""Runs the seeds of one shard, writes its part of every table, and commits it.

The code is the same in a local process and in a Spark worker. If a seed crashes the process, the
first attempt at the shard fails. In later attempts every seed runs in its own process, so that the
crash affects that seed only, whose verdict is then "crash".
"""

import hashlib
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from heapq import nlargest
from multiprocessing.connection import Connection
from operator import itemgetter
from typing import TYPE_CHECKING

from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.mutants import MUTANTS, planted

from ..tables import TABLES, Table
from .campaign import Repetition
from .commit_log import SLOWEST, Commit, Folder
from .idle import Exercise
from .items import Item
from .one_run import Ran, Rows, not_ended, run_seed
from .parquet_files import write_piece
from .plan import Plan, seeds_of

if TYPE_CHECKING:
    import pyarrow as pa


def run_shard(
    plan: Plan, number: int, folder: Folder, attempt: int = 0, *, engine: str | None = None
) -> Commit:
    """Runs and commits a shard; if `attempt` is above 0, each seed runs in its own process.

    The commit names the engine that calls this function.
    Raises PlanError if this machine does not see the plan in the folder.
    """
    folder.expect_plan(plan)
    began_s = time.monotonic()
    rows: dict[str, Rows] = {name: [] for name in TABLES}
    digests, verdicts, planted_verdicts = hashlib.sha256(), Counter[str](), Counter[str]()
    canaries: dict[str, str] = {}
    wall_us: dict[str, int] = {}
    exercise = Exercise()
    for item, scenario, ran in _runs(plan, number, is_careful=attempt > 0):
        digests.update(f"{ran.verdict} {ran.digest}\n".encode())
        if item.is_canary:
            canaries[item.name] = ran.verdict
        else:
            (verdicts if item.mutant is None else planted_verdicts)[ran.verdict] += 1
            exercise.add(scenario, ran.exercised if item.mutant is None else {})
        wall_us[ran.run_id] = ran.wall_us
        for table, table_rows in ran.rows.items():
            rows[table] += table_rows
    commit = Commit(
        shard=number,
        plan=plan.digest,
        digest=digests.hexdigest()[:32],
        runs=verdicts.total() + planted_verdicts.total() + len(canaries),
        verdicts=dict(verdicts),
        planted=dict(planted_verdicts),
        canaries=canaries,
        wall_s=round(time.monotonic() - began_s, 3),
        attempt=attempt,
        pieces={
            name: write_piece(folder, number, TABLES[name], _table(TABLES[name], table_rows))
            for name, table_rows in rows.items()
        },
        slowest=dict(nlargest(SLOWEST, wall_us.items(), key=itemgetter(1))),
        engine=engine,
        **exercise.counts(),
    )
    folder.commit(commit)
    return commit


def repeat_shard(plan: Plan, number: int) -> Iterator[Repetition]:
    """Runs a shard, each seed in its own process, and stores nothing."""
    for _, _, ran in _runs(plan, number, is_careful=True):
        yield ran.run_id, ran.verdict, ran.digest


def _runs(plan: Plan, number: int, *, is_careful: bool) -> Iterator[tuple[Item, Scenario, Ran]]:
    for shard in plan.shards[number]:
        item = plan.items[shard.item]
        scenario = item.scenario()
        with nullcontext() if item.mutant is None else planted(MUTANTS[item.mutant]):
            for seed in seeds_of(shard):
                run = _in_own_process if is_careful else _in_this_process
                yield item, scenario, run(item, scenario, seed, plan.events)


def _in_this_process(item: Item, scenario: Scenario, seed: int, events: str) -> Ran:
    return run_seed(item, scenario, seed, events=events)


def _in_own_process(item: Item, scenario: Scenario, seed: int, events: str) -> Ran:
    """Runs one seed in its own process; if the process crashes, the verdict is "crash"."""
    began_s = time.perf_counter()
    context = multiprocessing.get_context("fork")
    parent_end, child_end = context.Pipe(duplex=False)
    process = context.Process(target=_send_result, args=(child_end, item, scenario, seed, events))
    process.start()
    child_end.close()
    try:
        ran: Ran = parent_end.recv()
    except EOFError:
        process.join()
        return not_ended(item, seed, "crash", _ending(process.exitcode), began_s)
    process.join()
    return ran


def _send_result(
    connection: Connection, item: Item, scenario: Scenario, seed: int, events: str
) -> None:
    connection.send(run_seed(item, scenario, seed, events=events))


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return f"its process was ended by signal {-code}"
    return f"its process ended with code {code}"


def _table(table: Table, rows: Rows) -> "pa.Table":
    import pyarrow as pa

    schema = table.schema()
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(table.columns)
    arrays = [pa.array(entry, kind) for entry, kind in zip(columns, schema.types, strict=True)]
    return pa.table(arrays, schema=schema)
