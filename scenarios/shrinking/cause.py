"""The cause of a violation, in a form that does not depend on ids and times of nodes and steps.

A smaller run that breaks the same claim for another reason is not the failure that was asked for.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from kraftsim.controller.core.node_id import NodeId
from kraftsim.simulation.event_row import EventRow

from ..explaining.breach import known_causes
from ..running.run import Run
from ..running.watch import Violation
from ..stage.stage import Fault
from ..verbs.verb import Verb, nothing

ROWS_MAX = 1_000  # of a chain of causes; a crash loop makes long ones


class Cause(NamedTuple):
    """The way to a violation, and what was out of order when it came.

    `chain` is the chain of known causes that `explain` prints, without repetitions: the kinds of
    its rows, with verbs and states. `lasting` counts the faults that nobody had ended or repaired
    by then, by their verbs.
    """

    chain: tuple[str, ...]
    lasting: Counter[str]

    def is_kept_by(self, smaller: "Cause") -> bool:
        """Returns True if a smaller run fails for this cause.

        A fault that was ended or repaired before the violation must be so in the smaller run, or
        be left out: without its repair it breaks the claim in another way.
        """
        return smaller.chain == self.chain and smaller.lasting <= self.lasting


def cause_of(run: Run, violation: Violation) -> Cause:
    """Returns the cause of a violation of the run."""
    rows = known_causes(run, violation, ROWS_MAX)
    return Cause(tuple(dict.fromkeys(map(_words, rows))), _lasting(run, violation.t_us))


def _words(row: EventRow) -> str:
    detail = row.detail.get("verb", row.detail.get("state", ""))
    return f"{row.kind} {detail}".rstrip()


def _lasting(run: Run, t_us: int) -> Counter[str]:
    """Counts by verb the faults that are open at `t_us`, and that no start has repaired."""
    rows = [row for row in run.world.journal.since(0) if row.t_us <= t_us]
    begun = {row.seq for row in rows if row.kind == "fault_begins"}
    ended = {row.fault_id for row in rows if row.kind == "fault_ends"}
    faults = [fault for fault in run.stage.faults if fault.seq in begun]
    return Counter(
        fault.kind
        for place, fault in enumerate(faults)
        if fault.lift is not nothing
        and fault.fault_id not in ended
        and not _is_repaired(fault, faults[place + 1 :])
    )


def _is_repaired(fault: Fault, later: Sequence[Fault]) -> bool:
    """Returns True if every node whose process the fault ended was to be started later."""
    started: set[NodeId] = set()
    for other in later:
        if isinstance(other.verb, Verb) and other.verb.starts_process:
            started |= other.nodes
    ends_process = isinstance(fault.verb, Verb) and fault.verb.ends_process
    return ends_process and fault.nodes <= started
