"""Replaces objects wherever a module or a default argument has them, and puts them back."""

import gc
import sys
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any

KEPT = ("kraftsim.simulated_loop",)  # these modules have the real ones


class Replacing:
    """Replacements, by the identity of what is replaced, until `undo`.

    Modules whose names begin with one of `kept` are left as they are.
    """

    def __init__(self, replacements: Mapping[object, object], kept: tuple[str, ...] = KEPT) -> None:
        self._kept = kept
        self._by_id = {id(old): (old, new) for old, new in replacements.items()}
        self._do: list[Callable[[], None]] = []
        self._undo: list[Callable[[], None]] = []

    @property
    def pairs(self) -> list[tuple[object, object]]:
        """What is replaced, and by what."""
        return list(self._by_id.values())

    def walk(self) -> None:
        """Replaces in every module that is imported, and in the defaults of every function."""
        frozen = gc.get_freeze_count()
        gc.unfreeze()  # what is frozen is not among gc.get_objects()
        modules: dict[str, object] = dict(sys.modules)  # a value may be None, or anything else
        for name, module in modules.items():
            if isinstance(module, ModuleType) and not name.startswith(self._kept):
                self._walk_module(module)
        for function in gc.get_objects():
            if isinstance(function, FunctionType):
                self._walk_defaults(function)
        if frozen:
            gc.freeze()

    def set(self, owner: Any, name: str, new: object) -> None:
        """Sets one attribute of a class or a module."""
        if name in vars(owner):
            old = vars(owner)[name]
            self._replace(lambda: setattr(owner, name, new), lambda: setattr(owner, name, old))
        else:
            self._replace(lambda: setattr(owner, name, new), lambda: delattr(owner, name))

    def _replace(self, do: Callable[[], None], undo: Callable[[], None]) -> None:
        self._do.append(do)
        self._undo.append(undo)
        do()

    def undo(self) -> None:
        """Puts back everything, the last first."""
        for undo in reversed(self._undo):
            undo()

    def redo(self) -> None:
        """Replaces again what was put back, without looking for more."""
        for do in self._do:
            do()

    def _walk_module(self, module: ModuleType) -> None:
        names = vars(module)
        for name, value in list(names.items()):
            found = self._by_id.get(id(value))
            if found is not None:
                self.set(module, name, found[1])

    def _walk_defaults(self, function: FunctionType) -> None:
        if str(function.__module__).startswith(self._kept):
            return
        defaults, keyword_defaults = function.__defaults__, function.__kwdefaults__
        if defaults and any(id(value) in self._by_id for value in defaults):
            replaced = tuple(self._new(value) for value in defaults)
            self._replace(
                lambda: setattr(function, "__defaults__", replaced),
                lambda: setattr(function, "__defaults__", defaults),
            )
        if keyword_defaults and any(
            id(value) in self._by_id for value in keyword_defaults.values()
        ):
            new = {name: self._new(value) for name, value in keyword_defaults.items()}
            self._replace(
                lambda: setattr(function, "__kwdefaults__", new),
                lambda: setattr(function, "__kwdefaults__", keyword_defaults),
            )

    def _new(self, value: object) -> object:
        found = self._by_id.get(id(value))
        return value if found is None else found[1]
