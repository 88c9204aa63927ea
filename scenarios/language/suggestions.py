"""Helps with words of users: finds the nearest known word, and parses whole numbers."""

from collections.abc import Mapping, Sequence

DIGITS_MAX = 19  # the digits of an int64
NEAREST_MAX = 5  # words of one suggestion
PART_MIN = 3  # characters of a word that is looked for within others
SIMILARITY_MIN = 0.6  # of difflib, from 0 to 1

Known = Mapping[str, object] | Sequence[str]


def nearest(word: str, known: Known, complete_list: str = "") -> str:
    """Returns the known words that are nearest to `word`, or the list of all known words.

    If there is a `complete_list` elsewhere, such as the output of a command, and no word is near,
    returns its name instead of more than NEAREST_MAX words.
    """
    near = near_words(word, known)
    if near:
        return f"{' or '.join(map(repr, near))} (nearest)"
    if not complete_list or len(known) <= NEAREST_MAX:
        return ", ".join(known)
    return f"one of {len(known)} (all: {complete_list})"


def near_words(word: str, known: Known) -> list[str]:
    """Returns known words near `word`, at most NEAREST_MAX; none if no word is similar.

    They are those that begin with `word`, else the most similar word, else those that contain it:
    the shortest word is the first. Ignores case.
    """
    begun = [name for name in known if word and name.casefold().startswith(word.casefold())]
    return _shortest(begun) or _most_similar(word, known) or _shortest(_containing(word, known))


def _containing(word: str, known: Known) -> list[str]:
    if len(word) < PART_MIN:
        return []
    return [name for name in known if word.casefold() in name.casefold()]


def _shortest(words: list[str]) -> list[str]:
    return sorted(words, key=len)[:NEAREST_MAX]


def _most_similar(word: str, known: Known) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(word, list(known), n=1, cutoff=SIMILARITY_MIN)


def whole_number(text: str) -> int | None:
    """Returns `text` as a whole number, or None if it is none; unlike `int` it rejects 1_000."""
    if len(text) > DIGITS_MAX or not text.removeprefix("-").isdecimal():
        return None
    return int(text)
