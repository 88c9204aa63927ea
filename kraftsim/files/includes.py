"""`include: [parts/three-racks.yaml]`: reads the files that a scenario file includes.

Paths are relative to the including file and stay inside its folder. Values of the including file
override those of the included files; later files of the list override earlier ones.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from kraftsim.scenarios.language.constraints import Bare
from kraftsim.scenarios.language.layers import laid_over
from kraftsim.scenarios.language.reading import Problem, read

from .contained import contained
from .yaml_document import Document, KeyPath, read_document

DEPTH_MAX = 5  # levels of includes; deeper chains are hard to follow for a reader
KEY = "include"


def read_whole(path: Path, chain: tuple[Path, ...] = ()) -> Document:
    """Reads a file with everything that it includes.

    Raises UsageError if an included file does not exist or is outside the folder of the including
    file, or if files include each other in a cycle.
    """
    document = read_document(path)
    chain = (*chain, path.resolve())
    if not isinstance(document.value, Mapping) or KEY not in document.value:
        return document
    values: dict[str, object] = {}
    lines: dict[KeyPath, str] = {}
    for number, name in enumerate(_names(document)):
        key_path = (KEY, number) if isinstance(document.value[KEY], list) else (KEY,)
        inside = _included(document, path, name, key_path, chain)
        values = laid_over(values, inside.value)
        lines |= inside.lines
    own = {key: value for key, value in document.value.items() if key != KEY}
    return Document(laid_over(values, own), lines | document.lines)


def _names(document: Document) -> tuple[str, ...]:
    try:
        names: tuple[str, ...] = read(
            Annotated[tuple[str, ...], Bare()], document.value[KEY], (KEY,)
        )
    except Problem as problem:
        raise document.error(problem) from None
    return names


def _included(
    document: Document, path: Path, name: str, key_path: KeyPath, chain: tuple[Path, ...]
) -> Document:
    try:
        target = contained(path.parent, name)
    except ValueError as error:
        raise document.error(Problem(key_path, str(error))) from None
    if not target.is_file():
        text = f"no such file: {target}"
    elif target.resolve() in chain:
        text = f"includes itself: {' -> '.join(path.name for path in (*chain, target.resolve()))}"
    elif len(chain) >= DEPTH_MAX:
        text = f"expected at most {DEPTH_MAX} files that include one another"
    else:
        inside = read_whole(target, chain)
        if isinstance(inside.value, Mapping):
            return inside
        text = f"expected a mapping in {target}"
    raise document.error(Problem(key_path, text))
