"""`include: [parts/three-racks.yaml]`: reads the files that a scenario file includes.

Paths are relative to the including file. Values of the including file override those of the
included files; later files of the list override earlier ones.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from kraftsim.scenarios.language.constraints import Bare
from kraftsim.scenarios.language.layers import laid_over
from kraftsim.scenarios.language.reading import Problem, read

from .yaml_document import Document, Place, read_document

DEPTH_MAX = 5  # levels of includes; deeper chains are hard to follow for a reader
KEY = "include"


def read_whole(path: Path, chain: tuple[Path, ...] = ()) -> Document:
    """Reads a file with everything that it includes.

    Raises UsageError if an included file does not exist or if files include each other in a cycle.
    """
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
        what = f"expected a path relative to this file, got {name!r}"
    elif not target.is_file():
        what = f"no such file: {target}"
    elif target.resolve() in chain:
        what = f"includes itself: {' -> '.join(path.name for path in (*chain, target.resolve()))}"
    elif len(chain) >= DEPTH_MAX:
        what = f"expected at most {DEPTH_MAX} files that include one another"
    else:
        inside = read_whole(target, chain)
        if isinstance(inside.value, Mapping):
            return inside
        what = f"expected a mapping in {target}"
    raise document.error(Problem(place, what))
