"""The types of the JSON documents of an administrator's operations. Keys are in lowerCamel."""

from typing import TypedDict


class DeletedTopic(TypedDict):
    """A topic that was deleted."""

    name: str
