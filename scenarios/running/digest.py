"""What a run was, in one number: every message that arrived, and every event, in order.

Two runs of one seed have the same digest, on every machine and under every PYTHONHASHSEED; two
different runs practically never have.
"""

import hashlib
import json
from struct import pack
from zlib import crc32

from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

SAID_MAX = 5_000  # numbers that wait to be summed, because each call costs more than its sum


class Digest:
    def __init__(self, world: World) -> None:
        self._timeline = world.timeline
        self._arrivals = 0  # a running CRC: there are many, and a hash of each would cost more
        self._said: list[int] = []
        self._kinds: dict[type, int] = {}
        self._rows = hashlib.blake2b(digest_size=16)
        world.network.arrived.append(self._arrived)
        world.journal.listeners.append(self._wrote)

    def _arrived(self, message: Message) -> None:
        request = message.request
        kind = self._kinds.get(type(request))
        if kind is None:
            kind = self._kinds[type(request)] = crc32(type(request).__name__.encode())
        said = self._said
        said += (
            self._timeline.now_us,
            message.sender.number,
            message.receiver.number,
            message.is_reply,
            kind,
        )
        if len(said) >= SAID_MAX:
            self._sum()

    def _sum(self) -> None:
        said, self._said = self._said, []
        self._arrivals = crc32(pack(f"<{len(said)}q", *said), self._arrivals)

    def _wrote(self, row: EventRow) -> None:
        detail = json.dumps(row.detail, sort_keys=True)
        said = (row.t_us, row.node, row.kind, row.broker_id, row.broker_epoch, row.offset, detail)
        self._rows.update(repr(said).encode())

    def text(self) -> str:
        """As it is printed and pinned."""
        self._sum()
        whole = self._rows.copy()
        whole.update(b"%d" % self._arrivals)
        return f"b2:{whole.hexdigest()}"
