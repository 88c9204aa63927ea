"""What a page shows of messages: who sent which to whom, when, and what stopped it."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.simulation.message import Message
from kraftsim.simulation.requests.hit_log import Hit
from kraftsim.simulation.world import World

from .documents import MessageScene

if TYPE_CHECKING:
    from kraftsim.scenarios.stage.stage import Fault

UNDER_WAY_MAX = 10_000  # messages; the oldest is forgotten for the next
CONNECTION_FAILED = "connection failed"  # instead of a reply

Faults = Callable[[], Iterable["Fault"]]


class Camera:
    """Makes a picture of each message that leaves its sender, and completes it at its end.

    `faults` returns the faults of the world, which say why a message was lost or is held.
    """

    def __init__(self, world: World, faults: Faults) -> None:
        self._timeline, self._network, self._faults = world.timeline, world.network, faults
        self._under_way: dict[int, tuple[Message, MessageScene]] = {}

    def attach(self) -> None:
        """Begins to look at the messages of the world."""
        network = self._network
        network.departed.append(self._on_departed)
        network.arrived.append(self._on_arrived)
        network.stopped.append(self._on_stopped)

    def detach(self) -> None:
        """Ends looking; the network may be calling its listeners now, so that it gets new lists."""
        network = self._network
        network.departed = [
            listener for listener in network.departed if listener != self._on_departed
        ]
        network.arrived = [listener for listener in network.arrived if listener != self._on_arrived]
        network.stopped = [listener for listener in network.stopped if listener != self._on_stopped]
        self._under_way.clear()

    def began(self, picture: MessageScene) -> bool:
        """Gets the picture of a message that leaves; returns True to follow it to its end."""
        return True

    def ended(self, picture: MessageScene) -> None:
        """Gets the picture of a message that has arrived or is lost."""

    def _on_departed(self, message: Message) -> None:
        self._follow(message, self._picture(message))

    def _follow(self, message: Message, picture: MessageScene) -> None:
        if not self.began(picture):
            return
        if len(self._under_way) >= UNDER_WAY_MAX:
            del self._under_way[next(iter(self._under_way))]
        self._under_way[id(message)] = (message, picture)  # kept, so that the id stays its own

    def _on_arrived(self, message: Message) -> None:
        known = self._under_way.pop(id(message), None)
        if known is not None:
            known[1]["endUs"] = self._timeline.now_us
            self.ended(known[1])

    def _on_stopped(self, message: Message) -> None:
        """Completes a lost message; a held one stays under way, and a scene has held replies."""
        known = self._under_way.get(id(message))
        fault = self._fault_of(message)
        if fault is not None and fault.log.hits[-1].kind.endswith("_held"):
            if known is not None:
                known[1]["fault"] = fault.fault_id
            return
        if known is None:
            self._follow(message, self._picture(message) | {"error": ""})  # it has no reply yet
        known = self._under_way.pop(id(message), None)
        if known is not None:
            picture = known[1]
            picture["endUs"], picture["isLost"] = self._timeline.now_us, True
            picture["fault"] = "" if fault is None else fault.fault_id
            self.ended(picture)

    def _fault_of(self, message: Message) -> "Fault | None":
        """Returns the fault that stops the message now: it has just noted the hit."""
        for fault in self._faults():
            hits = fault.log.hits
            if hits and hits[-1].t_us == self._timeline.now_us and _is_about(hits[-1], message):
                return fault
        return None

    def _picture(self, message: Message) -> MessageScene:
        return {
            "api": type(message.request).__name__.removesuffix("Request"),
            "isReply": message.is_reply,
            "sender": number_of(message.sender),
            "receiver": number_of(message.receiver),
            "startUs": self._timeline.now_us,
            "endUs": None,
            "isLost": False,
            "error": _error(message),
            "fault": "",
        }


def number_of(node: NodeId | None) -> int:
    """Returns the id of a node, -1 for a client."""
    return -1 if node is None or node.kind is Kind.OUTSIDE else node.number


def _is_about(hit: Hit, message: Message) -> bool:
    ends = (message.sender, message.receiver)
    is_broker = hit.broker_id < 0 or hit.broker_id in [node.number for node in ends]
    is_kind = hit.request is type(message.request)
    is_way = hit.kind.startswith("reply") is message.is_reply and hit.receiver in ends
    return is_kind and is_way and is_broker


def _error(message: Message) -> str:
    """Returns the name of the error in a reply; empty if there is none."""
    reply = message.reply
    if message.is_reply and reply is None:
        return CONNECTION_FAILED
    code = getattr(reply, "code", getattr(reply, "error_code", 0))
    return getattr(code, "name", "") if code else ""
