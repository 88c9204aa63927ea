"""`include: [parts/three-racks.yaml]`: words that several files share stand in one of their own.

Paths count from the file that includes. What it says itself is laid over what it includes, and what
stands later in the list over what stands before.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from kraftsim.scenarios.language.constraints import Bare
from kraftsim.scenarios.language.layers import laid_over
from kraftsim.scenarios.language.reading import Problem, read

from .yaml_document import Document, Place, read_document

DEPTH_MAX = 5  # of files that include others: nobody finds a word again below that
KEY = "include"


def read_whole(path: Path, chain: tuple[Path, ...] = ()) -> Document:
    """The document with everything that it includes; CommandError for files that are not there, or
    go round in a circle."""
    document = read_document(path)
    chain = (*chain, path.resolve())
    if not isinstance(document.value, Mapping) or KEY not in document.value:
        return document
    words: dict[str, object] = {}
    lines: dict[Place, str] = {}
    for number, name in enumerate(_names(document)):
        place = (KEY, number) if isinstance(document.value[KEY], list) else (KEY,)
        inside = _included(document, path, name, place, chain)
        words = laid_over(words, inside.value)
        lines |= inside.lines
    own = {key: value for key, value in document.value.items() if key != KEY}
    return Document(laid_over(words, own), lines | document.lines)


def _names(document: Document) -> tuple[str, ...]:
    try:
        names: tuple[str, ...] = read(
            Annotated[tuple[str, ...], Bare()], document.value[KEY], (KEY,)
        )
    except Problem as problem:
        raise document.error(problem) from None
    return names


def _included(
    document: Document, path: Path, name: str, place: Place, chain: tuple[Path, ...]
) -> Document:
    target = path.parent / name
    if Path(name).is_absolute():
        what = f"expected a path that counts from this file, got {name!r}"
    elif not target.is_file():
        what = f"no such file: {target}"
    elif target.resolve() in chain:
        what = f"includes itself: {' -> '.join(one.name for one in (*chain, target.resolve()))}"
    elif len(chain) >= DEPTH_MAX:
        what = f"expected at most {DEPTH_MAX} files that include one another"
    else:
        inside = read_whole(target, chain)
        if isinstance(inside.value, Mapping):
            return inside
        what = f"expected words and their values in {target}"
    raise document.error(Problem(place, what))
