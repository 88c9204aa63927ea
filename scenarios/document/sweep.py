"""Sweeps: `sweep: {pause: [1s, 9s]}` turns one file into one scenario (a cell) per value.

In each cell `$pause` stands for the value of that cell. A sweep over several names has a cell for
every combination of values. A seed draws the same random numbers in all cells: cells differ only by
the swept values, and adding a value does not change the other cells.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from ..language.reading import Path, Problem, mapping
from ..language.selectors import EACH
from ..language.spelling import as_written, in_short

CELLS_MAX = 1000
Sweep = Mapping[str, tuple[object, ...]]


def cells(document: object) -> Iterator[Mapping[str, object]]:
    """Yields the documents of all cells in the order of their values.

    A document without a sweep is its own only cell.

    Raises Problem for an empty sweep, or for more than 1,000 combinations.
    """
    words = mapping(document, ())
    sweep = _sweep(words)
    if prod(len(values) for values in sweep.values()) > CELLS_MAX:
        raise Problem(("sweep",), f"expected at most {CELLS_MAX} cells (combinations of values)")
    for chosen in product(*sweep.values()):
        cell = dict(zip(sweep, chosen, strict=True))
        rest = {key: _put(value, cell) for key, value in words.items() if key != "sweep"}
        yield rest | ({"sweep": {name: [value] for name, value in cell.items()}} if cell else {})


def swept(document: object, values: Mapping[str, tuple[object, ...]]) -> object:
    """Returns the document with a sweep over `values`, and without pins if there are values.

    A name in `values` is a name in the sweep of the document, or the path of a word, as in
    `cluster.brokers`. Raises Problem for a path that does not exist.
    """
    words = dict(mapping(document, ()))
    if values:
        words.pop("pins", None)
    sweep = dict(mapping(words.get("sweep", {}), ("sweep",)))
    for name, chosen in values.items():
        if name not in sweep:
            words = _refer(words, name.split("."), f"${name}", ())
        sweep[name] = list(chosen)
    return words | ({"sweep": sweep} if sweep else {})


def _refer(
    words: Mapping[str, object], parts: list[str], value: str, path: Path
) -> dict[str, object]:
    """Returns `words` with `value` at the path `parts`.

    If the value at a part is not a block, the rest of the path is one word, because the names
    of Kafka's settings contain dots.
    """
    first, *rest = parts
    inner = words.get(first, {} if not path else None)
    if not rest or not isinstance(inner, Mapping):
        if rest and not path:
            raise Problem((first,), f"expected a block, got {in_short(inner)}")
        return {**words, ".".join(parts): value}
    return {**words, first: _refer(inner, rest, value, (*path, first))}


def values_of(sweep: Sweep) -> tuple[str, ...]:
    """Returns the values of a cell as texts, as in `pause=9s`; they name the cell."""
    return tuple(f"{name}={as_written(value)}" for name, (value, *_) in sweep.items())


def _sweep(words: Mapping[str, object]) -> Sweep:
    sweep = {
        name: _values(values, ("sweep", name))
        for name, values in mapping(words.get("sweep", {}), ("sweep",)).items()
    }
    rest = {key: value for key, value in words.items() if key != "sweep"}
    bound = words.get("let")
    for name, values in sweep.items():
        if name == EACH or (isinstance(bound, Mapping) and name in bound):
            raise Problem(("sweep", name), f"expected another name: ${name} is the name of a node")
        if len(values) > 1 and not _refers(rest, name):
            raise Problem(
                ("sweep", name),
                f"expected a use of ${name} in the file, got none: all its cells would be the same",
            )
    return sweep


def _values(values: object, path: Path) -> tuple[object, ...]:
    if not isinstance(values, list | tuple) or not values:
        raise Problem(path, f"expected a list of values, got {in_short(values)}")
    if len({as_written(value) for value in values}) < len(values):
        raise Problem(path, f"expected each value once, got {in_short(values)}")
    return tuple(values)


def _put(document: object, cell: Mapping[str, object]) -> object:
    """Returns the document with the values of the cell in place of every `$name`."""
    match document:
        case str() if document.startswith("$") and document[1:] in cell:
            return cell[document[1:]]
        case Mapping():
            return {key: _put(item, cell) for key, item in document.items()}
        case list():
            return [_put(item, cell) for item in document]
        case _:
            return document


def _refers(document: object, name: str) -> bool:
    match document:
        case str():
            return document == f"${name}"
        case Mapping():
            return any(_refers(item, name) for item in document.values())
        case list():
            return any(_refers(item, name) for item in document)
        case _:
            return False
