"""Connections from the controllers of a cluster to controllers of other processes."""

from collections.abc import Callable

from ..core.rpc import Response
from ..raft.protocol import Send
from .peer_lines import PeerLines
from .runtime import Runtime


class OutsideControllers:
    """Sends the requests of each controller of a world over connections of its own."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lines: dict[int, PeerLines] = {}

    def send(
        self, sender_id: int, send: Send, on_answer: Callable[[Response | None], None], /
    ) -> None:
        """Sends a request of the controller `sender_id` to the endpoint of its peer."""
        lines = self._lines.get(sender_id)
        if lines is None:
            lines = self._lines[sender_id] = PeerLines(sender_id, self._deliver)
        lines.send(send, on_answer)

    def close(self) -> None:
        """Closes all connections."""
        for lines in self._lines.values():
            lines.close()
        self._lines.clear()

    def _deliver(self, action: Callable[[], None]) -> None:
        with self._runtime.entered():
            action()
