"""The vocabulary of the message tables: wire types, fields, structs, messages.

A table says how the versions of one message spell a core dataclass. A field is named as the
attribute of that dataclass; a struct without a model spells attributes of the object around it.
Tables stand in the order of Kafka's own schemas (clients/src/main/resources/common/message), which
is the order of the bytes and of Kafka's JSON. They are constants, known by identity; `frozen` would
say so too, for 2 ms of every start.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

LATEST = 32767  # versions are int16
NEVER = LATEST + 1
OWN_TAG = 10000  # of the fields that Kafka does not have; far above any tag of Kafka's


@dataclass(slots=True, eq=False, repr=False)
class Fixed:
    """A type of constant width. `code` is its letter in `struct`; integers have a range."""

    name: str
    code: str
    width: int
    low: int = 0
    high: int = 0


def _integer(bits: int, code: str) -> Fixed:
    return Fixed(f"int{bits}", code, bits // 8, -(1 << bits - 1), (1 << bits - 1) - 1)


BOOL = Fixed("bool", "?", 1)
INT8, INT16, INT32, INT64 = (_integer(8 << i, code) for i, code in enumerate("bhiq"))
UINT16 = Fixed("uint16", "H", 2, 0, 0xFFFF)
FLOAT64 = Fixed("float64", "d", 8)
UUID = Fixed("uuid", "16s", 16)


@dataclass(slots=True, eq=False, repr=False)
class Variable:
    """A type with a length before it."""

    name: str


STRING = Variable("string")
STRING_BYTES_MAX = 32767  # in UTF-8; Kafka reads no longer one in any encoding
BYTES = Variable("bytes")


@dataclass(slots=True, eq=False, repr=False)
class Spelled:
    """Bytes on the wire, something else in the model."""

    name: str
    encode: Callable[..., bytes]
    decode: Callable[[bytes], object]


@dataclass(slots=True, eq=False, repr=False)
class Struct:
    """Fields of `model`. Without a model they are the enclosing object's own attributes, or, as an
    element of an array, the one field is the element itself."""

    model: type | None
    fields: "tuple[Field, ...]"


@dataclass(slots=True, eq=False, repr=False)
class Array:
    """`keyed_by`: Kafka reads the elements into a map, whose first entry for a key stays (1.19)."""

    element: Fixed | Variable | Struct
    keyed_by: str | None = None


WireType = Fixed | Variable | Spelled | Struct | Array


@dataclass(slots=True, eq=False, repr=False)
class Field:
    """A field in versions `since` to `until`; null is allowed from `nullable_since` on.

    A tagged field is written only when it differs from `default`. One that is `on_demand` is
    written only when the encoder was asked for it, and always understood.
    """

    name: str
    type: WireType
    since: int = 0
    until: int = LATEST
    nullable_since: int = NEVER
    tag: int | None = None
    default: object = None
    on_demand: bool = False
    json_name: str = ""

    @property
    def json(self) -> str:
        return self.json_name or lower_camel(self.name)


@dataclass(slots=True, eq=False, repr=False)
class Message:
    """`kept`: few distinct values exist, so their encoded bodies are kept."""

    name: str
    struct: Struct
    min_version: int
    max_version: int
    flexible_since: int = 0
    kept: bool = False

    def is_flexible(self, version: int) -> bool:
        return version >= self.flexible_since

    @property
    def model(self) -> type:
        assert self.struct.model is not None, self.name
        return self.struct.model


def message(
    name: str,
    model: type,
    versions: tuple[int, int],
    *fields: Field,
    flexible_since: int = 0,
    kept: bool = False,
) -> Message:
    return Message(name, Struct(model, fields), *versions, flexible_since, kept)


def plain_fields(struct: Struct, version: int) -> Iterator[Field]:
    for field in struct.fields:
        if field.tag is None and field.since <= version <= field.until:
            yield field


def tagged_fields(struct: Struct, version: int) -> list[tuple[int, Field]]:
    """In the order in which they are written: by tag."""
    present = [
        (field.tag, field)
        for field in struct.fields
        if field.tag is not None and field.since <= version <= field.until
    ]
    return sorted(present, key=lambda pair: pair[0])


def lower_camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
