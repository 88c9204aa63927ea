"""At most one request in flight to each peer, as in Kafka's raft channel.

A request times out after the request timeout; after a failure, the next request to the peer waits
for the retry backoff (rule 10.54).
"""

from ..core.log.control_records import VoterEndpoint
from ..core.rpc import Request
from ..core.value import slotted
from ..time.timeline import NEVER_MS
from .protocol import Channel, Send, Turn


@slotted()
class _Line:
    number: int = 0
    request: Request | None = None
    sent_ms: int = 0
    lost_ms: int = NEVER_MS
    ready_ms: int = 0


class Peers:
    """The requests in flight, by peer."""

    def __init__(self, channel: Channel, *, request_timeout_ms: int, retry_backoff_ms: int) -> None:
        self._channel = channel
        self._request_timeout_ms = request_timeout_ms
        self._retry_backoff_ms = retry_backoff_ms
        self._lines: dict[int, _Line] = {}

    def is_free(self, peer_id: int, now_ms: int) -> bool:
        """True if the peer has no request in flight and no backoff after a failure."""
        line = self._lines.get(peer_id)
        return line is None or (line.request is None and line.ready_ms <= now_ms)

    def awaits(self, *kinds: type) -> bool:
        """True if a request of one of these types is in flight."""
        return any(type(line.request) in kinds for line in self._lines.values())

    def send(
        self, peer_id: int, endpoint: VoterEndpoint | None, request: Request, turn: Turn
    ) -> None:
        """Send a request to a free peer."""
        line = self._lines.setdefault(peer_id, _Line())
        line.number += 1
        line.request, line.sent_ms = request, turn.now_ms
        line.lost_ms = turn.now_ms + self._request_timeout_ms
        turn.send(
            Send(
                channel=self._channel,
                peer_id=peer_id,
                endpoint=endpoint,
                number=line.number,
                request=request,
            )
        )

    def take(self, peer_id: int, number: int) -> Request | None:
        """Returns the request that a response answers.

        None if the response is no longer awaited.
        """
        line = self._lines.get(peer_id)
        if line is None or line.number != number or line.request is None:
            return None
        request, line.request, line.lost_ms = line.request, None, NEVER_MS
        return request

    def forget(self) -> None:
        """Drop all requests in flight and all backoffs, because the leader changed."""
        for line in self._lines.values():
            line.request, line.lost_ms, line.ready_ms = None, NEVER_MS, 0

    def sent_ms(self, peer_id: int) -> int:
        """Returns the time at which the latest request to that peer was sent."""
        return self._lines[peer_id].sent_ms

    def failed(self, peer_id: int, now_ms: int) -> None:
        """Start the backoff of a peer."""
        self._lines.setdefault(peer_id, _Line()).ready_ms = now_ms + self._retry_backoff_ms

    def expire(self, now_ms: int) -> None:
        """Drop requests that timed out."""
        for line in self._lines.values():
            if line.lost_ms <= now_ms:
                line.request, line.lost_ms = None, NEVER_MS
                line.ready_ms = now_ms

    def next_ms(self, now_ms: int) -> int:
        """Returns the time at which the next request times out or the next backoff ends."""
        next_ms = NEVER_MS
        for line in self._lines.values():
            free_ms = line.ready_ms if line.request is None else line.lost_ms
            if free_ms < next_ms and (line.request is not None or free_ms > now_ms):
                next_ms = free_ms
        return next_ms
