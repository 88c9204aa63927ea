"""One row of the journal: what happened, when, to whom, and what caused it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Detail = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """`t_us` is the world's time; `cause_seq` the row that caused this one, where one is known."""

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
