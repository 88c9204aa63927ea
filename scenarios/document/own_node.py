"""A node of a scenario that runs a user's code.

my_package.operator:main            a coroutine function of a module
operator.py:main                    one of a file beside the scenario
{main: operator.py:main, rack: a}   with the rack of its host
"""

from dataclasses import dataclass
from re import fullmatch
from typing import Annotated

from ..language.reading import Path, mapping, read_words
from ..language.schema import Schema, SchemaOf, any_of, object_of

OF_OWN_PROCESSES = (
    *(f"proc.{word}" for word in ("pause", "crash", "stop", "start", "restart")),
    *("proc.hiccup", "proc.crashloop"),
    *(f"clock.{word}" for word in ("step", "drift", "freeze", "coarse", "suspend", "strobe")),
)


def acts_on_own(word: str) -> bool:
    """Returns True if a verb does something to a node of a user, which has no disk and no log."""
    return word.startswith("net.") or word in OF_OWN_PROCESSES


class FunctionName:
    """Constraint: the name of a function, after its module or its file and a colon."""

    PATTERN = r"([A-Za-z_]\w*(\.[A-Za-z_]\w*)*|[^:]+\.py):[A-Za-z_]\w*"

    def check(self, value: object) -> None:
        """Raises ValueError unless the value names a function of a module or of a file."""
        if not isinstance(value, str) or not fullmatch(self.PATTERN, value):
            raise ValueError(f"expected MODULE:FUNCTION or FILE.py:FUNCTION, got {value!r}")

    def to_schema(self) -> dict[str, object]:
        """Returns the constraint in JSON Schema."""
        return {"pattern": f"^{self.PATTERN}$"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnNode:
    """A node of your own: the coroutine function that it runs, and the rack of its host.

    The function gets the cluster, as tests do: `async def main(kraft)`.
    """

    main: Annotated[str, FunctionName()]
    rack: str | None = None

    @property
    def file(self) -> str | None:
        """The file beside the scenario that has the function; None if a module has it."""
        place = self.main.partition(":")[0]
        return place if place.endswith(".py") else None

    @staticmethod
    def from_document(value: object, path: Path) -> "OwnNode":
        """Reads the name of a function, or a mapping."""
        words = {"main": value} if isinstance(value, str) else mapping(value, path)
        node: OwnNode = read_words(OwnNode, words, path)
        return node

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of a function's name or a mapping."""
        return any_of(of(Annotated[str, FunctionName()]), object_of(OwnNode, of))

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        if self.rack is None:
            return self.main
        return {"main": self.main, "rack": self.rack}
