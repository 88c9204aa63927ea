"""Helps with words of users: finds the nearest known word, and parses whole numbers."""

from collections.abc import Mapping, Sequence

DIGITS_MAX = 19  # the digits of an int64
NEAREST_MAX = 5  # words of one suggestion

Known = Mapping[str, object] | Sequence[str]


def nearest(word: str, known: Known, complete_list: str = "") -> str:
    """Returns the known words that are nearest to `word`, or the list of all known words.

    If there is a `complete_list` elsewhere, such as the output of a command, returns at most
    NEAREST_MAX words and the name of the list.
    """
    near = near_words(word, known)
    if near:
        return f"{' or '.join(map(repr, near))} (nearest)"
    if not complete_list or len(known) <= NEAREST_MAX:
        return ", ".join(known)
    examples = _most_similar(word, known, similarity_min=0.0)
    return f"{', '.join(examples)} or another of {len(known)} (all: {complete_list})"


def near_words(word: str, known: Known) -> list[str]:
    """Returns up to NEAREST_MAX known words that begin with `word`, else the most similar word.

    The shortest word is the first. Returns no word if none is similar. Ignores case.
    """
    begun = [name for name in known if word and name.casefold().startswith(word.casefold())]
    return sorted(begun, key=len)[:NEAREST_MAX] or _most_similar(word, known)[:1]


def _most_similar(word: str, known: Known, similarity_min: float = 0.6) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(word, list(known), n=NEAREST_MAX, cutoff=similarity_min)


def whole_number(text: str) -> int | None:
    """Returns `text` as a whole number, or None if it is none; unlike `int` it rejects 1_000."""
    if len(text) > DIGITS_MAX or not text.removeprefix("-").isdecimal():
        return None
    return int(text)
