"""How long nothing has moved in a connection: Kafka's connections.max.idle.ms, and stuck peers.

The listener looks at each connection every LOOK_S seconds (`kafka_listener.py`).
"""

IDLE_LOOKS = 20  # ten minutes, Kafka's connections.max.idle.ms
STUCK_LOOKS = 2  # a request that is half sent, or a reply that is not read


class Idleness:
    """Counts the looks since a connection last handled a request; `handled` counts requests."""

    def __init__(self) -> None:
        self.handled = 0
        self._handled_before = 0  # at the last look
        self._looks = 0

    def look(self, *, is_waiting: bool) -> None:
        """Note that time has passed; a connection that is waiting for a reply is not idle."""
        is_idle = self.handled == self._handled_before and not is_waiting
        self._looks = self._looks + 1 if is_idle else 0
        self._handled_before = self.handled

    @property
    def is_too_long(self) -> bool:
        """True if Kafka, too, would close the connection."""
        return self._looks >= IDLE_LOOKS

    @property
    def is_stuck(self) -> bool:
        """True if a peer that has begun something should have gone on."""
        return self._looks >= STUCK_LOOKS
