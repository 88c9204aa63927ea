"""The messages that a fault holds, each with a number, so that a single message can be released."""

from collections.abc import Callable, Iterator

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.value import value
from kraftsim.controller.time.timeline import Timeline

HELD_MAX = 10_000  # messages that one fault holds; further messages are lost, as in a full socket

GoOnNow = Callable[[], None]


@value(kw_only=False)
class HeldMessage:
    """A request, or the reply to it, that a fault holds.

    `sender` sent the request to `receiver`; it is None if the request came over a socket.
    `broker_id` is the broker that the request concerns, -1 without one. The message goes on at
    `until_us`; None: once the fault ends.
    """

    request: type
    is_reply: bool
    sender: NodeId | None
    receiver: NodeId
    broker_id: int
    until_us: int | None


@value(kw_only=False, eq=False)
class Holding:
    """A held message since `since_us`; `go_on` delivers it for the rule `owner`."""

    message: HeldMessage
    since_us: int
    owner: object
    go_on: GoOnNow


class HeldMessages:
    """The messages that the rules of one fault hold, by number, the oldest first.

    Numbers count from 1 and are not used again.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._held: dict[int, Holding] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[tuple[int, Holding]]:
        return iter(self._held.items())

    @property
    def is_full(self) -> bool:
        """True if the fault holds as many messages as it may."""
        return len(self._held) >= HELD_MAX

    def hold(self, owner: object, message: HeldMessage, go_on: GoOnNow) -> int:
        """Holds a message for a rule; returns its number."""
        self._count += 1
        self._held[self._count] = Holding(message, self._timeline.now_us, owner, go_on)
        return self._count

    def release(self, number: int) -> bool:
        """Delivers a message; returns False if none with this number is held."""
        holding = self._held.pop(number, None)
        if holding is not None:
            holding.go_on()
        return holding is not None

    def release_all(self) -> int:
        """Delivers the messages that are held now, the oldest first; returns their number."""
        return sum(map(self.release, tuple(self._held)))

    def take(self, owner: object) -> list[GoOnNow]:
        """Removes the messages of a rule, and returns what delivers them, the oldest first."""
        taken = [number for number, each in self._held.items() if each.owner is owner]
        return [self._held.pop(number).go_on for number in taken]
