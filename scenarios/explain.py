"""Why a broker was fenced or unfenced, why somebody was elected: what led to it, in a few lines.

A run is repeated with somebody who takes notes; seeds make that the very same run. Of each node
only the last of what matters is kept, so notes do not grow with the run.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    FetchRequest,
    FetchResponse,
    VoteRequest,
    VoteResponse,
)
from kraftsim.controller.raft.messages import vote_answer, vote_partition

from .durations import spelled
from .journal import EventRow
from .network import Message
from .run import Run
from .scenario import Scenario
from .stage import Stage

LINES_MAX = 20
VOTES_MAX = 8  # the last messages of an election that are told
KINDS = ("broker_fenced", "broker_unfenced", "controller_elected")


@dataclass(slots=True)
class _Notes:
    """Of one node, since its last message that counted: when that was, what was lost since."""

    heard_us: int = -1
    heard_by: int = -1
    said: str = ""
    lost: Counter[str] = field(default_factory=Counter)
    changes: deque[str] = field(default_factory=lambda: deque(maxlen=4))


class Causes:
    """Takes notes of a run; `chains` has, by the number of the event, what led to it."""

    def __init__(self, stage: Stage) -> None:
        self.chains: dict[int, list[str]] = {}
        self._stage, self._world = stage, stage.world
        self._nodes: dict[int, _Notes] = {}
        self._votes: deque[str] = deque(maxlen=VOTES_MAX)
        self._open: dict[str, str] = {}
        self._world.network.arrived.append(self._arrived)
        self._world.network.stopped.append(self._stopped)
        self._world.journal.listeners.append(self._wrote)

    def _of(self, node_id: int) -> _Notes:
        return self._nodes.setdefault(node_id, _Notes())

    def _at(self, us: int) -> str:
        return f"{us / 1e6:.3f} s"

    def _now(self) -> str:
        return self._at(self._world.timeline.now_us)

    # Notes

    def _arrived(self, message: Message) -> None:
        request, now = message.request, self._now()
        if isinstance(request, BrokerHeartbeatRequest | BrokerRegistrationRequest):
            if not message.is_reply:
                self._heard(message, _said(request))
        elif isinstance(request, FetchRequest) and _is_of_a_leader(message.reply):
            self._heard(message, "answer to a fetch")
        elif isinstance(request, VoteRequest):
            self._votes.append(f"{now}  {_vote(message)}")

    def _heard(self, message: Message, said: str) -> None:
        self._nodes[message.sender] = _Notes(
            self._world.timeline.now_us,
            message.receiver,
            said,
            changes=self._of(message.sender).changes,
        )

    def _stopped(self, message: Message) -> None:
        name = type(message.request).__name__.removesuffix("Request")
        self._of(message.sender).lost[name] += 1

    # Events

    def _wrote(self, row: EventRow) -> None:
        if row.kind == "fault_begins":
            self._open[str(row.fault_id)] = f"{self._at(row.t_us)}  {row.detail['verb']} begins"
        elif row.kind == "fault_ends":
            self._open.pop(str(row.fault_id), None)
        elif row.kind == "agent_state" and row.broker_id is not None:
            state = f"{self._at(row.t_us)}  broker {row.broker_id} is {row.detail['state']}"
            self._of(row.broker_id).changes.append(state)
        elif row.kind == "controller_state":
            node_id = int(row.node.rpartition("-")[2])
            state = f"{self._at(row.t_us)}  controller {node_id} is {row.detail['state']}"
            self._of(node_id).changes.append(state)
        elif row.kind in KINDS:
            lines = sorted(self._chain(row), key=lambda line: float(line.split()[0]))
            self.chains[row.seq] = lines[-LINES_MAX:]

    def _chain(self, row: EventRow) -> Iterator[str]:
        yield from self._open.values()
        if row.kind == "controller_elected":
            yield from self._election(row)
        elif row.broker_id is not None:
            yield from self._lease(row, row.broker_id)

    def _lease(self, row: EventRow, broker_id: int) -> Iterator[str]:
        notes = self._of(broker_id)
        yield from notes.changes
        if notes.heard_us >= 0:
            ago = spelled((row.t_us - notes.heard_us) // 1000 * 1000)
            said = f"the last {notes.said} of broker {broker_id} reached {notes.heard_by}"
            yield f"{self._at(notes.heard_us)}  {said}, {ago} before the log says so"
        yield from self._losses(broker_id, row)
        if row.kind == "broker_fenced" and not notes.said.startswith("heartbeat that wants"):
            session_ms = self._world.topology.settings.broker_session_timeout_ms
            over_us = notes.heard_us + session_ms * 1000
            if notes.heard_us >= 0 and over_us <= row.t_us:
                yield f"{self._at(over_us)}  its lease of {spelled(session_ms * 1000)} is over"
        what = row.kind.replace("_", " ")
        yield f"{self._at(row.t_us)}  {what}: {broker_id}, at offset {row.offset}"

    def _losses(self, node_id: int, row: EventRow) -> Iterator[str]:
        for name, count in self._of(node_id).lost.items():
            yield f"{self._at(row.t_us)}  since then {count} {name} from {node_id} did not arrive"

    def _election(self, row: EventRow) -> Iterator[str]:
        leader = row.detail["leader_id"]
        for node_id in self._world.controllers:
            notes = self._of(node_id)
            yield from notes.changes
            if node_id != leader and notes.heard_us >= 0:
                said = f"the last {notes.said} of controller {node_id} reached {notes.heard_by}"
                yield f"{self._at(notes.heard_us)}  {said}"
        yield from self._votes
        yield f"{self._at(row.t_us)}  controller {leader} leads epoch {row.leader_epoch}"


def _is_of_a_leader(reply: object) -> bool:
    """Did the fetch bring something, or at least no refusal?"""
    if not isinstance(reply, FetchResponse) or not reply.responses:
        return False
    return not reply.responses[0].partitions[0].error_code


def _said(request: BrokerHeartbeatRequest | BrokerRegistrationRequest) -> str:
    if isinstance(request, BrokerRegistrationRequest):
        return "registration"
    if request.want_shut_down:
        return "heartbeat that wants to shut down"
    return "heartbeat that wants to stay fenced" if request.want_fence else "heartbeat"


def _vote(message: Message) -> str:
    request = message.request
    assert isinstance(request, VoteRequest), request
    asked = vote_partition(request)
    kind = "pre-vote" if asked.pre_vote else "vote"
    if not message.is_reply:
        epoch = asked.replica_epoch
        return f"{message.sender} asks {message.receiver} for its {kind} in epoch {epoch}"
    answer = vote_answer(message.reply) if isinstance(message.reply, VoteResponse) else None
    said = "nothing" if answer is None else "yes" if answer.vote_granted else "no"
    return f"{message.sender} answers {message.receiver}'s {kind} with {said}"


def explain(scenario: Scenario, seed: int) -> tuple[list[EventRow], dict[int, list[str]]]:
    """The events of a run that can be explained, and by number what led to each."""
    run = Run(scenario, seed, ())
    causes = Causes(run.stage)
    result = run.finish()
    return [row for row in result.rows if row.kind in KINDS], causes.chains
