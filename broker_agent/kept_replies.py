"""Replies that are kept for as long as the image they describe stays the same.

Clients ask the same few questions all the time, and the metadata seldom changes. The same reply is
the same object, of which the wire keeps the bytes (`controller/wire/frames.py`).
"""

from collections import OrderedDict
from collections.abc import Hashable, Sequence

from kraftsim.controller.core.cluster.describe_cluster import live_brokers
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.rpc import Response

REPLIES_MAX = 32  # three APIs, a few requests of each, and as many controller ids as brokers


class KeptReplies:
    """The latest replies, by what was asked of which state of which image.

    They depend on the live brokers, which are kept as well.
    """

    def __init__(self) -> None:
        self._replies: OrderedDict[tuple[int, Hashable], tuple[Image, Response]] = OrderedDict()
        self._live: tuple[Image | None, int, Sequence[int]] = (None, -1, ())

    def live_brokers(self, image: Image) -> Sequence[int]:
        """Returns the ids of the unfenced brokers of the image."""
        known, offset, live = self._live
        if known is not image or offset != image.offset:
            live = live_brokers(image)
            self._live = (image, image.offset, live)
        return live

    def find(self, image: Image, question: Hashable) -> Response | None:
        """Returns the kept reply to the question, None if the image has changed since."""
        kept = self._replies.get((image.offset, question))
        return kept[1] if kept is not None and kept[0] is image else None

    def keep(self, image: Image, question: Hashable, reply: Response) -> None:
        """Keeps the reply, in place of the oldest if there are too many."""
        self._replies[image.offset, question] = (image, reply)
        if len(self._replies) > REPLIES_MAX:
            self._replies.popitem(last=False)
