"""Words that a user gave: what they were meant to be, and the whole numbers among them."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

DIGITS_MAX = 19  # of an int64


def nearest(word: str, known: Mapping[str, object] | Sequence[str]) -> str:
    """The known word that `word` was probably meant to be, or all of them."""
    close = get_close_matches(word, list(known), n=1)
    return f"{close[0]!r} (nearest)" if close else ", ".join(known)


def whole_number(text: str) -> int | None:
    """The number that `text` spells, None if it spells none; `int` alone would take 1_000 too."""
    if len(text) > DIGITS_MAX or not text.removeprefix("-").isdecimal():
        return None
    return int(text)
