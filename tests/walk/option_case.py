"""A line of the command line, and lines in which one option differs."""

from collections.abc import Mapping
from dataclasses import dataclass

TOPIC = ("topic create t --partitions 2 --replication-factor 2",)


@dataclass(frozen=True, slots=True)
class Case:
    """A line, and for each option or argument a line in which only that differs."""

    line: str
    changes: Mapping[str, str]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
