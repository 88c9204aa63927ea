"""Records what an active controller must know, to check its decisions.

A tenure is the time in which a controller is active. In a tenure every record that the controller
appends, and every heartbeat that reaches it, is recorded with the time on the controller's clock. A
paused process (SIGSTOP) receives nothing; heartbeats in a pause count when the process is resumed.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.node_id import NodeId, controller_node
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from .active_logs import OfActiveLogs
from .property import Kinds
from .shadow import Fact


@dataclass(slots=True)
class Known:
    """A registered broker in a tenure.

    `contact_ms` is the time at which the broker's lease last began. `heartbeats` are the
    heartbeats that the controller may be handling now: the last heartbeat, or all heartbeats
    that arrived in a pause. `heartbeat_us` is when they count; -1 for heartbeats in a pause.
    """

    broker_id: int
    epoch: int
    incarnation_id: Uuid
    register_offset: int
    fenced: bool
    contact_ms: int | None = None
    heartbeats: list[BrokerHeartbeatRequest] = field(default_factory=list)
    heartbeat_us: int = -1


@dataclass(slots=True)
class Tenure:
    """The time in which one controller is active; times are milliseconds on its own clock."""

    node: NodeId
    epoch: int
    began_ms: int
    brokers: dict[int, Known]
    profile: Profile
    first_contact_ms: int | None = None
    """Time of the first contact of any broker; Kafka 3.9 checks no lease before it (rule 2.41)."""

    def note_first_contact(self, now_ms: int) -> None:
        """Records the time of a contact if it is the first contact of the tenure."""
        if self.first_contact_ms is None:
            self.first_contact_ms = now_ms


class OfTenures(OfActiveLogs):
    """A property of active controllers; hooks are called before the tenure is updated."""

    kinds: ClassVar[Kinds] = (BrokerHeartbeatRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.tenures: dict[int, Tenure] = {}
        # heartbeats that wait at a paused controller, which may become active when it is resumed
        self._waiting: dict[int, list[BrokerHeartbeatRequest]] = {}
        self.session_ms = world.topology.settings.broker_session_timeout_ms

    def began(self, node: Node, tenure: Tenure) -> None:
        """Called when a controller has become active."""

    def appended(self, tenure: Tenure, record: Any, offset: int) -> None:
        """Called for each record that the active controller appends."""

    def restarted(self, node_id: int) -> None:
        self.tenures.pop(node_id, None)
        self._waiting.pop(node_id, None)

    def moved(self, node: Node, turn: Turn) -> None:
        node_id, active = node.config.node_id, node.active
        if active is None:
            self.tenures.pop(node_id, None)
        elif not self._is_of(self.tenures.get(node_id), node):
            self._begin(node)

    def wrote_news(self, node: Node, turn: Turn) -> None:
        node_id = node.config.node_id
        tenure = self.tenures.get(node_id)
        if tenure is None or not self._is_of(tenure, node):
            return
        for batch in turn.persist:
            if not batch.is_control:
                for offset, record in enumerate(batch.records, batch.base_offset):
                    self.appended(tenure, record, offset)
                    _fold(tenure, record, offset, self.world.clock_ms(tenure.node))

    def _is_of(self, tenure: Tenure | None, node: Node) -> bool:
        active = node.active
        return tenure is not None and active is not None and tenure.epoch == active.epoch

    def arrived(self, message: Message) -> None:
        request = message.request
        if not isinstance(request, BrokerHeartbeatRequest):
            return
        process = self.world.controller_of(message.receiver)
        if process is None:
            return
        tenure = self.tenures.get(message.receiver.number)
        if tenure is not None and process.is_alive:
            self._record_heartbeat(tenure, request, process.is_paused)
        elif process.is_paused:
            self._waiting.setdefault(message.receiver.number, []).append(request)

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Counts the waiting heartbeats as contacts when a paused controller is resumed."""
        tenure = self.tenures.get(node_id)
        self._waiting.pop(node_id, None)
        if tenure is None or state is not ProcessState.RUNNING:
            return
        for known in tenure.brokers.values():
            if len(known.heartbeats) and known.heartbeat_us < 0:
                known.contact_ms = self.world.clock_ms(tenure.node)
                known.heartbeat_us = self.world.timeline.now_us

    def is_decided_now(self, known: Known) -> bool:
        """Returns True if a heartbeat of the broker is being handled in this instant."""
        return known.heartbeat_us in (-1, self.world.timeline.now_us) and bool(known.heartbeats)

    def _record_heartbeat(
        self, tenure: Tenure, request: BrokerHeartbeatRequest, is_paused: bool
    ) -> None:
        known = tenure.brokers.get(request.broker_id)
        if known is None or known.epoch != request.broker_epoch:
            return
        if is_paused:
            if known.heartbeat_us >= 0:
                known.heartbeats, known.heartbeat_us = [], -1
            known.heartbeats.append(request)
            return
        now_ms = known.contact_ms = self.world.clock_ms(tenure.node)
        tenure.note_first_contact(now_ms)
        known.heartbeats, known.heartbeat_us = [request], self.world.timeline.now_us

    def _begin(self, node: Node) -> None:
        node_id, this = node.config.node_id, controller_node(node.config.node_id)
        now_ms, log = self.world.clock_ms(this), self.active_logs.of(node)
        if log is None:
            return
        found = map(_known, log.shadow.of("Broker").values())
        brokers = {broker.broker_id: broker for broker in found}
        tenure = self.tenures[node_id] = Tenure(this, node.epoch, now_ms, brokers, node.profile)
        self.began(node, tenure)
        for known in tenure.brokers.values():
            if not known.fenced:
                known.contact_ms = now_ms
        for request in self._waiting.get(node_id, ()):
            self._record_heartbeat(tenure, request, is_paused=True)


