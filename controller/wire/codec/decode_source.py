"""Generates the Python source that decodes one version of one message.

The source is straight-line: a run of fixed-width fields, including the length byte of the next
field, is one `struct` call. The `__init__` of a class is four times slower than the generated code,
which creates an empty object and sets its attributes. Classes that are compiled have no empty
objects, but `from_values` (`tools/native_source.py`).

Short input raises `struct.error` or `IndexError`, which becomes `DecodeError`; slices and counts
are checked explicitly, because Python accepts short slices, and would allocate before a count
fails.
"""

from collections.abc import Mapping
from dataclasses import MISSING
from struct import error, unpack_from

from ...core.java_text import STRING_BYTES_MAX
from ..errors import DecodeError
from . import schema
from .source_writer import Namespace, SourceWriter, packing_of
from .varints import read_unsigned


def decode_source(message: schema.Message, version: int) -> tuple[str, Namespace]:
    """Returns the source of `decode(data, pos)`, and the globals that it needs.

    `decode` returns an object and the position after its bytes.
    """
    writer = _Writer(message, version, _RUNTIME, depth=2)
    result = writer.new_object(message.struct, message.name)
    writer.line(f"return {result}, pos")
    head = ["def decode(data, pos):", "  size = len(data)", *_bound(message), "  try:"]
    tail = [
        "  except (error, IndexError): raise ended(title, size) from None",
        "  except UnicodeDecodeError as bad: raise not_utf8(title, bad) from None",
    ]
    writer.names["title"] = f"{message.name} v{version}"
    return "\n".join([*head, *writer.lines, *tail]), writer.names


ELEMENTS_MAX = 40_000  # of all arrays of a request: each takes a microsecond or more to decode


def _bound(message: schema.Message) -> list[str]:
    return [f"  left = {ELEMENTS_MAX}"] if message.is_request else []


