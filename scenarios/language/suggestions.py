"""Helps with words of users: finds the nearest known word, and parses whole numbers."""

from collections.abc import Mapping, Sequence

DIGITS_MAX = 19  # the digits of an int64


def nearest(word: str, known: Mapping[str, object] | Sequence[str]) -> str:
    """Returns the known word that is nearest to `word`, or the list of all known words."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), n=1)
    return f"{close[0]!r} (nearest)" if close else ", ".join(known)


def whole_number(text: str) -> int | None:
    """Returns `text` as a whole number, or None if it is none; unlike `int` it rejects 1_000."""
    if len(text) > DIGITS_MAX or not text.removeprefix("-").isdecimal():
        return None
    return int(text)
