"""The elements of message schemas: wire types, fields, structs, messages.

A schema describes how the versions of one message encode an object of core. A field has the name of
the object's attribute. Schemas are read from declarations (`schema_text.py`), at first use; they
are immutable, and compared by identity.
"""

from collections.abc import Callable, Iterator, Mapping

from ...core.camel_case import lower_camel
from ...core.value import value
from ..messages.grammar import LATEST as LATEST
from ..messages.grammar import NEVER as NEVER


@value(kw_only=False, eq=False)
class Fixed:
    """A type of constant width.

    `code` is its `struct` format character; integers have a range.
    """

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


@value(kw_only=False, eq=False)
class Variable:
    """A type with a length prefix."""

    name: str


STRING = Variable("string")
BYTES = Variable("bytes")


@value(kw_only=False, eq=False)
class Converted:
    """A type with its own encoding, such as the records of a Fetch response.

    On the wire it is bytes; in the model it is an object.
    """

    name: str
    encode: Callable[..., bytes]
    decode: Callable[[bytes], object]


@value(kw_only=False, eq=False)
class Struct:
    """A group of fields, decoded to an object of the class `model`.

    `attributes` has the attributes of the class in their order, with the default of each, or
    MISSING. Without a model the struct is the element of an array, and its only field is the
    element itself.
    """

    model: type | None
    fields: "tuple[Field, ...]"
    attributes: Mapping[str, object]


@value(kw_only=False, eq=False)
class Array:
    """An array of elements.

    Kafka decodes an array with `keyed_by` to a map, which keeps the first element of each key (rule
    1.19). `repeats` marks an array whose next value in a message is often the same object: its
    bytes are encoded once.
    """

    element: Fixed | Variable | Struct
    keyed_by: str | None = None
    repeats: bool = False


WireType = Fixed | Variable | Converted | Struct | Array


@value(kw_only=False, eq=False)
class Field:
    """A field of a struct, in the versions `since` to `until`.

    Null is permitted from version `nullable_since` on. A tagged field is written only if it differs
    from `default`. A field that is `on_demand` is written only by an encoder that was compiled for
    it, and always decoded. Before version `empty_is_null_before` an empty array stands for null.
    """

    name: str
    type: WireType
    since: int = 0
    until: int = LATEST
    nullable_since: int = NEVER
    tag: int | None = None
    default: object = None
    on_demand: bool = False
    empty_is_null_before: int = 0
    json_name: str = ""

    @property
    def json(self) -> str:
        """The field's name in JSON."""
        return self.json_name or lower_camel(self.name)


@value(kw_only=False, eq=False)
class Message:
    """The schema of a message in all of its versions.

    If `is_cached`, encoded bodies are cached, because the message has few distinct values. If
    `is_shared`, they are cached for the last objects, because the same object is sent often.
    `check` raises DecodeError for a decoded object that Kafka's parser refuses.
    """

    name: str
    struct: Struct
    min_version: int
    max_version: int
    flexible_since: int = 0
    is_cached: bool = False
    is_shared: bool = False
    check: Callable[..., None] | None = None

    def is_flexible(self, version: int) -> bool:
        """True if the version uses compact lengths and tagged fields."""
        return version >= self.flexible_since

    @property
    def is_request(self) -> bool:
        """True for the message that a client sends, by Kafka's name for it."""
        return self.name.endswith("Request")

    @property
    def model(self) -> type:
        """The dataclass that the message encodes."""
        assert self.struct.model is not None, self.name
        return self.struct.model


def plain_fields(struct: Struct, version: int) -> Iterator[Field]:
    """Yields the untagged fields of a version."""
    for field in struct.fields:
        if field.tag is None and field.since <= version <= field.until:
            yield field


def tagged_fields(struct: Struct, version: int) -> list[tuple[int, Field]]:
    """Returns the tagged fields of a version with their tags, in the order of the tags."""
    present = [
        (field.tag, field)
        for field in struct.fields
        if field.tag is not None and field.since <= version <= field.until
    ]
    return sorted(present, key=lambda pair: pair[0])
