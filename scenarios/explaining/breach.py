"""Explains why a run failed: what was broken, the two facts that contradict, and how it came.

The chain of causes begins at the first fault that the journal knows of, and ends before the event
that broke the property or claim.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kraftsim.controller.core.node_id import NodeId, broker_node, controller_node
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.topology import FIRST_CONTROLLER_ID

from ..properties import ALL
from ..running.beside_rows import BesideRows
from ..running.explain import LINES_MAX, chain
from ..running.run import Run
from ..running.sentences import sentence
from ..running.watch import NODE_FAILED, Violation
from ..verbs.verb import nothing
from .event_words import event_words, nodes_of
from .judging import leader_words

FAULTS = ("fault_begins", "fault_ends")
GOT, WANTED = "got ", "expected "
# what a run got instead, by the first word of what a claim expects
GOT_OF = (
    ("never", "it came true"),
    ("within", "it did not come true in this time"),
    ("throughout", "it was false"),
    ("", "it was not so"),
)
NODES = re.compile(
    r"\b(?:broker|controller|leader|replica|voter|successor)s? (\d+(?:(?:, | and )\d+)*)"
)
Concern = Callable[[EventRow], bool]
PARTITION = re.compile(r"\b([\w.-]+-\d+)\b")
CLAIMS = {property_.name: f"{property_.claim} ({property_.number})" for property_ in ALL} | {
    NODE_FAILED: "The code of a node of your own raises no exception."
}


@dataclass(frozen=True, slots=True)
class Breach:
    """Why a run failed.

    `claim` is what the property or the scenario promises. `expected` and `got` contradict each
    other; without a narrower expectation `expected` is the claim. `leader` says which controller
    led then, and since when. `event` is the event at which the run broke the claim, at `t_us` of
    virtual time; it is empty for a state that lasted and for a time that ran out. `causes` are
    rows of the journal in the order of time, of which the first is a fault if one is known to have
    led to the event.
    """

    name: str
    claim: str
    expected: str
    got: str
    leader: str
    event: str
    t_us: int
    causes: tuple[EventRow, ...]


def breach(run: Run, violation: Violation, beside: BesideRows) -> Breach:
    """Returns the explanation of a violation of the run."""
    rows = _until(run, violation)
    seen = run.watch.events.get(violation.name)
    expected, got = facts_of(violation.what)
    claim = CLAIMS.get(violation.name, " ".join(run.plan.claim.split()))
    broke = next((row for row in rows if row.seq == violation.seq), None)
    causes, event = causes_of(run, violation), ""
    if seen is not None:
        event = event_words(seen, beside.topics)
    elif broke is not None and broke.t_us == violation.t_us:
        event = sentence([broke], beside)
        causes = [row for row in causes if row is not broke]
    nodes = () if seen is None else tuple(nodes_of(seen))
    return Breach(
        name=violation.name,
        claim=claim,
        expected=expected or claim,
        got=got,
        leader=leader_words(rows, nodes, run.stage.timetable_begins_us),
        event=event,
        t_us=violation.t_us,
        causes=tuple(causes),
    )


def causes_of(run: Run, violation: Violation) -> list[EventRow]:
    """Returns the rows that led to a violation, in the order of time: at most the last 20.

    They are those that are known to have led to it. Of a property without such rows they are those
    that led to the last row about what the violation names, or about the nodes of its event; if no
    fault is known to have led to it, the way from the last fault of these nodes, or of any, is
    added.
    """
    known = known_causes(run, violation, LINES_MAX)
    if known:
        return known
    rows, concerns = _until(run, violation), _concerns(run, violation)
    of_faults, last = _of_faults(rows), _last(rows, concerns)
    nearest = [] if last is None else chain(rows, last.seq)
    caused = _last([row for row in rows if row.seq in of_faults], concerns)
    if caused is None or any(row.seq in of_faults for row in nearest):
        return nearest
    begins_us = run.stage.timetable_begins_us or 0
    added = {row.seq: row for row in (*nearest, *chain(rows, caused.seq))}
    return sorted(
        (row for row in added.values() if row.t_us >= begins_us or row.seq in of_faults),
        key=lambda row: row.seq,
    )[-LINES_MAX:]


def known_causes(run: Run, violation: Violation, rows_max: int) -> list[EventRow]:
    """Returns the rows that are known to have led to a violation; empty if no row is.

    The last row is the one that broke a claim; for a property, the last row that a fault has
    caused about the partitions and nodes that the violation names. Returns at most `rows_max`.
    """
    rows = _until(run, violation)
    if violation.is_claim:
        is_of_row = violation.seq >= 0 and violation.name in run.plan.expect.names()
        return chain(rows, violation.seq, rows_max) if is_of_row else []
    watched = run.watch.properties.get(violation.number)
    if watched is not None and watched.asks:
        return []
    of_faults, names_it = _of_faults(rows), _concerns(run, violation)[0]
    last = next(
        (
            row
            for row in reversed(rows)
            if row.seq in of_faults and row.kind not in FAULTS and names_it(row)
        ),
        None,
    )
    return [] if last is None else chain(rows, last.seq, rows_max)


def facts_of(what: str) -> tuple[str, str]:
    """Splits the text of a violation into what was expected and what was got instead.

    The first is empty if the text only says what was got.
    """
    before, _, wanted = what.partition(WANTED)
    if not wanted:
        return "", what
    expected, _, got = wanted.partition(f", {GOT}")
    if before:
        subject = before.rstrip(" ,:;")
        return expected, f"{subject}: {got}" if got else subject
    return expected, got or next(text for word, text in GOT_OF if expected.startswith(word))


def _until(run: Run, violation: Violation) -> list[EventRow]:
    return [row for row in run.world.journal.since(0) if row.t_us <= violation.t_us]


def _named(what: str) -> Iterator[NodeId]:
    """Yields the nodes that a text names."""
    for numbers in NODES.findall(what):
        for number in map(int, re.findall(r"\d+", numbers)):
            yield controller_node(number) if number >= FIRST_CONTROLLER_ID else broker_node(number)


def _concerns(run: Run, violation: Violation) -> Sequence[Concern]:
    """Returns which rows concern the violation, the nearest first.

    These are rows about the partitions and nodes that its text names, then those about the nodes of
    its event, then all. A fault that can be undone is about the nodes that it hits.
    """
    seen = run.watch.events.get(violation.name)
    partitions = set(PARTITION.findall(violation.what))
    named = {node.number for node in _named(violation.what)}
    others = set() if seen is None else {node.number for node in nodes_of(seen)}
    faults = [fault for fault in run.stage.faults if fault.lift is not nothing]
    hit = {fault.seq: {node.number for node in fault.nodes} for fault in faults}

    def numbers(row: EventRow) -> set[int]:
        return hit.get(row.seq, set()) | _numbers(row)

    return (
        lambda row: _partition(row) in partitions or bool(named & numbers(row)),
        lambda row: bool(others & numbers(row)),
        lambda row: True,
    )


def _last(rows: Sequence[EventRow], concerns: Sequence[Concern]) -> EventRow | None:
    """Returns the last row of the first concern that any row has."""
    latest = ((row for row in reversed(rows) if concern(row)) for concern in concerns)
    return next(filter(None, (next(found, None) for found in latest)), None)


def _partition(row: EventRow) -> str:
    """Returns the name of the partition of a row, an empty text if it has none."""
    topic, partition = row.detail.get("topic"), row.detail.get("partition")
    return f"{topic}-{partition}" if topic is not None else str(partition or "")


def _numbers(row: EventRow) -> set[int]:
    """Returns the ids of the nodes of a row."""
    ids = (row.broker_id, row.detail.get("controller_id"), row.detail.get("leader_id"))
    return {number for number in ids if isinstance(number, int)}


def _of_faults(rows: Sequence[EventRow]) -> set[int]:
    """Returns the numbers of the rows whose first cause is a fault."""
    numbers: set[int] = set()
    for row in rows:
        if row.kind == "fault_begins" or row.cause_seq in numbers:
            numbers.add(row.seq)
    return numbers
