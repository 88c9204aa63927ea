"""Generates the Python source that encodes one version of one message.

It mirrors `decode_source`. The body is a list of pieces, joined once. A run of fixed-width fields
is one `struct` call; a body that is a single run is returned without a list.

The source of `encode_in_steps` is that of a generator, which yields between elements of arrays: the
metadata of 100,000 partitions takes 0.2 s to encode, in which no heartbeat would be answered.
"""

from functools import cache
from struct import Struct as Packing

from . import schema
from .source_writer import Namespace, SourceWriter, packing_of
from .varints import SMALL, unsigned

FEW = 9  # array lengths with a cached packing: more replicas than a partition has
PIECES_AT_ONCE = 1_500  # of a step; they take about a millisecond
CACHED_BODIES_MAX = 1024  # cached bodies of one message and version; above it the cache is cleared


def encode_source(message: schema.Message, version: int, on_demand: bool) -> tuple[str, Namespace]:
    """Returns the source of `encode(o)`, and the globals that it needs.

    `encode` returns the bytes of the body of the object `o`.
    """
    writer = _Writer(message, version, on_demand)
    writer.struct(message.struct, "o")
    body = writer.finish()
    if not message.is_cached:
        return "\n".join(["def encode(o):", *body]), writer.names
    return _cached_source(message, version, body), writer.names | {"bodies": {}}


def encode_in_steps_source(
    message: schema.Message, version: int, on_demand: bool
) -> tuple[str, Namespace]:
    """Returns the source of a generator that encodes the body of an object `o` in steps.

    The generator returns the bytes.
    """
    writer = _Writer(message, version, on_demand, in_steps=True)
    writer.struct(message.struct, "o")
    *body, last = writer.finish()
    end = ["  chunks.append(join(pieces))", last.replace("pieces", "chunks")]
    return "\n".join(["def encode(o):", "  chunks = []", *body, *end]), writer.names


def has_rows(message: schema.Message, version: int) -> bool:
    """True if a version of a message has an array of structs, so that its size has no bound."""
    return any(
        isinstance(field.type, schema.Array) and isinstance(field.type.element, schema.Struct)
        for field in schema.plain_fields(message.struct, version)
    )


def _cached_source(message: schema.Message, version: int, body: list[str]) -> str:
    """Returns the source with a cache of bodies, whose key is the values of the fields."""
    names = [field.name for field in schema.plain_fields(message.struct, version)]
    lookup = [
        f"  key = ({''.join(f'o.{name}, ' for name in names)})",
        "  cached = bodies.get(key)",
        "  if cached is not None: return cached",
        f"  if len(bodies) >= {CACHED_BODIES_MAX}: bodies.clear()",
    ]
    *most, last = body
    return "\n".join(
        [
            "def encode(o):",
            *lookup,
            *most,
            last.replace("return ", "body = "),
            "  bodies[key] = body",
            "  return body",
        ]
    )


