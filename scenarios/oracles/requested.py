"""Which appended records a request can have caused: those that its receiver appends meanwhile."""

from kraftsim.controller.core.node_id import Kind
from kraftsim.controller.core.rpc import ElectLeadersRequest, Request
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message

OFFSETS_MAX = 10_000  # of appended records whose requests are remembered


class Requested:
    """The requests that were open while a leader appended a record, by the offset of the record.

    A request is open at its receiver from its arrival until its reply arrives, is lost or is held.
    """

    def __init__(self) -> None:
        self._open: dict[int, list[Request]] = {}  # by the id of the receiver
        self._causes: dict[int, tuple[Request, ...]] = {}  # by the offset of an appended record

    def begins(self, message: Message) -> None:
        """Opens a request, which arrives at a controller."""
        if message.receiver.kind is Kind.CONTROLLER:
            self._open.setdefault(message.receiver.number, []).append(message.request)

    def ends(self, message: Message) -> None:
        """Closes the request of a reply."""
        still_open = self._open.get(message.sender.number, [])
        still_open[:] = [request for request in still_open if request is not message.request]

    def wrote(self, node: Node, turn: Turn) -> None:
        """Remembers the open requests for each record that a leader appends.

        Several leaders may append at one offset, and any of these records may be committed.
        """
        if not node.quorum.is_leader:
            return
        still_open = self.open_at(node.config.node_id)
        for batch in turn.persist:
            for offset in range(batch.base_offset, batch.last_offset + 1):
                if still_open:
                    self._causes[offset] = (*self.causes_of(offset), *still_open)
        while len(self._causes) > OFFSETS_MAX:
            del self._causes[next(iter(self._causes))]

    def open_at(self, node_id: int) -> tuple[Request, ...]:
        """Returns the requests that are open at a controller."""
        return tuple(self._open.get(node_id, ()))

    def causes_of(self, offset: int) -> tuple[Request, ...]:
        """Returns the requests that were open when a record at this offset was appended."""
        return self._causes.get(offset, ())


def names_partition(request: ElectLeadersRequest, topic: object, partition: object) -> bool:
    """Returns True if a request names the partition; a request without topics names all."""
    topics = request.topic_partitions
    return topics is None or any(
        named.topic == topic and partition in named.partitions for named in topics
    )