def _known(fact: Fact) -> Known:
    return Known(
        fact["broker_id"],
        fact["broker_epoch"],
        fact["incarnation_id"],
        fact["register_offset"],
        fact["fenced"],
    )


def fenced_by(record: Any) -> int | None:
    """Returns the broker that a record fences, or None."""
    match record:
        case r.BrokerRegistrationChangeRecord(fenced=r.FENCE):
            return record.broker_id
        case r.FenceBrokerRecord():
            return record.id
    return None


def unfenced_by(record: Any) -> int | None:
    """Returns the broker that a record unfences, or None."""
    match record:
        case r.BrokerRegistrationChangeRecord(fenced=r.UNFENCE):
            return record.broker_id
        case r.UnfenceBrokerRecord():
            return record.id
    return None


def _fold(tenure: Tenure, record: Any, offset: int, now_ms: int) -> None:
    brokers = tenure.brokers
    if isinstance(record, r.RegisterBrokerRecord):
        _register(tenure, record, offset, now_ms)
    elif isinstance(record, r.UnregisterBrokerRecord):
        brokers.pop(record.broker_id, None)
    elif (fenced := fenced_by(record)) is not None:
        brokers[fenced].fenced = True
    elif (unfenced := unfenced_by(record)) is not None:
        brokers[unfenced].fenced = False


def _register(tenure: Tenure, record: r.RegisterBrokerRecord, offset: int, now_ms: int) -> None:
    """Records a registration in the tenure.

    In Kafka 3.9 a registration is a contact (rule 1.32). From Kafka 4.0 on only heartbeats are
    contacts (rule 2.44).
    """
    old = tenure.brokers.get(record.broker_id)
    known = tenure.brokers[record.broker_id] = Known(
        record.broker_id, record.broker_epoch, record.incarnation_id, offset, record.fenced
    )
    if not tenure.profile.contacts_by_epoch:
        known.contact_ms = now_ms
        tenure.note_first_contact(now_ms)
    elif old is not None and old.epoch == known.epoch:
        known.contact_ms = old.contact_ms