class _Writer(SourceWriter):
    LITERALS = SourceWriter.LITERALS | bytes

    def __init__(
        self, message: schema.Message, version: int, on_demand: bool, in_steps: bool = False
    ) -> None:
        super().__init__(message, version, _RUNTIME, depth=1)
        self._on_demand = on_demand
        self._in_steps = in_steps
        self._add = "add"  # name of the function that appends to the current list of pieces
        self._before: list[str] = []  # lines before the first

    def finish(self) -> list[str]:
        if not self.lines:
            return [f"  return {self._packed()}"]
        self._flush()
        head = ["  pieces = []", "  add = pieces.append", *self._before]
        return [*head, *self.lines, "  return join(pieces)"]

    def struct(self, struct: schema.Struct, source: str) -> None:
        for field in schema.plain_fields(struct, self.version):
            kind = field.type
            value = f"{source}.{field.name}"
            self._value(
                kind,
                f"({value} or ())" if self.version < field.empty_is_null_before else value,
                field.nullable_since <= self.version,
            )
        if self.flexible:
            self._tags(struct, source)

    def _value(self, kind: schema.WireType, source: str, nullable: bool) -> None:
        if isinstance(kind, schema.Fixed):
            self._run.append((kind.code, source))
        elif isinstance(kind, schema.Struct) and nullable:
            self._nullable(kind, source)
        elif isinstance(kind, schema.Struct):
            self.struct(kind, source)
        else:
            self._variable(kind, source, nullable)

    def _nullable(self, struct: schema.Struct, source: str) -> None:
        """Encode a struct after the byte 1, or null as the byte -1."""
        self._flush()
        self.line(f"if {source} is None:")
        self.line(f"  {self._add}({bytes([255])!r})")
        self.line("else:")
        self._depth += 1
        self.line(f"{self._add}({bytes([1])!r})")
        self.struct(struct, source)
        self._flush()
        self._depth -= 1

    def _variable(
        self, kind: schema.Variable | schema.Converted | schema.Array, source: str, nullable: bool
    ) -> None:
        value = self._name("v")
        self._flush()
        self.line(f"{value} = {source}")
        if nullable:
            self.line(f"if {value} is None:")
            self.line(f"  {self._add}({self._length('-1', kind)})")
            self.line("else:")
            self._depth += 1
        if isinstance(kind, schema.Array):
            encode_array = self._repeated_array if kind.repeats else self._array
            encode_array(kind, value)
        else:
            self._bytes(kind, value)
        self._depth -= nullable

    def _repeated_array(self, kind: schema.Array, value: str) -> None:
        """Encode an array unless it is the same object as the last; then repeat its bytes."""
        last, inner = self._name("l"), self._name("p")
        self._before.append(f"  {last} = None")
        self.line(f"if {value} is not {last}:")
        self._depth += 1
        self.line(f"{last} = {value}; {inner} = []; {inner}_add = {inner}.append")
        outer, self._add = self._add, f"{inner}_add"
        self._array(kind, value)
        self._add = outer
        self.line(f"{inner} = join({inner})")
        self._depth -= 1
        self.line(f"{self._add}({inner})")

    def _bytes(self, kind: schema.Variable | schema.Converted, value: str) -> None:
        if isinstance(kind, schema.Converted):
            self.line(f"{value} = {self._constant(kind.encode)}({value})")
        elif kind is schema.STRING:
            self.line(f"{value} = {value}.encode()")
        self._count(value, kind)
        self.line(f"{self._add}({value})")

    def _count(self, value: str, kind: schema.WireType) -> None:
        count = self._name("n")
        self.line(f"{count} = len({value})")
        self.line(f"{self._add}({self._length(count, kind)})")

    def _length(self, count: str, kind: schema.WireType) -> str:
        """Returns the expression for the encoded length; a `count` of -1 is null."""
        if self.flexible:
            return f"small[{count} + 1] if {count} < 127 else varint({count} + 1)"
        return f"{self._constant(packing_of('h' if kind is schema.STRING else 'i').pack)}({count})"

    def _array(self, kind: schema.Array, value: str) -> None:
        self._count(value, kind)
        element = kind.element
        if isinstance(element, schema.Fixed) and element.code == "16s":
            self.line(f"{self._add}(join({value}))")
        elif isinstance(element, schema.Fixed):
            few = self._constant(_packings(element.code))
            count = f"len({value})"
            packed = (
                f"{few}[{count}] if {count} < {FEW} else Packing(f'>{{{count}}}{element.code}')"
            )
            self.line(f"{self._add}(({packed}).pack(*{value}))")
        else:
            item = self._name("i")
            self.line(f"for {item} in {value}:")
            self._depth += 1
            self._element(element, item)
            self._flush()
            if self._in_steps and self._add == "add" and isinstance(element, schema.Struct):
                self._yield()
            self._depth -= 1

    def _yield(self) -> None:
        """End a step after the element that completes PIECES_AT_ONCE pieces, which are joined."""
        self.line(f"if len(pieces) > {PIECES_AT_ONCE}:")
        self.line("  chunks.append(join(pieces))")
        self.line("  pieces.clear()")
        self.line("  yield")

    def _element(self, element: schema.Variable | schema.Struct, item: str) -> None:
        if isinstance(element, schema.Struct) and element.model is None:
            (field,) = element.fields
            self._value(field.type, item, nullable=False)
            if self.flexible:
                self._run.append(("x", ""))
        else:
            self._value(element, item, nullable=False)

    def _tags(self, struct: schema.Struct, source: str) -> None:
        known = [
            (tag, field)
            for tag, field in schema.tagged_fields(struct, self.version)
            if self._on_demand or not field.on_demand
        ]
        if not known:
            self._run.append(("x", ""))
            return
        self._flush()
        pieces = self._name("t")
        self.line(f"{pieces} = []")
        for tag, field in known:
            self._tagged(tag, field, f"{source}.{field.name}", pieces)
        self.line(f"{self._add}(small[len({pieces})])")
        self.line(f"if {pieces}: {self._add}(join({pieces}))")

    def _tagged(self, tag: int, field: schema.Field, source: str, pieces: str) -> None:
        value, inner = self._name("v"), self._name("p")
        default = self._constant(field.default)
        self.line(f"{value} = {source}")
        differs = "is not" if field.default is None else "!="
        self.line(f"if {value} {differs} {default}:")
        self._depth += 1
        self.line(f"{inner} = []; {inner}_add = {inner}.append")
        outer, self._add = self._add, f"{inner}_add"
        self._value(field.type, value, field.nullable_since <= self.version)
        self._flush()
        self._add = outer
        self.line(f"{inner} = join({inner})")
        size = f"(small[len({inner})] if len({inner}) < 128 else varint(len({inner})))"
        self.line(f"{pieces}.append({self._constant(unsigned(tag))} + {size} + {inner})")
        self._depth -= 1

    def _flush(self) -> None:
        if self._run:
            self.line(f"{self._add}({self._packed()})")

    def _packed(self) -> str:
        """Returns the expression that packs the pending fixed-width fields, and clears them."""
        codes = "".join(code for code, _ in self._run)
        values = ", ".join(source for code, source in self._run if code != "x")
        self._run.clear()
        if not codes.strip("x"):
            return repr(bytes(len(codes)))
        return f"{self._constant(packing_of(codes).pack)}({values})"


@cache
def _packings(code: str) -> tuple[Packing, ...]:
    return tuple(Packing(f">{count}{code}") for count in range(FEW))


_RUNTIME: Namespace = {"join": b"".join, "Packing": Packing, "small": SMALL, "varint": unsigned}
