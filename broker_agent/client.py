"""Connections of one simulated broker to the controllers, one for each conversation."""

from collections.abc import Callable

from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.server.kafka_caller import Address, Deliver, KafkaCaller

from .conversation import Channel, Send


class BrokerClient:
    """The connections of one broker, by channel."""

    def __init__(self, broker_id: int, deliver: Deliver) -> None:
        self._callers = {
            channel: KafkaCaller(f"{channel.value}-{broker_id}", deliver) for channel in Channel
        }

    def send(self, address: Address, send: Send, reply_to: Callable[[Reply | None], None]) -> None:
        """Send a request to a controller."""
        self._callers[send.channel].send(address, send.request, reply_to)

    def close(self) -> None:
        """Close all connections."""
        for caller in self._callers.values():
            caller.drop()