class _Writer(SourceWriter):
    def new_object(self, struct: schema.Struct, path: str) -> str:
        """Write the code that decodes `struct`; returns the name of the variable with the object.

        A struct without a model gives the bare value.
        """
        values: dict[str, str] = {}
        self._fields(struct, path, values)
        self._flush()
        if struct.model is None:
            (value,) = values.values()
            return value
        return self._build(struct.model, struct.attributes, values)

    def _build(self, model: type, defaults: Mapping[str, object], values: dict[str, str]) -> str:
        name = self._name("o")
        attributes = {
            attribute: values.get(attribute) or self._default(model, attribute, default)
            for attribute, default in defaults.items()
        }
        from_values = getattr(model, "from_values", None)
        if from_values is not None:
            self.line(f"{name} = {self._constant(from_values)}({', '.join(attributes.values())})")
            return name
        self.line(f"{name} = {self._constant(model.__new__)}({self._constant(model)})")
        for attribute, value in attributes.items():
            self.line(f"{name}.{attribute} = {value}")
        return name

    def _default(self, model: type, attribute: str, default: object) -> str:
        if default is MISSING:
            label = f"{model.__name__}.{attribute}"
            raise TypeError(f"{label}: expected a field or a default at version {self.version}")
        return self._constant(default)

    def _fields(self, struct: schema.Struct, path: str, values: dict[str, str]) -> None:
        for field in schema.plain_fields(struct, self.version):
            self._field(field, f"{path}.{field.name}", values)
        if self.flexible:
            self._tags(struct, path, values)

    def _field(self, field: schema.Field, path: str, values: dict[str, str]) -> None:
        nullable = field.nullable_since <= self.version
        value = values[field.name] = self._value(field.type, path, nullable, self._name("v"))
        if self.version < field.empty_is_null_before:
            self.line(f"{value} = {value} or None")

    def _value(self, kind: schema.WireType, path: str, nullable: bool, name: str) -> str:
        if isinstance(kind, schema.Fixed):
            self._run.append((kind.code, name))
            return name
        if isinstance(kind, schema.Struct):
            return self._nullable(kind, path, name) if nullable else self.new_object(kind, path)
        count = self._count(kind)
        self.line(f"if {count} < 0:")
        if nullable:
            self.line(f"  if {count} < -1: raise negative({path!r}, {count})")
            self.line(f"  {name} = None")
            self.line("else:")
            self._depth += 1
        else:
            self.line(f"  raise negative({path!r}, {count})")
        if isinstance(kind, schema.Array):
            self._array(kind, path, count, name)
        else:
            self._bytes(kind, path, count, name)
        self._depth -= nullable
        return name

    def _nullable(self, struct: schema.Struct, path: str, name: str) -> str:
        """Write the code that decodes a struct after a byte, which is negative for null."""
        sign = self._name("n")
        self._run.append(("b", sign))
        self._flush()
        self.line(f"{name} = None")
        self.line(f"if {sign} >= 0:")
        self._depth += 1
        found = self.new_object(struct, path)
        self._flush()
        self.line(f"{name} = {found}")
        self._depth -= 1
        return name

    def _count(self, kind: schema.WireType) -> str:
        """Write the code that decodes a length or count; -1 is null in both encodings."""
        count = self._name("n")
        if self.flexible:
            self._run.append(("B", count))
            self._flush()
            self.line(f"if {count} > 127: {count}, pos = varint(data, pos - 1)")
            self.line(f"{count} -= 1")
        else:
            self._run.append(("h" if kind is schema.STRING else "i", count))
            self._flush()
        return count

    def _bytes(
        self, kind: schema.Variable | schema.Converted, path: str, count: str, name: str
    ) -> None:
        if kind is schema.STRING and self.flexible:  # otherwise its length has 16 bits
            self.line(f"if {count} > {STRING_BYTES_MAX}: raise long({path!r}, {count})")
        self._end(path, count)
        raw = "data[pos:end]"
        if isinstance(kind, schema.Converted):
            self.line(f"{name} = {self._constant(kind.decode)}({raw})")
        else:
            self.line(f"{name} = {raw}" + (".decode()" if kind is schema.STRING else ""))
        self.line("pos = end")

    def _end(self, path: str, length: str) -> None:
        self.line(f"end = pos + {length}")
        self.line(f"if end > size: raise short({path!r}, {length}, size - pos)")

    def _array(self, kind: schema.Array, path: str, count: str, name: str) -> None:
        element = kind.element
        if isinstance(element, schema.Fixed):
            self._fixed_array(element, path, count, name)
            return
        least = least_bytes(element, self.version, self.flexible)
        self.line(f"if {count} * {least} > size - pos: raise many({path!r}, {count}, size - pos)")
        if self.is_request:
            self.line(f"left -= {count}")
            self.line(f"if left < 0: raise elements({path!r})")
        items = self._name("a")
        self.line(f"{items} = []")
        self.line(f"for _ in range({count}):")
        self._depth += 1
        value = self._value(element, f"{path}[]", False, self._name("v"))
        self._flush()
        self.line(f"{items}.append({value})")
        self._depth -= 1
        self.line(f"{name} = tuple({items})")
        if kind.keyed_by is not None:
            self.line(f"{name} = first_of_each({name}, {kind.keyed_by!r})")

    def _fixed_array(self, element: schema.Fixed, path: str, count: str, name: str) -> None:
        self._end(path, f"{count} * {element.width}")
        if element.code == "16s":
            self.line(f"{name} = tuple([data[i:i + 16] for i in range(pos, end, 16)])")
        else:
            self.line(f"{name} = unpack_from(f'>{{{count}}}{element.code}', data, pos)")
        self.line("pos = end")

    def _tags(self, struct: schema.Struct, path: str, values: dict[str, str]) -> None:
        count = self._name("t")
        self._run.append(("B", count))
        self._flush()
        known = schema.tagged_fields(struct, self.version)
        if not known:
            self.line(f"if {count}: pos = skip_tags(data, pos - 1)")
            return
        for _, field in known:
            values[field.name] = self._name("v")
            self.line(f"{values[field.name]} = {self._constant(field.default)}")
        self.line(f"if {count}:")
        self._depth += 1
        self._known_tags(count, path, known, values)
        self._depth -= 1

    def _known_tags(
        self, count: str, path: str, known: list[tuple[int, schema.Field]], values: dict[str, str]
    ) -> None:
        tag, end = self._name("tag"), self._name("e")
        self.line(f"if {count} > 127: {count}, pos = varint(data, pos - 1)")
        self.line(f"for _ in range({count}):")
        self._depth += 1
        self.line(f"{tag}, pos = varint(data, pos)")
        self.line(f"{end}, pos = varint(data, pos)")
        self.line(f"if {end} > size - pos: raise short({path!r}, {end}, size - pos)")
        self.line(f"{end} += pos")
        for number, field in known:
            self.line(f"if {tag} == {number}:")
            self._depth += 1
            self._tagged(field, f"{path}.{field.name}", values[field.name], end)
            self._depth -= 1
        self.line(f"pos = {end}")
        self._depth -= 1

    def _tagged(self, field: schema.Field, path: str, name: str, end: str) -> None:
        nullable = field.nullable_since <= self.version
        value = self._value(field.type, path, nullable, name)
        self._flush()
        if value != name:
            self.line(f"{name} = {value}")
        self.line(f"if pos != {end}: raise unlike({path!r}, {end} - pos)")

    def _flush(self) -> None:
        if not self._run:
            return
        codes = "".join(code for code, _ in self._run)
        names = "".join(f"{name}, " for _, name in self._run)
        self._run.clear()
        if codes == "B":
            self.line(f"{names.rstrip(', ')} = data[pos]; pos += 1")
            return
        packing = packing_of(codes)
        self.line(
            f"{names}= {self._constant(packing.unpack_from)}(data, pos); pos += {packing.size}"
        )


