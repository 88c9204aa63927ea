"""One row of the journal: an event, its time, its node and its cause."""

from collections.abc import Mapping
from dataclasses import field

from kraftsim.controller.core.value import value

Detail = Mapping[str, object]


@value
class EventRow:
    """One event of a run.

    `t_us` is the world's time in microseconds. `seq` numbers the rows of a journal from 0.
    `cause_seq` is the `seq` of the row that caused this one, or None if it is unknown.
    """

    run_id: str
    seed: int | None
    scenario: str
    seq: int
    t_us: int
    node: str
    kind: str
    broker_id: int | None = None
    broker_epoch: int | None = None
    leader_epoch: int | None = None
    offset: int | None = None
    cause_seq: int | None = None
    fault_id: str | None = None
    detail: Detail = field(default_factory=dict)
