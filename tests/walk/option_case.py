"""A line of the command line, and lines in which one option differs."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from kraftsim.scenarios.document.own_node import OwnNode

TOPIC = ("topic create t --partitions 2 --replication-factor 2",)


async def waits(kraft: object) -> None:
    """The code of the nodes `a` and `b`, with which the lines of `node` run."""
    await asyncio.Event().wait()


NODES = {name: OwnNode(main="tests.walk.option_case:waits") for name in ("a", "b")}


@dataclass(frozen=True, slots=True)
class Case:
    """A line, and for each option or argument a line in which only that differs."""

    line: str
    changes: Mapping[str, str]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
