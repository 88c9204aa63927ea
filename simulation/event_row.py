"""One row of the journal: an event, its time, its node and its cause."""

from collections.abc import Mapping
from dataclasses import field

from kraftsim.controller.core.value import value

Detail = Mapping[str, object]

EVENTS = (
    "broker_registered",
    "broker_unregistered",
    "broker_fenced",
    "broker_unfenced",
    "broker_in_controlled_shutdown",
    "topic_created",
    "topic_deleted",
    "partition_changed",
    "controller_elected",
    "controller_stands",
    "controller_resigns",
    "lease_expired",
    "agent_state",
    "controller_state",
    "clone_state",
    "node_reported",
    "node_state",
    "fault_begins",
    "fault_ends",
    "calm_begins",
    "admin_refused",
    "replicas_deleted",
    "replicas_stray",
    "records_truncated",
)
"""The kinds of rows to which the captions of a lesson can be attached."""


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
