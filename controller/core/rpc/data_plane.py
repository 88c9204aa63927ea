"""Requests that need stored messages, groups or transactions, which kraftsim does not have.

Their classes are made from a text with their schemas (`controller/wire/data_plane`), because only
two things are done with them: a broker's listener refuses them, or answers that there is nothing.
"""

from typing import ClassVar

ELEMENT = "element"  # in the metadata of an array of structs: the class of its elements


class DataPlaneResponse:
    """A response of one of these APIs; without arguments it says that there is nothing."""

    __slots__ = ()


class DataPlaneRequest:
    """A request of one of these APIs. `response` is the class of its responses."""

    __slots__ = ()
    api_key: ClassVar[int]
    response: ClassVar[type[DataPlaneResponse]]
