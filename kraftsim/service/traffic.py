"""What clients have sent to the Kafka listeners of a cluster, and what they wait for."""

from collections.abc import Callable, Iterable, Iterator

from kraftsim.controller.core.rpc import FetchRequest, FetchSnapshotRequest, Request
from kraftsim.controller.server.kafka_connection import KafkaConnection
from kraftsim.controller.server.turns import Turns

from .followed_listener import FollowedListener

LONG_POLLS = (FetchRequest, FetchSnapshotRequest)  # sent all the time, by replicas


class Traffic:
    """The connections of some listeners, which share `turns`.

    `creations` are the requests of brokers for topics that a client will ask for again, `repeated`
    those whose replies are delayed, because their clients repeat them.
    """

    def __init__(
        self,
        listeners: Callable[[], Iterable[FollowedListener]],
        turns: Turns,
        creations: Callable[[], Iterable[Request]] = tuple,
    ) -> None:
        self._listeners, self._turns, self._creations = listeners, turns, creations
        self.repeated: Callable[[], Iterable[Request]] = tuple
        self._given_up: list[Request] = []

    @property
    def has_listeners(self) -> bool:
        """True if clients can connect."""
        return any(listener.is_open for listener in self._listeners())

    @property
    def has_clients(self) -> bool:
        """True if a client is connected."""
        return any(listener.connections for listener in self._listeners())

    async def reopened(self) -> None:
        """Waits until the listener of each process that has started again is open."""
        for listener in [listener for listener in self._listeners() if listener.is_reopening]:
            await listener.reopened()

    def unhandled(self) -> str | None:
        """Describes a request that has arrived, at least in part, and was not handled; or None.

        A paused process handles nothing, so that its requests are not counted; neither is a large
        request that waits until others are answered, for which time may have to pass.
        """
        if self._turns.is_busy:
            return "requests wait for their turn"
        for connection in self._connections():
            if connection.unread_bytes and not (connection.awaited or connection.waits_for_room):
                return (
                    f"{connection.unread_bytes} bytes of a request from {connection.address} "
                    "wait for the rest of it"
                )
        return None

    def parked(self) -> Request | None:
        """Returns a request whose outcome a client waits for; None if there is none."""
        return next((r for r in self._awaited() if not _is_among(r, self._given_up)), None)

    def give_up(self, request: Request) -> None:
        """Leaves a request out of `parked` from now on, because time does not bring a response."""
        awaited = list(self._awaited())
        self._given_up = [r for r in (*self._given_up, request) if _is_among(r, awaited)]

    def _awaited(self) -> Iterator[Request]:
        for connection in self._connections():
            awaited = connection.awaited
            if awaited is not None and not (connection.is_held or isinstance(awaited, LONG_POLLS)):
                yield awaited
        yield from self._creations()
        yield from self.repeated()

    def _connections(self) -> Iterator[KafkaConnection]:
        for listener in self._listeners():
            if not listener.is_holding:
                yield from listener.connections


def _is_among(request: Request, requests: Iterable[Request]) -> bool:
    """Returns True for the same request; an equal request of another client is another one."""
    return any(request is other for other in requests)
