"""Finds the coroutine function that a node runs: of a module, or of a file beside the scenario."""

import sys
from collections.abc import Callable, Coroutine
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kraftsim.scenarios.document.own_node import OwnNode
from kraftsim.scenarios.running.own_code import SOURCES

if TYPE_CHECKING:
    from ..api.cluster import Cluster

Main = Callable[["Cluster"], Coroutine[Any, Any, object]]


def main_of(node: OwnNode) -> Main:
    """Returns the function; a file is executed anew, so that no run sees what another left.

    Raises ValueError if there is no such module or coroutine function.
    """
    place, _, name = node.main.partition(":")
    module = _imported(place) if node.file is None else _executed(place)
    main: object = getattr(module, name, None)
    if not iscoroutinefunction(main):
        raise ValueError(f"expected a function `async def {name}(kraft)` in {place}")
    found: Main = main
    return found


def _imported(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # after the standard library, which has an `operator`
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ValueError(f"{error}, in {here} and where Python looks for modules") from error


def _executed(file: str) -> ModuleType:
    name = f"own_node_{Path(file).stem}"
    module = sys.modules[name] = ModuleType(name)  # where dataclasses look for it
    exec(compile(SOURCES[file], file, "exec"), vars(module))  # the user's code, who has allowed it
    return module
