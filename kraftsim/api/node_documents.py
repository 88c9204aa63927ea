"""The JSON documents about nodes that run a user's code."""

from typing import TypedDict


class NodeDocument(TypedDict):
    """A process of a user; `error` is what its code raised, after file and line, if it did."""

    name: str
    state: str
    rack: str | None
    error: str | None


class NodeList(TypedDict):
    """The nodes of a user, in the order in which they were added."""

    nodes: list[NodeDocument]
