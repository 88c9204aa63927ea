"""The times of brokers' last heartbeats at the active controller, by messages (rules 1.11, 1.12).

The log has no contacts: a new active controller starts with a contact of each unfenced broker, and
without contacts of fenced brokers (rule 2.48).
"""

from dataclasses import dataclass, field

from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.controller.node.node import Node
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from .shadow import Fact


@dataclass(slots=True)
class KnownContacts:
    """The last contacts of brokers since a controller became active.

    `began_ms` and `begin_offset` are the time and the end of its log when it became active.
    `contacts_ms` has the times by broker id and epoch; a time of None is unknown.
    """

    epoch: int
    began_ms: int
    begin_offset: int
    contacts_ms: dict[tuple[int, int], int | None] = field(default_factory=dict)


class Contacts:
    """The contacts of brokers with each active controller, in milliseconds of its clock."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[int, KnownContacts] = {}  # by the id of the controller
        self._timeout_ms = world.topology.settings.broker_session_timeout_ms

    def moved(self, node: Node, now_ms: int) -> None:
        """Starts without contacts when a controller becomes active; drops them when it resigns."""
        node_id, active = node.config.node_id, node.active
        known = self._known.get(node_id)
        if active is None:
            self._known.pop(node_id, None)
        elif known is None or known.epoch != active.epoch:
            self._known[node_id] = KnownContacts(active.epoch, now_ms, node.log.end_offset)

    def forget(self, node_id: int) -> None:
        """Drops the contacts of a controller whose process restarts."""
        self._known.pop(node_id, None)

    def arrived(self, message: Message) -> None:
        """Records the time of a heartbeat, or None if the controller may read it later."""
        request, process = message.request, self._world.controller_of(message.receiver)
        known = self._known.get(message.receiver.number)
        if known is None or process is None or not isinstance(request, BrokerHeartbeatRequest):
            return
        is_read_now = process.is_running and message.receiver.number not in self._world.moved
        now_ms = self._world.clock_ms(message.receiver) if is_read_now else None
        known.contacts_ms[request.broker_id, request.broker_epoch] = now_ms

    def has_session(self, node_id: int, broker: Fact, now_ms: int) -> bool | None:
        """Returns True if a registered broker was in contact within a session timeout.

        Returns None if that is unknown, as for a broker that was unfenced when the controller
        became active.
        """
        profile = self._world.controllers[node_id].node.profile
        if broker["fenced"] and not profile.contacts_by_epoch:
            return False
        known, key = self._known.get(node_id), (broker["broker_id"], broker["broker_epoch"])
        if known is None:
            return None
        if key in known.contacts_ms:
            contact_ms = known.contacts_ms[key]
            return None if contact_ms is None else contact_ms + self._timeout_ms >= now_ms
        is_new = broker["register_offset"] >= known.begin_offset
        is_over = known.began_ms + self._timeout_ms < now_ms
        return False if is_new or is_over else None
