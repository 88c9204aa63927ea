"""Explains why a run failed: what was broken, the two facts that contradict, and how it came.

The chain of causes begins at the first fault that the journal knows of, and ends before the event
that broke the property or claim.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kraftsim.controller.core.node_id import NodeId, broker_node, controller_node
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.topology import FIRST_CONTROLLER_ID

from ..properties import ALL
from ..running.beside_rows import BesideRows
from ..running.explain import chain
from ..running.run import Run
from ..running.sentences import sentence
from ..running.watch import Violation
from .event_words import event_words, nodes_of

GOT, WANTED = "got ", "expected "
# what a run got instead, by the first word of what a claim expects
GOT_OF = (
    ("never", "it came true"),
    ("within", "it did not come true in this time"),
    ("throughout", "it was false"),
    ("", "it was not so"),
)
NUMBER = re.compile(r"\b(?:broker |controller )?(\d{1,5})\b(?! ms| us)")
CLAIMS = {property_.name: f"{property_.claim} ({property_.number})" for property_ in ALL}


@dataclass(frozen=True, slots=True)
class Breach:
    """Why a run failed.

    `claim` is what the property or the scenario promises. `expected` and `got` contradict each
    other; without a narrower expectation `expected` is the claim. `event` is the event at which
    the run broke the claim, at `t_us` of virtual time; it is empty for a state that lasted.
    `causes` are rows of the journal in the order of time, of which the first is a fault if one is
    known to have led to the event.
    """

    name: str
    claim: str
    expected: str
    got: str
    event: str
    t_us: int
    causes: tuple[EventRow, ...]


def breach(run: Run, violation: Violation, beside: BesideRows) -> Breach:
    """Returns the explanation of a violation of the run."""
    rows = [row for row in run.world.journal.since(0) if row.t_us <= violation.t_us]
    seen = run.watch.events.get(violation.name)
    expected, got = facts_of(_with_topics(violation.what, beside))
    claim = CLAIMS.get(violation.name, " ".join(run.plan.claim.split()))
    by_seq = {row.seq: row for row in rows}
    if seen is not None:
        event, nodes = event_words(seen), [*nodes_of(seen)]
    elif violation.seq in by_seq:
        event, nodes = sentence([by_seq[violation.seq]], beside), []
    else:
        event, nodes = "", []
    last = _cause(rows, violation, [*_named(violation.what), *nodes])
    causes = () if last is None else tuple(chain(rows, last.seq))
    return Breach(violation.name, claim, expected or claim, got, event, violation.t_us, causes)


def facts_of(what: str) -> tuple[str, str]:
    """Splits the text of a violation into what was expected and what was got instead.

    The first is empty if the text only says what was got.
    """
    if what.startswith(WANTED):
        expected, _, got = what.removeprefix(WANTED).partition(f", {GOT}")
        return expected, got or next(text for word, text in GOT_OF if expected.startswith(word))
    got, _, expected = what.partition(WANTED)
    return expected, got.rstrip(" ,:;") if expected else what


def _with_topics(what: str, beside: BesideRows) -> str:
    """Returns the text with the names of topics in place of their ids."""
    for topic_id, name in beside.topics.items():
        what = what.replace(repr(bytes.fromhex(topic_id)), name)
    return what


def _named(what: str) -> Iterator[NodeId]:
    """Yields the nodes that a text may name."""
    for number in map(int, NUMBER.findall(what)):
        yield controller_node(number) if number >= FIRST_CONTROLLER_ID else broker_node(number)


def _cause(
    rows: Sequence[EventRow], violation: Violation, nodes: Sequence[NodeId]
) -> EventRow | None:
    """Returns the last row that led to the violation: if possible, one that a fault has caused.

    Rows of the nodes of the violation come first. The row that broke a claim is known.
    """
    if violation.is_claim and violation.seq >= 0:
        return next((row for row in rows if row.seq == violation.seq), None)
    numbers, of_faults = {node.number for node in nodes}, _of_faults(rows)
    latest = rows[::-1]
    of_nodes = [row for row in latest if numbers & _numbers(row)]
    with_fault = (row for row in (*of_nodes, *latest) if row.seq in of_faults)
    return next(with_fault, next(iter(of_nodes), latest[0] if latest else None))


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
