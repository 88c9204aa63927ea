"""What a run was, in one number: every message that arrived, and every event, in order.

Two runs of one seed have the same digest, on every machine and under every PYTHONHASHSEED; two
different runs practically never have.
"""

import hashlib
import json
from struct import Struct
from zlib import crc32

from .journal import EventRow
from .network import Message
from .world import World

MESSAGE = Struct("<qqqqq")  # when, from whom, to whom, is it a reply, a number for its kind


class Digest:
    def __init__(self, world: World) -> None:
        self._timeline = world.timeline
        self._arrivals = 0  # a running CRC: there are many, and a hash of each would cost more
        self._kinds: dict[type, int] = {}
        self._rows = hashlib.blake2b(digest_size=16)
        world.network.arrived.append(self._arrived)
        world.journal.listeners.append(self._wrote)

    def _arrived(self, message: Message) -> None:
        request = message.request
        kind = self._kinds.get(request.__class__)
        if kind is None:
            kind = self._kinds[request.__class__] = crc32(request.__class__.__name__.encode())
        now_us, is_reply = self._timeline.now_us, message.is_reply
        said = MESSAGE.pack(now_us, message.sender, message.receiver, is_reply, kind)
        self._arrivals = crc32(said, self._arrivals)

    def _wrote(self, row: EventRow) -> None:
        detail = json.dumps(row.detail, sort_keys=True)
        said = (row.t_us, row.node, row.kind, row.broker_id, row.broker_epoch, row.offset, detail)
        self._rows.update(repr(said).encode())

    def text(self) -> str:
        """As it is printed and pinned."""
        whole = self._rows.copy()
        whole.update(b"%d" % self._arrivals)
        return f"b2:{whole.hexdigest()}"
