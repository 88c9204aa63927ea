"""Connections from the brokers of a process to brokers of other processes."""

from collections.abc import Callable

from ..core.rpc import Request, Response
from ..wire.frames import decode_broker_response
from .kafka_caller import Address, KafkaCaller
from .runtime import RealClock, Runtime


class OutsideBrokers:
    """Sends the requests of followers to their leaders, over one connection for each two brokers.

    Replies and waits are external events of the runtime.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime, self._clock = runtime, RealClock(runtime)
        self._callers: dict[tuple[int, int], KafkaCaller] = {}

    def send(
        self,
        sender_id: int,
        leader_id: int,
        address: Address,
        request: Request,
        version_max: int,
        on_answer: Callable[[Response | None], None],
    ) -> None:
        """Sends a request, in place of an earlier one; `on_answer` gets None if that fails."""
        caller = self._callers.get((sender_id, leader_id))
        if caller is None:
            name = f"broker-{sender_id}-fetcher-0"  # as Kafka's first fetcher (B5.1)
            caller = KafkaCaller(name, self._runtime.do, decode_broker_response)
            self._callers[sender_id, leader_id] = caller
        caller.send(address, request, on_answer, version_max)

    def hang_up(self, sender_id: int, leader_id: int) -> None:
        """Closes a connection; a reply that is still to come is dropped."""
        caller = self._callers.pop((sender_id, leader_id), None)
        if caller is not None:
            caller.drop()

    def after(self, delay_ms: int, action: Callable[[], None]) -> None:
        """Runs an action after a delay in real time."""
        self._clock.after(delay_ms * 1000, action)

    def close(self) -> None:
        """Closes all connections."""
        for caller in self._callers.values():
            caller.drop()
        self._callers.clear()
