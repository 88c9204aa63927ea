"""What writes the Python source of one function: lines, names that nothing else has, constants."""

from functools import cache
from struct import Struct as Packing

from .schema import Message

Namespace = dict[str, object]


class SourceWriter:
    """`names` is what the function will have as its globals; `_run` the fixed-width fields that the
    next packing takes: their codes of `struct`, and what stands for each in the source."""

    LITERALS = bool | int | str  # constants that are spelled where they are used

    def __init__(self, message: Message, version: int, runtime: Namespace, *, depth: int) -> None:
        self.version = version
        self.flexible = message.is_flexible(version)
        self.lines: list[str] = []
        self.names: Namespace = dict(runtime)
        self._depth = depth
        self._serial = 0
        self._run: list[tuple[str, str]] = []

    def line(self, text: str) -> None:
        self.lines.append("  " * self._depth + text)

    def _name(self, prefix: str) -> str:
        self._serial += 1
        return f"{prefix}{self._serial}"

    def _constant(self, value: object) -> str:
        if value is None or value == () or isinstance(value, self.LITERALS):
            return repr(value)
        name = self._name("c")
        self.names[name] = value
        return name


@cache
def packing_of(codes: str) -> Packing:
    return Packing(">" + codes)
