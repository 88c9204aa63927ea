"""A Produce request with acks=all that some replica of the ISR does not acknowledge (B2.40-B2.45).

The request waits until they have fetched it or left the ISR, until this broker knows another
leader, or until its time is up.
"""

from collections.abc import Callable

from kraftsim.controller.core.rpc.stored_messages import ProduceRequest, ProduceResponse

from ..log.log import Instant
from ..log.waits import FetchWaits
from .patience import PollClock
from .produce import Producing


class Unacknowledged:
    """One request until it is answered."""

    def __init__(
        self,
        producing: Producing,
        request: ProduceRequest,
        response: ProduceResponse,
        now: Callable[[], Instant],
        reply_to: Callable[[ProduceResponse], None],
    ) -> None:
        self._producing, self._request, self._response = producing, request, response
        self._now, self._reply_to = now, reply_to
        self._stop: Callable[[], None] | None = None

    def wait(self, waits: FetchWaits, clock: PollClock) -> None:
        """Looks again at each change of the metadata, and replies at the end of the timeout."""
        keys, look = self._producing.unacknowledged(self._response), self._look
        self._stop = lambda: waits.stop(keys, look)
        waits.wait(keys, look)
        clock.after(self._request.timeout_ms * 1000, self._time_is_up)

    def _look(self) -> None:
        self._response = self._producing.look_again(self._request, self._response, self._now())
        if not self._producing.unacknowledged(self._response):
            self._reply()

    def _time_is_up(self) -> None:
        if self._stop is not None:
            self._look()
            self._reply()

    def _reply(self) -> None:
        if self._stop is not None:
            self._stop()
            self._stop = None
            self._reply_to(self._response)
