"""The sockets between controllers: one connection for each channel to each peer."""

from collections.abc import Callable

from ..core.rpc import Response
from ..raft.protocol import Channel, Send
from .kafka_caller import Deliver, KafkaCaller


class PeerLines:
    """Sends requests to other controllers.

    `deliver(action)` runs the callback of a response at the node's time.
    """

    def __init__(self, node_id: int, deliver: Deliver) -> None:
        self._names = {Channel.RAFT: f"raft-client-{node_id}", Channel.REGISTRATION: f"{node_id}"}
        self._deliver = deliver
        self._callers: dict[tuple[Channel, int], KafkaCaller] = {}

    def send(self, send: Send, on_answer: Callable[[Response | None], None]) -> None:
        """Send a request; `on_answer` gets None at once if the peer's address is unknown."""
        if send.endpoint is None:
            self._deliver(lambda: on_answer(None))
            return
        caller = self._callers.get((send.channel, send.peer_id))
        if caller is None:
            caller = KafkaCaller(self._names[send.channel], self._deliver)
            self._callers[send.channel, send.peer_id] = caller
        caller.send((send.endpoint.host, send.endpoint.port), send.request, on_answer)

    def close(self) -> None:
        """Close all connections."""
        for caller in self._callers.values():
            caller.drop()
