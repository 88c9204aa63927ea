"""The digest of a run: a hash of every arrived message and every journal row, in order.

Two runs of one seed have the same digest on every machine and with every PYTHONHASHSEED. Two
different runs practically never have the same digest.
"""

import hashlib
import json
from struct import pack
from zlib import crc32

from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

NUMBERS_MAX = 5_000  # numbers that are summed in one call, because a call costs more than its sum


class Digest:
    """Computes the digest of a world's messages and journal rows while the world runs."""

    def __init__(self, world: World) -> None:
        self._timeline = world.timeline
        self._arrivals = 0  # a running CRC, which is cheaper than a hash for each of many messages
        self._numbers: list[int] = []
        self._kinds: dict[type, int] = {}
        self._rows = hashlib.blake2b(digest_size=16)
        world.network.arrived.append(self._arrived)
        world.journal.listeners.append(self._wrote)

    def _arrived(self, message: Message) -> None:
        request = message.request
        kind = self._kinds.get(type(request))
        if kind is None:
            kind = self._kinds[type(request)] = crc32(type(request).__name__.encode())
        numbers = self._numbers
        numbers += (
            self._timeline.now_us,
            message.sender.number,
            message.receiver.number,
            message.is_reply,
            kind,
        )
        if len(numbers) >= NUMBERS_MAX:
            self._sum()

    def _sum(self) -> None:
        numbers, self._numbers = self._numbers, []
        self._arrivals = crc32(pack(f"<{len(numbers)}q", *numbers), self._arrivals)

    def _wrote(self, row: EventRow) -> None:
        detail = json.dumps(row.detail, sort_keys=True)
        values = (row.t_us, row.node, row.kind, row.broker_id, row.broker_epoch, row.offset, detail)
        self._rows.update(repr(values).encode())

    def text(self) -> str:
        """Returns the digest as text: `b2:` and hexadecimal digits."""
        self._sum()
        whole = self._rows.copy()
        whole.update(b"%d" % self._arrivals)
        return f"b2:{whole.hexdigest()}"
