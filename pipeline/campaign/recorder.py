"""Records the rows of a run: transitions, heartbeats, intervals and records."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import ControlRecord
from kraftsim.controller.core.log.records import NoOpRecord, Record
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kraftsim.controller.wire.json.json_form import control_record_json, record_json
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from .broker_intervals import Interval, StateIntervals

Row = dict[str, object]
Heartbeat = list[object]


@dataclass(slots=True)
class Recorder:
    """Records the rows of a world while it runs; `counts` counts rows of the journal by kind."""

    world: World
    rows: list[EventRow] = field(default_factory=list)
    heartbeats: list[Heartbeat] = field(default_factory=list)
    records: list[Row] = field(default_factory=list)
    states: StateIntervals = field(default_factory=StateIntervals)
    counts: dict[str, int] = field(default_factory=dict)
    _unanswered: dict[int, Heartbeat] = field(default_factory=dict)

    def listen(self) -> None:
        """Starts to record; call it before the world starts."""
        self.world.journal.listeners.append(self._on_row)
        self.world.committed_listeners.append(self._on_commit)
        self.world.network.arrived.append(self._on_message)

    def intervals(self) -> list[Interval]:
        """Ends the open intervals and returns all of them; call it after the run."""
        self.states.finish(self.world.timeline.now_us)
        return self.states.intervals

    def _on_row(self, row: EventRow) -> None:
        self.rows.append(row)
        self.states.row(row)
        self.counts[row.kind] = self.counts.get(row.kind, 0) + 1

    def _on_commit(self, node_id: int, batch: Batch) -> None:
        if batch.base_offset != self.world.committed_log.end_offset:
            return  # already recorded, when another controller committed it
        now_us = self.world.timeline.now_us
        for position, record in enumerate(batch.records):
            if record.__class__ is NoOpRecord:
                continue
            self.states.record(record, now_us)
            if batch.is_control:
                document = control_record_json(cast(ControlRecord, record))
            else:
                document = record_json(cast(Record, record), batch.versions[position])
            self.records.append(_record_row(batch, position, document, now_us))

    def _on_message(self, message: Message) -> None:
        request = message.request
        if request.__class__ is BrokerHeartbeatRequest:
            assert isinstance(request, BrokerHeartbeatRequest)
            if message.is_reply:
                self._heartbeat_answered(request, message.reply)
            else:
                self._heartbeat_sent(request, message.receiver.number)

    def _heartbeat_sent(self, request: BrokerHeartbeatRequest, controller_id: int) -> None:
        row: Heartbeat = [
            self.world.timeline.now_us,
            controller_id,
            request.broker_id,
            request.broker_epoch,
            request.want_fence,
            request.want_shut_down,
            None,
            None,
            None,
        ]
        self.heartbeats.append(row)
        self._unanswered[id(request)] = row

    def _heartbeat_answered(self, request: BrokerHeartbeatRequest, reply: object) -> None:
        row = self._unanswered.pop(id(request), None)
        if row is None:  # a duplicate of the response
            return
        if isinstance(reply, ApiError):
            row[6:] = reply.code, True, False  # rule 2.2: an error always reads fenced
        elif isinstance(reply, BrokerHeartbeatResponse):
            row[6:] = reply.error_code, reply.is_fenced, reply.should_shut_down
        else:
            return
        purpose = (
            "to leave" if request.want_shut_down else "fence" if request.want_fence else "work"
        )
        self.states.heartbeat(request.broker_id, purpose, _outcome(row))


def _outcome(row: Heartbeat) -> str:
    error_code, is_fenced, should_shut_down = row[6:]
    if error_code:
        return f"error {error_code}"
    if should_shut_down:
        return "may leave"
    return "fenced" if is_fenced else "unfenced"


def _record_row(batch: Batch, position: int, document: Mapping[str, object], now_us: int) -> Row:
    return {
        "t_us": now_us,
        "offset": batch.base_offset + position,
        "leader_epoch": batch.epoch,
        "type": document["type"],
        "version": document["version"],
        "data": json.dumps(document["data"], separators=(",", ":")),
    }
