"""Replies that are kept for as long as the image they describe stays the same.

Clients ask the same few questions all the time, and the metadata seldom changes. The same reply is
the same object, of which the wire keeps the bytes (`controller/wire/frames.py`).
"""

from collections import OrderedDict
from collections.abc import Sequence

from kraftsim.controller.core.cluster.describe_cluster import live_brokers
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.rpc import Request, Response

REPLIES_MAX = 32  # of a state: three APIs, a few requests of each, and the ids of some brokers
STATES_MAX = 4  # brokers that lag behind see earlier states than the others
REPEATED_MAX = 1024  # requests known by identity; above it they are forgotten


class KeptState:
    """The latest replies about an image at one offset, and the ids of its live brokers.

    A reply depends on the request and on a `variant`: the controller that it names, or the version
    of the API.
    """

    def __init__(self, image: Image) -> None:
        self.image = image
        self.offset = image.offset
        self.live: Sequence[int] = live_brokers(image)
        self._replies: OrderedDict[tuple[Request, int], Response] = OrderedDict()
        # A connection repeats the same object, whose fields need not be compared again.
        self._repeated: dict[tuple[int, int], tuple[Request, Response]] = {}

    def find(self, request: Request, variant: int) -> Response | None:
        """Returns the kept reply to the request; None if there is none."""
        repeated = self._repeated.get((id(request), variant))
        if repeated is not None and repeated[0] is request:
            return repeated[1]
        reply = self._replies.get((request, variant))
        if reply is not None:
            self._repeat(request, variant, reply)
        return reply

    def keep(self, request: Request, variant: int, reply: Response) -> None:
        """Keeps the reply, in place of the oldest if there are too many."""
        self._replies[request, variant] = reply
        if len(self._replies) > REPLIES_MAX:
            self._replies.popitem(last=False)
            self._repeated.clear()

    def _repeat(self, request: Request, variant: int, reply: Response) -> None:
        if len(self._repeated) >= REPEATED_MAX:
            self._repeated.clear()
        self._repeated[id(request), variant] = (request, reply)


class KeptReplies:
    """The replies of one kind of listener, about the latest states of the metadata."""

    def __init__(self) -> None:
        self._states = [KeptState(Image())]  # the first is the one of the last request

    def about(self, image: Image) -> KeptState:
        """Returns the replies about the image as it is now."""
        latest = self._states[0]
        if latest.image is image and latest.offset == image.offset:
            return latest
        return self._other(image)

    def _other(self, image: Image) -> KeptState:
        for state in self._states:
            if state.image is image and state.offset == image.offset:
                self._states.remove(state)
                break
        else:
            state = KeptState(image)
        self._states = [state, *self._states[: STATES_MAX - 1]]
        return state
