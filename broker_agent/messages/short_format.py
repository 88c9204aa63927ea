"""What frames of one version have around a batch, an offset or a few numbers.

It is found by encoding a request and its response once, with a mark in the place of what changes.
"""

from collections.abc import Sequence
from dataclasses import replace
from struct import Struct
from typing import Any, Protocol

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.varints import read_unsigned, unsigned
from kraftsim.controller.wire.frames import Exchange, encode_request, encode_response

from ..log.batch import BadBatch, Data
from ..log.producers import OutOfOrder, StaleEpoch
from ..log.validation import Refused

LENGTH, NUMBER, NUMBERS = Struct(">i"), Struct(">q"), Struct(">qqq")
CORRELATION = slice(8, 12)  # in a request with its length
BODY = 12  # in a request with its length: of the client id and what follows
_REPLY_BODY = 8  # in a reply with its length
# What stands in the place of a batch and of three numbers, while a frame is taken apart.
MARK = bytes(range(100, 164))
MARKS = (0x6B72_6166_7473_696D, 0x6B72_6166_7473_696D, 0x686D_6172_6B65_6421)


class Client(Protocol):
    """A connection whose request is answered later."""

    def send(self, pieces: Sequence[bytes], /) -> None:
        """Sends the pieces of a frame."""

    def reply(self, reply: Reply, /) -> None:
        """Encodes and sends a reply."""


class Unusual(Exception):
    """The general path has to answer."""


LEFT_TO_GENERAL_PATH = (ApiError, Refused, OutOfOrder, StaleEpoch, BadBatch, Unusual)


class Format:
    """How the version of an exchange encodes requests, replies, and the lengths of records."""

    def __init__(self, exchange: Exchange) -> None:
        self._header = exchange.header
        self._is_flexible = APIS[exchange.header.api_key].is_flexible(exchange.version)
        self.mark_bytes = len(self.length(len(MARK)))

    def length(self, size: int) -> bytes:
        """Returns a length of records."""
        return unsigned(size + 1) if self._is_flexible else LENGTH.pack(size)

    def read_length(self, frame: Data, position: int) -> tuple[int, int]:
        """Returns the length of records at a position, and the position behind it."""
        if self._is_flexible:
            size, position = read_unsigned(frame, position)
            return size - 1, position
        size = LENGTH.unpack_from(frame, position)[0]
        return size, position + LENGTH.size

    def request(self, request: Request, value: bytes) -> tuple[bytes, bytes]:
        """Returns what stands before a value in a request, from the client id on, and behind it."""
        key, version, number, client_id, _ = self._header
        frame = encode_request(key, version, number, client_id, request)
        head, _, tail = frame[BODY:].partition(value)
        return head, tail

    def reply(self, response: Any, value: bytes) -> tuple[bytes, bytes]:
        """Returns what stands before a value in a reply, from its correlation id on, and behind."""
        frame = encode_response(self._header.api_key, self._header.api_version, 0, response)
        head, _, tail = frame[_REPLY_BODY:].partition(value)
        return head, tail


def changed(value: Any, **changes: object) -> Any:
    """Returns a copy of a request, or of a part of it, with other values."""
    return replace(value, **changes)
