"""Kafka's uuids: sixteen bytes, as text 22 characters of URL-safe base64 (rules 6.1-6.4).

No function of this module draws randomness itself: the caller passes the entropy.
"""

import base64
import binascii
from collections.abc import Callable

Uuid = bytes
ZERO_UUID: Uuid = bytes(16)
METADATA_TOPIC_ID: Uuid = bytes(15) + b"\x01"

# Reserved directory ids, which no broker owns (rule 1.15).
MIGRATING_DIRECTORY: Uuid = ZERO_UUID
UNASSIGNED_DIRECTORY: Uuid = bytes(15) + b"\x01"
LOST_DIRECTORY: Uuid = bytes(15) + b"\x02"

_VERSION_4, _VARIANT = 0x40, 0x80
_DASH = 62  # the six bits that "-" encodes


def uuid_text(uuid: Uuid) -> str:
    """Returns the 22 characters of a uuid."""
    return base64.urlsafe_b64encode(uuid).decode("ascii").rstrip("=")


def parse_uuid(text: str) -> Uuid:
    """Parses a uuid; raises ValueError for any other text (rule 6.3)."""
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if len(text) > 24 or len(decoded) != 16:
        raise ValueError(f"expected a uuid of 22 base64 characters, got {text!r}")
    return decoded


def random_uuid(random: Callable[[], float]) -> Uuid:
    """Returns a version 4 uuid drawn from `random`; its text has no leading '-' (rule 6.1)."""
    while True:
        drawn = [int(random() * 256) for _ in range(16)]
        drawn[6] = drawn[6] & 0x0F | _VERSION_4
        drawn[8] = drawn[8] & 0x3F | _VARIANT
        if drawn[0] >> 2 != _DASH:
            return bytes(drawn)


def is_reserved_directory(directory: Uuid) -> bool:
    """True if Kafka reserves the directory id: the upper half is 0, the lower half is below 100.

    The lower half is compared *as a signed number* (rule 1.15).
    """
    return directory[:8] == bytes(8) and int.from_bytes(directory[8:], "big", signed=True) < 100
