"""Reads and writes tests/released/novelties.txt: a row for each thing that a release brought.

The tests read the table, because not every machine has the jars.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

TABLE = Path(__file__).with_name("novelties.txt")
HEAD = """\
# What each release of Kafka brought. Generated: `python -m tests.released.novelties`; do not edit.
# release|kind|classes or message|text
"""


class Kind(StrEnum):
    TEXT = "text"
    KEY = "key"
    MESSAGE = "message"
    VERSIONS = "versions"
    FIELD = "field"


@dataclass(frozen=True, slots=True)
class Novelty:
    """A thing that the release before does not have.

    `classes` are all classes that hold the text, without `org.apache.kafka.`, or the message.
    """

    release: str
    kind: Kind
    classes: tuple[str, ...]
    text: str


def text_of(novelties: Iterable[Novelty]) -> str:
    return HEAD + "".join(
        f"{row.release}|{row.kind}|{','.join(row.classes)}|{row.text}\n" for row in novelties
    )


def parse(text: str) -> list[Novelty]:
    rows = [line.split("|", 3) for line in text.removeprefix(HEAD).splitlines()]
    return [
        Novelty(release, Kind(kind), tuple(classes.split(",")), words)
        for release, kind, classes, words in rows
    ]


def novelties() -> list[Novelty]:
    return parse(TABLE.read_text("utf-8"))
