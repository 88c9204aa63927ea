"""The bases of the classes that are written from declarations (`wire/messages`).

Their `__init__` is written out, because to generate it for hundreds of classes at import would take
half of the start of a service. They are compared by what is here, because methods of each class
would be half of the bytes that a start reads. To `dataclasses.replace` and `fields` they are
dataclasses. The type checker refuses to set an attribute after creation; at run time nothing does,
as with `value`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, make_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, cast


class _FieldsOfClass:
    """The attribute by which `dataclasses` knows the fields of a class, made when it is read."""

    def __get__(self, _: object, owner: type) -> dict[str, Field[Any]]:
        return _fields_of(owner)


@cache
def _fields_of(owner: Any) -> dict[str, Field[Any]]:
    given = owner.ATTRIBUTES or dict.fromkeys(_slots_of(owner), MISSING) | (
        getattr(owner.__init__, "__kwdefaults__", None) or {}
    )
    twin = make_dataclass(
        owner.__name__,
        [(name, object, default) for name, default in given.items()],
        kw_only=True,
        init=False,
        repr=False,
        eq=False,
        namespace={"__doc__": "-"},  # without one, `dataclasses` writes one, which takes long
    )
    fields: dict[str, Field[Any]] = vars(twin)["__dataclass_fields__"]
    return fields


class Structure:
    """A value of named attributes. Structures of one class are compared by their attributes."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]] = cast(Any, _FieldsOfClass())
    ATTRIBUTES: ClassVar[Mapping[str, object]] = {}
    """The attributes of a compiled class, which has no slots, with the default of each, or MISSING
    (`tools/native_source.py`)."""
    ELEMENTS: ClassVar[Mapping[str, type[Structure]]] = {}
    """The classes of the elements of arrays, of a response and its parts."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _values_of(self) == _values_of(other)

    def __hash__(self) -> int:
        return hash(_values_of(self))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
        return f"{type(self).__name__}({inside})"


def _values_of(message: Any) -> object:
    return _reader_of(message.__class__)(message)


@cache
def _reader_of(owner: Any) -> Callable[[object], object]:
    """Returns a function that returns the attributes of an object, of several a tuple."""
    names = tuple(owner.ATTRIBUTES or _slots_of(owner))
    return attrgetter(*names) if names else lambda _: ()


def _slots_of(owner: type) -> tuple[str, ...]:
    """Returns the names of the slots; a compiled class without attributes has none."""
    return getattr(owner, "__slots__", ())


class Response(Structure):
    """A response, without a version."""

    __slots__ = ()


class Request(Structure):
    """A request, without a version."""

    __slots__ = ()
    api_key: ClassVar[int]
    RESPONSE: ClassVar[type[Response]]
    """The class of the responses to it."""


class Record(Structure):
    """A record of the metadata log. `api_key` is its type, as Kafka numbers the types."""

    __slots__ = ()
    api_key: ClassVar[int]


class ControlRecord(Structure):
    """A record that the quorum writes for itself. `api_key` is its control record type."""

    __slots__ = ()
    api_key: ClassVar[int]
