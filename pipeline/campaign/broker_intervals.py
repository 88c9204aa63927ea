"""Computes from the events of a run how long each subject was in each state, and the coverage.

There are three views. `log` has the brokers' states according to the committed records, `process`
the states of brokers' and controllers' processes, `quorum` the leadership.

Coverage is the set of kinds of changes in a run. A kind is a text of subject, state, event and
outcome without ids, so that runs can be compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.brokers.registration_state import RegistrationState
from kraftsim.controller.core.log import records as r
from kraftsim.simulation.event_row import EventRow

ABSENT = "ABSENT"
LEADERLESS = "LEADERLESS"
RUNNING = ProcessState.RUNNING.value
FENCED, UNFENCED = RegistrationState.FENCED.value, RegistrationState.UNFENCED.value
LEAVING = RegistrationState.IN_CONTROLLED_SHUTDOWN.value
UNREGISTERED = RegistrationState.UNREGISTERED.value
PROCESS = ("agent_state", "controller_state")


@dataclass(slots=True)
class Interval:
    """A period in which a subject is in one state of a view, in microseconds of virtual time.

    `cause` is the event that began the period. `ended_by` is the event that ended it, None if it
    lasted until the end of the run. `contact_us` is the controller's last contact with the broker
    before a fence.
    """

    view: str
    subject: str
    state: str
    begin_us: int
    cause: str
    end_us: int | None = None
    ended_by: str | None = None
    contact_us: int | None = None


class StateIntervals:
    """Collects the intervals of a run, in order of their begin, and the coverage of the run."""

    def __init__(self) -> None:
        self.intervals: list[Interval] = []
        self.coverage: set[str] = set()
        self._open: dict[tuple[str, str], Interval] = {}
        self._contact_us: dict[int, int] = {}  # set when a lease runs out, removed by the fence

    def finish(self, now_us: int) -> None:
        """Ends the open intervals at the end of the run."""
        for interval in self._open.values():
            interval.end_us = now_us

    # View: log

    def record(self, record: object, now_us: int) -> None:
        """Processes a committed record."""
        match record:
            case r.RegisterBrokerRecord():
                state = FENCED if record.fenced else UNFENCED
                state = LEAVING if record.in_controlled_shutdown else state
                self._broker(record.broker_id, "registered", state, now_us)
            case r.UnregisterBrokerRecord():
                self._broker(record.broker_id, "unregistered", UNREGISTERED, now_us)
            case r.BrokerRegistrationChangeRecord():
                for cause, state in _changes(record):
                    self._broker(record.broker_id, cause, state, now_us)
            case r.FenceBrokerRecord():
                self._broker(record.id, "fenced", FENCED, now_us)
            case r.UnfenceBrokerRecord():
                self._broker(record.id, "unfenced", UNFENCED, now_us)

    def _broker(self, broker_id: int, cause: str, state: str, now_us: int) -> None:
        interval = self._change("log", f"broker-{broker_id}", cause, state, now_us)
        if interval is not None and state == FENCED:
            interval.contact_us = self._contact_us.pop(broker_id, None)

    # Views: process and quorum

    def row(self, row: EventRow) -> None:
        """Processes a row of the journal."""
        if row.kind in PROCESS:
            subject = _subject_of(row)
            self._change("process", subject, row.kind, str(row.detail["state"]), row.t_us)
            if row.kind == "controller_state" and row.detail["state"] != RUNNING:
                self._leader_ends(subject, row)
        elif row.kind == "controller_elected":
            leader = f"controller-{row.detail['leader_id']}"
            self._change("quorum", "quorum", "elected", leader, row.t_us)
        elif row.kind == "controller_resigns":
            self._leader_ends(f"controller-{row.detail['controller_id']}", row)
        elif row.kind == "lease_expired" and row.broker_id is not None:
            silent_ms = row.detail["silent_ms"]
            assert isinstance(silent_ms, int), silent_ms
            self._contact_us[row.broker_id] = row.t_us - silent_ms * 1000
            self._add_unchanged("log", f"broker-{row.broker_id}", row.kind)

    def _leader_ends(self, leader: str, row: EventRow) -> None:
        now = self._open.get(("quorum", "quorum"))
        if now is not None and now.state == leader:
            self._change("quorum", "quorum", row.kind, LEADERLESS, row.t_us)

    def heartbeat(self, broker_id: int, purpose: str, outcome: str) -> None:
        """Adds a heartbeat and its outcome to the coverage; it changes no state."""
        state = self._state("log", f"broker-{broker_id}")
        self.coverage.add(f"broker {state} heartbeat {purpose}: {outcome}")

    # All views

    def _state(self, view: str, subject: str) -> str:
        interval = self._open.get((view, subject))
        if interval is not None:
            return interval.state
        if view == "log":
            return UNREGISTERED
        return RUNNING if subject.startswith("controller-") else ABSENT  # started before recording

    def _add_unchanged(self, view: str, subject: str, event: str) -> None:
        state = _coverage_state(view, self._state(view, subject))
        self.coverage.add(f"{_kind_of(subject)} {state} {event}: {state}")

    def _change(
        self, view: str, subject: str, cause: str, state: str, now_us: int
    ) -> Interval | None:
        """Ends the current interval if the state changes; returns the new interval, if any."""
        before = self._state(view, subject)
        begin, end = _coverage_state(view, before), _coverage_state(view, state)
        self.coverage.add(f"{_kind_of(subject)} {begin} {cause}: {end}")
        if before == state and cause != "registered":
            return None
        if (past := self._open.pop((view, subject), None)) is not None:
            past.end_us, past.ended_by = now_us, cause
        if state in (ABSENT, UNREGISTERED):
            return None
        interval = self._open[view, subject] = Interval(view, subject, state, now_us, cause)
        self.intervals.append(interval)
        return interval


def _changes(record: r.BrokerRegistrationChangeRecord) -> Iterator[tuple[str, str]]:
    if record.fenced == r.FENCE:
        yield "fenced", FENCED
    if record.fenced == r.UNFENCE:
        yield "unfenced", UNFENCED
    if record.in_controlled_shutdown == r.IN_CONTROLLED_SHUTDOWN:
        yield "shuts_down", LEAVING


def _subject_of(row: EventRow) -> str:
    if row.kind == "controller_state":
        return f"controller-{row.detail['controller_id']}"
    return f"broker-{row.broker_id}"


def _kind_of(subject: str) -> str:
    return subject.partition("-")[0]


def _coverage_state(view: str, state: str) -> str:
    """Returns the state for coverage, which does not distinguish between leaders."""
    return "LED" if view == "quorum" and state.startswith("controller-") else state
