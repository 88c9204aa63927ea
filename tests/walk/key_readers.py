"""Reads tests/walk/key_readers.txt: which classes of Kafka read each configuration of a node.

The tests read the table, because not every machine has the jars.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("key_readers.txt")
HEAD = """\
# Who reads a configuration. Generated: `python -m tests.released.key_readers`; do not edit.
# key|classes that run in a controller|other classes
"""


@dataclass(frozen=True, slots=True)
class KeyReaders:
    """The classes that read a configuration: those that run in a controller, and the others."""

    key: str
    in_controllers: tuple[str, ...]
    elsewhere: tuple[str, ...]


# GroupConfig.validateValues, which runs in a controller, reads it with other configurations.
_READ_WITH_OTHERS = ("group.streams.assignors",)


def text_of(rows: Iterable[KeyReaders]) -> str:
    return HEAD + "".join(
        f"{row.key}|{','.join(row.in_controllers)}|{','.join(row.elsewhere)}\n" for row in rows
    )


@cache
def key_readers() -> Mapping[str, KeyReaders]:
    """Returns the rows of the table by key."""
    found = {}
    for line in TABLE.read_text("utf-8").removeprefix(HEAD).splitlines():
        key, *columns = line.split("|")
        running, others = (tuple(filter(None, column.split(","))) for column in columns)
        found[key] = KeyReaders(key, running, others)
    return found


def is_ignored_by_controllers(key: str) -> bool:
    """Returns True if classes read a configuration, and none of them runs in a controller."""
    row = key_readers()[key]
    return bool(row.elsewhere) and not row.in_controllers and key not in _READ_WITH_OTHERS
