"""Your own properties: Python functions in a file beside the scenario, `checks.py:two_at_most`.

A function is called with the world after every event. It returns None if there is nothing to check,
True if the property holds, or a text that states the expected and the actual value. It must not
change the world. A function that returns True at every event, even before a broker is registered,
has no positive control: it does not say when there is something to check, and counts as untested.
An exception in the function ends the run with an error.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn

from ..oracles.property import Broken, Property

if TYPE_CHECKING:
    from kraftsim.simulation.message import Message
    from kraftsim.simulation.world import World

Check = Callable[["World"], str | bool | None]
OWN: dict[str, type[Property]] = {}
_SOURCES: dict[str, str] = {}


class RaisedError(ValueError):
    """An exception of the user's own code; its message begins with the file and the line."""


def _raised(file: str, error: Exception) -> RaisedError:
    """Returns the error with the last line of the file in the traceback."""
    place, step = file, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file:
            place = f"{file}:{step.tb_lineno}"
        step = step.tb_next
    return RaisedError(f"{place}: {type(error).__name__}: {error}".removesuffix(": "))


def is_own(name: str) -> bool:
    """Returns True if `name` has the form of a function in a file (`checks.py:name`)."""
    file, colon, _ = name.partition(":")
    return bool(colon) and file.endswith(".py")


def define(file: str, source: str) -> None:
    """Defines a property for every function in the Python source of a file.

    Raises ValueError if a file of the same name and another source was defined before, RaisedError
    if the source raises an exception, and SyntaxError if it is not Python.
    """
    if _SOURCES.setdefault(file, source) != source:
        raise ValueError(
            f"{file}: expected different file names, got two files with this name; rename one"
        )
    names: dict[str, object] = {"__name__": file.removesuffix(".py")}
    code = compile(source, file, "exec")
    try:
        exec(code, names)  # the user's own code, which the scenario asks to run
    except Exception as error:  # whatever it raises
        raise _raised(file, error) from error
    for name, check in names.items():
        if callable(check) and getattr(check, "__module__", None) == names["__name__"]:
            OWN[f"{file}:{name}"] = _property(f"{file}:{name}", check)


def _property(name: str, check: Check) -> type[Property]:
    attributes = {"number": name, "name": name, "claim": check.__doc__ or name, "always": False}
    return type("Own", (OwnProperty,), attributes | {"check": staticmethod(check)})


class OwnProperty(Property):
    """Calls the function at every event that may have changed something."""

    check: ClassVar[Check]

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self._held = 0  # how often the function returned True
        self._tells_apart = False  # True once it had nothing to check

    def stepped(self, node: Node, turn: Turn) -> None:
        self._call()

    def arrived(self, message: "Message") -> None:
        self._call()

    def replied(self, message: "Message") -> None:
        self._call()

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        self._call()

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        self._call()

    def finished(self) -> None:
        self._call()

    def _call(self) -> None:
        try:
            result = type(self).check(self.world)
        except Exception as error:  # whatever the user's function raises
            raise _raised(self.name.partition(":")[0], error) from error
        self._held += result is True
        self._tells_apart = self._tells_apart or result is None
        self.exercised = self._held if self._tells_apart else 0
        if result is not None and result is not True:
            self.exercised += 1
            raise Broken(str(result))
