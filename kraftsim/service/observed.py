"""What a service counts while it runs, for its metrics."""

from collections import Counter

from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from .event_loop.lag import LoopLag


class Observed:
    """The events of a world by kind, its stopped messages, and the lag of the event loop."""

    def __init__(self, world: World) -> None:
        self.events: Counter[str] = Counter(row.kind for row in world.journal.since(0))
        self.stopped_messages = 0
        self.lag = LoopLag()
        world.journal.listeners.append(self._on_row)
        world.network.stopped.append(self._on_stopped)

    def close(self) -> None:
        """Stops measuring."""
        self.lag.close()

    def _on_row(self, row: EventRow) -> None:
        self.events[row.kind] += 1

    def _on_stopped(self, message: Message) -> None:
        self.stopped_messages += 1
