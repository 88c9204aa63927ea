"""Builds a large campaign in seconds, from the runs of a small one under other seeds.

It allows timing of readers at sizes that would take hours to run. Each run is a copy of a real run,
so the rules hold, and files are written as shards write them.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kraftsim.pipeline.campaign.commit_log import Commit, Folder, part
from kraftsim.pipeline.campaign.parquet_files import write_piece
from kraftsim.pipeline.campaign.plan import Plan, Slice
from kraftsim.pipeline.tables import TABLES, Table

EVENTS = ("transitions", "heartbeats", "records")
EVENTS_OF_A_SHARD = 1_000_000
Tables = Mapping[str, pa.Table]


def grow(small: Folder, path: Path, events: int) -> Folder:
    """Writes a campaign with at least `events` rows of transitions, heartbeats and records."""
    tables = {name: _read(small, table) for name, table in TABLES.items()}
    canaries = {item.key for item in small.plan().items if item.is_canary}
    subjects = {name: _of(table, canaries, of_items=False) for name, table in tables.items()}
    seeds = pc.min_max(subjects["runs"]["seed"]).as_py()
    span = seeds["max"] - seeds["min"] + 1
    a_copy = sum(subjects[name].num_rows for name in EVENTS)
    copies = -(-events // a_copy)
    in_a_shard = max(1, EVENTS_OF_A_SHARD // a_copy)
    firsts = range(0, copies, in_a_shard)
    plan = _plan(small.plan(), seeds["min"], span, firsts, copies)
    folder = Folder(path)
    folder.begin(plan)
    for number, first in enumerate(firsts):
        copy_numbers = range(first, min(first + in_a_shard, copies))
        shard_tables = {
            name: pa.concat_tables(_again(table, run * span) for run in copy_numbers)
            for name, table in subjects.items()
        }
        _commit(folder, plan, number, shard_tables)
    _commit(
        folder,
        plan,
        len(firsts),
        {name: _of(value, canaries, of_items=True) for name, value in tables.items()},
    )
    return folder


def _plan(small: Plan, seed: int, span: int, firsts: range, copies: int) -> Plan:
    """Returns the plan; the last shard has the canaries."""
    subjects = [number for number, item in enumerate(small.items) if not item.is_canary]
    canaries = [
        slice_ for shard in small.shards for slice_ in shard if small.items[slice_.item].is_canary
    ]
    shards = [
        tuple(
            Slice(
                item,
                seed + first * span,
                seed + min(first + firsts.step, copies) * span,
            )
            for item in subjects
        )
        for first in firsts
    ]
    return replace(small, shards=(*shards, tuple(canaries)))


def _read(folder: Folder, table: Table) -> pa.Table:
    files = [folder.path / part(table.name, number) for number in sorted(folder.commits())]
    return pa.concat_tables(pq.read_table(file) for file in files).combine_chunks()


def _of(table: pa.Table, keys: set[str], *, of_items: bool) -> pa.Table:
    """Returns the rows of the runs of the items `keys`; without `of_items`, all other rows."""
    is_of_items = pc.is_in(_keys(table), pa.array(sorted(keys), pa.string()))
    return table.filter(is_of_items if of_items else pc.invert(is_of_items))


def _keys(table: pa.Table) -> Any:
    return pc.replace_substring_regex(table["run_id"], "-[0-9]+$", "")


def _again(table: pa.Table, later: int) -> pa.Table:
    seeds = pc.add(table["seed"], later)
    names = pc.binary_join_element_wise(_keys(table), pc.cast(seeds, pa.string()), "-")
    for name, column in (("run_id", names), ("seed", seeds)):
        index = table.schema.get_field_index(name)
        table = table.set_column(index, table.schema.field(name), column)
    return table


def _commit(folder: Folder, plan: Plan, number: int, tables: Tables) -> None:
    runs = tables["runs"].select(["scenario", "mutant", "verdict"]).to_pylist()
    canaries = {item.name for item in plan.items if item.is_canary}
    judged = [run for run in runs if run["scenario"] not in canaries]
    folder.commit(
        Commit(
            shard=number,
            plan=plan.digest,
            digest=hashlib.sha256(str(number).encode()).hexdigest()[:32],
            runs=len(runs),
            verdicts=dict(
                Counter(judgement["verdict"] for judgement in judged if judgement["mutant"] is None)
            ),
            planted=dict(
                Counter(
                    judgement["verdict"] for judgement in judged if judgement["mutant"] is not None
                )
            ),
            canaries={
                run["scenario"]: run["verdict"] for run in runs if run["scenario"] in canaries
            },
            wall_s=0.0,
            attempt=0,
            pieces={
                name: write_piece(folder, number, TABLES[name], value)
                for name, value in tables.items()
            },
        )
    )
