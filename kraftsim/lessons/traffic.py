"""The newest messages of a running cluster, as long as somebody looks at them."""

from collections import Counter, deque
from itertools import islice

from kraftsim.simulation.world import World

from .camera import Camera, Faults
from .documents import MessageScene, TrafficScene

KEPT_MAX = 500  # newest messages that have ended
SHOWN_MAX = 120  # of one document
UNDER_WAY_SHOWN_MAX = 50
UNREAD_MAX = 20_000  # messages after which nobody looks any more


class Traffic(Camera):
    """The messages of a world that ended last, those under way, and the number of each API.

    It looks at messages from the first `since` on, until UNREAD_MAX messages have ended without
    another. Messages are numbered in the order in which they end.
    """

    def __init__(self, world: World, faults: Faults) -> None:
        super().__init__(world, faults)
        self.world = world
        self._newest: deque[MessageScene] = deque(maxlen=KEPT_MAX)
        self._counts: Counter[str] = Counter()
        self._ended = self._read = 0
        self._is_attached = False

    def ended(self, picture: MessageScene) -> None:
        self._newest.append(picture)
        self._ended += 1
        self._counts[picture["api"]] += 1
        if self._ended - self._read > UNREAD_MAX:
            self._is_attached = False
            self.detach()

    def since(self, number: int) -> TrafficScene:
        """Returns the messages that ended from `number` on, at most the newest SHOWN_MAX."""
        if not self._is_attached:
            self._is_attached = True
            self.attach()
        self._read = self._ended
        unread = self._ended - number if 0 <= number <= self._ended else self._ended
        count = min(unread, SHOWN_MAX, len(self._newest))
        newest = list(islice(reversed(self._newest), count))[::-1]
        under_way = (picture for _, picture in self._under_way.values())
        return {
            "messages": [picture.copy() for picture in newest],
            "underWay": [picture.copy() for picture in islice(under_way, UNDER_WAY_SHOWN_MAX)],
            "counts": dict(self._counts),
            "next": self._ended,
        }
