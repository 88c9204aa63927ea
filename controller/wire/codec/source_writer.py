"""The base class of the generators of decoders and encoders."""

from functools import cache
from struct import Struct as Packing

from .schema import Message

Namespace = dict[str, object]


class SourceWriter:
    """Builds the Python source of a function that decodes or encodes one version of a message.

    `lines` is the source so far, and `names` are the globals that it refers to. Consecutive fields
    of fixed width share one call of `struct`: `_run` holds the format character and the expression
    of each field until that call is written.
    """

    LITERALS = bool | int | str  # types of constants that are written as literals

    def __init__(self, message: Message, version: int, runtime: Namespace, *, depth: int) -> None:
        self.version = version
        self.flexible = message.is_flexible(version)
        self.is_request = message.is_request
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
    """Returns the `struct.Struct` for the format characters `codes`, in big-endian order."""
    return Packing(">" + codes)