def least_bytes(kind: schema.WireType, version: int, flexible: bool) -> int:
    """Returns the smallest encoded size of a value in bytes.

    It is at least 1, so that the size of the input bounds every count.
    """
    if isinstance(kind, schema.Fixed):
        return kind.width
    if not isinstance(kind, schema.Struct):
        return 1 if flexible else 2 if kind is schema.STRING else 4
    inside = sum(
        1
        if isinstance(field.type, schema.Struct) and field.nullable_since <= version
        else least_bytes(field.type, version, flexible)
        for field in schema.plain_fields(kind, version)
    )
    return max(1, inside + flexible)


def skip_tags(data: bytes, pos: int) -> int:
    """Returns the position after the tag section at `pos`."""
    count, pos = read_unsigned(data, pos)
    for _ in range(count):
        _, pos = read_unsigned(data, pos)
        length, pos = read_unsigned(data, pos)
        if length > len(data) - pos:
            raise _short("a tagged field", length, len(data) - pos)
        pos += length
    return pos


def first_of_each(items: tuple[object, ...], key: str) -> tuple[object, ...]:
    """Returns the items without those whose attribute `key` equals that of an earlier item."""
    first: dict[object, object] = {}
    for item in items:
        first.setdefault(getattr(item, key), item)
    return items if len(first) == len(items) else tuple(first.values())


def _negative(path: str, length: int) -> DecodeError:
    received = "null" if length == -1 else f"length {length}"
    return DecodeError(f"{path}: expected a value, got {received}")


def _short(path: str, length: int, available: int) -> DecodeError:
    return DecodeError(f"{path}: expected {length} bytes, got the {available} that are left")


def _long(path: str, length: int) -> DecodeError:
    return DecodeError(f"{path}: expected at most {STRING_BYTES_MAX} bytes, got {length}")


def _elements(path: str) -> DecodeError:
    return DecodeError(f"{path}: expected at most {ELEMENTS_MAX} elements in a request, got more")


def _many(path: str, count: int, available: int) -> DecodeError:
    return DecodeError(f"{path}: expected {count} elements, got only {available} bytes")


def _unlike(path: str, difference: int) -> DecodeError:
    return DecodeError(f"{path}: expected the tagged field's own size, got {difference} bytes more")


def _ended(title: str, size: int) -> DecodeError:
    return DecodeError(f"{title}: expected more than the {size} bytes that came")


def _not_utf8(title: str, error: UnicodeDecodeError) -> DecodeError:
    return DecodeError(f"{title}: expected UTF-8, got {bytes(error.object[:64])!r}")


_RUNTIME: Namespace = {
    "error": error,
    "ended": _ended,
    "not_utf8": _not_utf8,
    "varint": read_unsigned,
    "unpack_from": unpack_from,
    "skip_tags": skip_tags,
    "first_of_each": first_of_each,
    "negative": _negative,
    "short": _short,
    "long": _long,
    "many": _many,
    "elements": _elements,
    "unlike": _unlike,
}
