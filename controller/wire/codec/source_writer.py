"""Base of the source generators: lines, unique names, constants."""

from functools import cache
from struct import Struct as Packing

from .schema import Message

Namespace = dict[str, object]


class SourceWriter:
    """Collects the source of one function.

    `names` are the function's globals. `_run` are the pending fixed-width fields of the next
    `struct` call: their format characters and their expressions.
    """

    LITERALS = bool | int | str  # types of constants that are written as literals

    def __init__(self, message: Message, version: int, runtime: Namespace, *, depth: int) -> None:
        self.version = version
        self.flexible = message.is_flexible(version)
        self.lines: list[str] = []
        self.names: Namespace = dict(runtime)
        self._depth = depth
        self._serial = 0
        self._run: list[tuple[str, str]] = []

    def line(self, text: str) -> None:
        """Append a line at the present indentation."""
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
    """Returns the big-endian `struct` of `codes`."""
    return Packing(">" + codes)
