"""When brokers last sent a heartbeat to the active controller, as messages tell (rules 1.11, 1.12).

Contacts are no part of the log: a new active controller begins with a contact of each unfenced
broker, and knows nothing of the others (rule 2.48).
"""

from dataclasses import dataclass, field

from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.controller.node.node import Node
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from .shadow import Fact


@dataclass(slots=True)
class Session:
    """The time in which a controller is active, with the last contacts of brokers in it.

    `contacts_ms` is by broker id and epoch; None: the time is not known. `begin_offset` is the end
    of its log when it became active.
    """

    epoch: int
    began_ms: int
    begin_offset: int
    contacts_ms: dict[tuple[int, int], int | None] = field(default_factory=dict)


class Contacts:
    """The contacts that each active controller knows; times are on its own clock."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._sessions: dict[int, Session] = {}
        self._timeout_ms = world.topology.settings.broker_session_timeout_ms

    def moved(self, node: Node, now_ms: int) -> None:
        """Begins to count when a controller becomes active, and ends when it is not."""
        node_id, active = node.config.node_id, node.active
        known = self._sessions.get(node_id)
        if active is None:
            self._sessions.pop(node_id, None)
        elif known is None or known.epoch != active.epoch:
            self._sessions[node_id] = Session(active.epoch, now_ms, node.log.end_offset)

    def forget(self, node_id: int) -> None:
        """Ends the time of a controller, whose process starts anew."""
        self._sessions.pop(node_id, None)

    def arrived(self, message: Message) -> None:
        """Records the time of a heartbeat; None if the controller may read it later."""
        request, process = message.request, self._world.controller_of(message.receiver)
        known = self._sessions.get(message.receiver.number)
        if known is None or process is None or not isinstance(request, BrokerHeartbeatRequest):
            return
        is_read_now = process.is_running and message.receiver.number not in self._world.moved
        now_ms = self._world.clock_ms(message.receiver) if is_read_now else None
        known.contacts_ms[request.broker_id, request.broker_epoch] = now_ms

    def has_session(self, node_id: int, broker: Fact, now_ms: int) -> bool | None:
        """Returns True if a registered broker was in contact within a session timeout.

        None: that is not known, as of a broker that was unfenced when the controller began.
        """
        if broker["fenced"] and not self._world.topology.profile.contacts_by_epoch:
            return False
        known, key = self._sessions.get(node_id), (broker["broker_id"], broker["broker_epoch"])
        if known is None:
            return None
        if key in known.contacts_ms:
            contact_ms = known.contacts_ms[key]
            return None if contact_ms is None else contact_ms + self._timeout_ms >= now_ms
        is_new = broker["register_offset"] >= known.begin_offset
        is_over = known.began_ms + self._timeout_ms < now_ms
        return False if is_new or is_over else None
