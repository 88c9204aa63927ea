"""The decorator of immutable values, such as settings and rows of APIs.

Values are compared and hashed by their fields.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform, overload

Model = TypeVar("Model")
_NONE = {"init": False, "repr": False, "eq": False}
# The generated methods, and the option of `dataclass` that generates each.
_METHODS = {"__init__": "init", "__repr__": "repr", "__eq__": "eq", "__hash__": "unsafe_hash"}
_OF_CLASSES_WITHOUT_SLOTS = {"__dict__", "__weakref__"}


@overload
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value(model: type[Model], /) -> type[Model]: ...
@overload
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value(*, kw_only: bool) -> Callable[[type[Model]], type[Model]]: ...
def value(
    model: type[Model] | None = None, *, kw_only: bool = True
) -> type[Model] | Callable[[type[Model]], type[Model]]:
    """Makes `model` a dataclass that the type checker treats as frozen.

    At run time the class is not frozen: a frozen dataclass takes three times as long to create, and
    fetches take half of a run in virtual time. Each method is generated when it is first called:
    generating all of them takes nine tenths of the time of a definition, and a service has more
    than a hundred and fifty values, of which few are created before it is ready.
    """

    def decorate(model: type[Model]) -> type[Model]:
        return _with_methods_on_demand(model, kw_only=kw_only)

    return decorate if model is None else decorate(model)


def _with_methods_on_demand(model: type[Model], *, kw_only: bool) -> type[Model]:
    namespace = {
        key: item for key, item in vars(model).items() if key not in _OF_CLASSES_WITHOUT_SLOTS
    }
    slotted: type[Model] = dataclass(**_NONE, slots=True, kw_only=kw_only)(model)
    for name in _METHODS:
        setattr(slotted, name, _on_demand(slotted, name, namespace, kw_only=kw_only))
    return slotted


def _on_demand(
    model: type, name: str, namespace: Mapping[str, object], *, kw_only: bool
) -> Callable[..., Any]:
    """Returns a method that generates the method `name`, installs it in `model`, and calls it.

    `namespace` is that of the undecorated class, with the defaults of the fields.
    """

    def method(*arguments: Any, **named: Any) -> Any:
        twin = type(model.__name__, model.__bases__, dict(namespace))
        options = _NONE | {_METHODS[name]: True, "kw_only": kw_only}
        generated = vars(dataclass(**options)(twin))[name]
        setattr(model, name, generated)
        return generated(*arguments, **named)

    return method
