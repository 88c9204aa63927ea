"""Decodes replies. The batches of a Fetch stay bytes: those of a consumer hold no metadata."""

from functools import cache
from typing import Any

from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.compiler import decoder
from kraftsim.controller.wire.codec.schema import Converted, Message
from kraftsim.controller.wire.codec.schema_text import read_messages
from kraftsim.controller.wire.frames import decode_response
from kraftsim.controller.wire.json.json_form import to_json

FETCH = 1
CORRELATION_ID_BYTES, NO_TAGS_BYTES = 4, 1


def document_of(key: int, version: int, frame: bytes) -> Any:
    """The reply as JSON, with the fields of its version."""
    if key != FETCH:
        return to_json(APIS[key].response, decode_response(key, version, frame)[1], version)
    pos = CORRELATION_ID_BYTES + (NO_TAGS_BYTES if APIS[FETCH].is_flexible(version) else 0)
    message = _fetched()
    return to_json(message, decoder(message, version)(frame, pos)[0], version)


@cache
def _fetched() -> Message:
    as_bytes = Converted("records", bytes, bytes)
    _, response = read_messages(APIS[FETCH].declaration, {"records": as_bytes})
    return response
