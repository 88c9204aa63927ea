"""Properties of one's own: Python functions in a file beside the scenario, `checks.py:two_at_most`.

A function is given the world after every event, and returns None while there is nothing to check,
True when it has checked and all is well, or else what was expected and what came. It must not
change anything.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn

from .property import Broken, Property

if TYPE_CHECKING:
    from kraftsim.simulation.message import Message
    from kraftsim.simulation.world import World

Check = Callable[["World"], str | bool | None]
OWN: dict[str, type[Property]] = {}
_SOURCES: dict[str, str] = {}


def is_own(name: str) -> bool:
    """Is it spelled as one of a file, rather than as one of ours?"""
    file, colon, _ = name.partition(":")
    return bool(colon) and file.endswith(".py")


def define(file: str, source: str) -> None:
    """Every function of that file can be named from here on. ValueError for a source that is no
    Python, or where another file of that name was defined."""
    if _SOURCES.setdefault(file, source) != source:
        raise ValueError(f"{file}: two files of this name define properties; rename one")
    names: dict[str, object] = {"__name__": file.removesuffix(".py")}
    exec(compile(source, file, "exec"), names)  # what a user wants to be run
    for name, check in names.items():
        if callable(check) and getattr(check, "__module__", None) == names["__name__"]:
            OWN[f"{file}:{name}"] = _property(f"{file}:{name}", check)


def _property(name: str, check: Check) -> type[Property]:
    words = {"number": name, "name": name, "claim": check.__doc__ or name, "always": False}
    return type("Own", (OwnProperty,), words | {"check": staticmethod(check)})


class OwnProperty(Property):
    """Looks whenever something may have changed."""

    check: ClassVar[Check]

    def stepped(self, node: Node, turn: Turn) -> None:
        self._look()

    def arrived(self, message: "Message") -> None:
        self._look()

    def controller_changed(self, node_id: int, state: str) -> None:
        self._look()

    def broker_changed(self, broker_id: int, state: str) -> None:
        self._look()

    def finished(self) -> None:
        self._look()

    def _look(self) -> None:
        said = type(self).check(self.world)
        if said is None:
            return
        self.exercised += 1
        if said is not True:
            raise Broken(str(said))
