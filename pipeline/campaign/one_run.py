"""Runs one seed of one item and returns its rows for every table."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter

from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.properties.leases import BeliefOverlap
from kraftsim.scenarios.running.run import Result, Run
from kraftsim.scenarios.running.watch import watch

from ..tables import HEARTBEATS, KEY, RUNS
from .items import Item
from .recorder import Recorder

Rows = list[tuple[object, ...]]
BROKER = itemgetter(HEARTBEATS.names.index("broker_id") - len(KEY))  # in rows of a Recorder


@dataclass(slots=True)
class Ran:
    """The verdict, the digest and the rows of a run.

    `wall_us` is the real time of the run in microseconds. `exercised` counts what each property
    had to check. `rows` has the rows by table; their
    values are in the order of the table's columns.
    """

    run_id: str
    verdict: str
    digest: str
    wall_us: int
    rows: dict[str, Rows] = field(default_factory=dict)
    exercised: Mapping[str, int] = field(default_factory=dict)


def run_seed(item: Item, scenario: Scenario, seed: int, *, events: str) -> Ran:
    """Runs one seed. `scenario` is the item's scenario, parsed once for many seeds.

    `events` is "all", "failures" or "none": which runs keep event-level tables. If the run raises
    an exception, its verdict is "error".
    """
    began_s = time.perf_counter()
    run = None
    try:
        run = Run(scenario, seed)
        recorder = Recorder(run.world)
        recorder.listen()
        beliefs = watch(run.world, [BeliefOverlap])
        result = run.finish()
    except Exception as error:  # an exception becomes a row with the verdict "error"
        return not_ended(item, seed, "error", f"{type(error).__name__}: {error}", began_s)
    zombies = beliefs.properties[BeliefOverlap.number]
    assert isinstance(zombies, BeliefOverlap)
    about = (item.run_id(seed), item.name, seed)
    keeps_events = events == "all" or (events == "failures" and result.verdict != item.expected)
    rows = {
        "runs": [_run_row(item, run, result, recorder, zombies.zombie_us)],
        "intervals": [(*about, *interval) for interval in _intervals(recorder, run)],
        "violations": [(*about, *violation) for violation in _violations(item, result)],
    }
    if keeps_events:
        rows["transitions"] = [(*about, *transition) for transition in _transitions(recorder)]
        heartbeats = sorted(recorder.heartbeats, key=BROKER)  # makes the files 20 % smaller
        rows["heartbeats"] = [(*about, seq, *heartbeat) for seq, heartbeat in enumerate(heartbeats)]
        rows["records"] = [
            (*about, seq, *record.values()) for seq, record in enumerate(recorder.records)
        ]
    wall_us = _since_us(began_s)
    return Ran(item.run_id(seed), result.verdict, result.digest, wall_us, rows, result.exercised)


def not_ended(item: Item, seed: int, verdict: str, error: str, began_s: float) -> Ran:
    """Returns a run without a result: its verdict is "error" (an exception) or "crash"."""
    row = _row_of(item, seed, verdict=verdict, digest="", error=error)
    return Ran(item.run_id(seed), verdict, "", _since_us(began_s), {"runs": [row]})


def _row_of(item: Item, seed: int, **values: object) -> tuple[object, ...]:
    row: dict[str, object] = {
        "run_id": item.run_id(seed),
        "scenario": item.name,
        "seed": seed,
        "cell": ", ".join(item.cell),
        "mutant": item.mutant,
        "repro": item.repro(seed),
        **values,
    }
    return tuple(row.get(name) for name in RUNS.names)


def _run_row(
    item: Item, run: Run, result: Result, recorder: Recorder, zombie_us: int
) -> tuple[object, ...]:
    counts = recorder.counts
    first = min(result.violations, key=lambda violation: violation.t_us, default=None)
    return _row_of(
        item,
        result.seed,
        verdict=result.verdict,
        digest=result.digest,
        signature=None if first is None else first.name,
        vacuous=list(result.vacuous),
        violations=len(result.violations),
        knobs=sorted(_knobs(item, run.plan)),
        coverage=sorted(recorder.states.coverage),
        events=result.events,
        virtual_us=result.virtual_us,
        log_end_offset=run.world.committed_log.end_offset,
        brokers=run.plan.cluster.brokers,
        registrations=counts.get("broker_registered", 0),
        fencings=counts.get("broker_fenced", 0),
        unfencings=counts.get("broker_unfenced", 0),
        elections=counts.get("controller_elected", 0),
        lease_expiries=counts.get("lease_expired", 0),
        zombie_us=zombie_us,
    )


def _since_us(began_s: float) -> int:
    return int((time.perf_counter() - began_s) * 1e6)


def _knobs(item: Item, plan: Scenario) -> set[str]:
    """Returns the knobs of a run: the words of the planned steps, and the values of the cell."""
    return {f"{step.word}" for step in plan.do} | set(item.cell)


def _transitions(recorder: Recorder) -> Iterator[tuple[object, ...]]:
    for row in recorder.rows:
        yield (
            row.seq,
            row.t_us,
            row.node,
            row.kind,
            row.broker_id,
            row.broker_epoch,
            row.leader_epoch,
            row.offset,
            row.cause_seq,
            row.fault_id,
            json.dumps(row.detail, sort_keys=True) if row.detail else None,
        )


def _intervals(recorder: Recorder, run: Run) -> Iterator[tuple[object, ...]]:
    racks = _racks(run)
    for seq, interval in enumerate(recorder.intervals()):
        yield (
            seq,
            interval.view,
            interval.subject,
            racks.get(interval.subject),
            interval.state,
            interval.begin_us,
            interval.end_us,
            interval.cause,
            interval.ended_by,
            interval.contact_us,
        )


def _racks(run: Run) -> Mapping[str, str | None]:
    return {f"broker-{broker.broker_id}": broker.rack for broker in run.world.topology.brokers}


def _violations(item: Item, result: Result) -> Iterator[tuple[object, ...]]:
    for seq, violation in enumerate(
        sorted(result.violations, key=lambda violation: violation.t_us)
    ):
        repro = item.repro(result.seed)
        yield (
            seq,
            violation.t_us,
            violation.number,
            violation.name,
            violation.what,
            violation.seq,
            repro,
        )
