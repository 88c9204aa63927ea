"""The decorator of requests, responses and records: values compared and hashed by their fields."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

Model = TypeVar("Model")
_NONE = {"kw_only": True, "init": False, "repr": False, "eq": False}
# The generated methods, and the option of `dataclass` that generates each.
_METHODS = {"__init__": "init", "__repr__": "repr", "__eq__": "eq", "__hash__": "unsafe_hash"}
_OF_CLASSES_WITHOUT_SLOTS = {"__dict__", "__weakref__"}


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value(model: type[Model]) -> type[Model]:
    """Makes `model` a dataclass that the type checker treats as frozen.

    At run time the class is not frozen: a frozen dataclass takes three times as long to create, and
    fetches take half of a run in virtual time. Each method is generated when it is first called:
    generating all of them takes nine tenths of the time of a definition, and of more than a hundred
    classes a service needs a few before it is ready.
    """
    namespace = {
        key: item for key, item in vars(model).items() if key not in _OF_CLASSES_WITHOUT_SLOTS
    }
    slotted: type[Model] = dataclass(**_NONE, slots=True)(model)
    for name in _METHODS:
        setattr(slotted, name, _generating(slotted, name, namespace))
    return slotted


def _generating(model: type, name: str, namespace: Mapping[str, object]) -> Callable[..., Any]:
    """Returns a method that generates the method of its name, installs it, and calls it.

    `namespace` is that of the undecorated class, with the defaults of the fields.
    """

    def method(*arguments: Any, **named: Any) -> Any:
        twin = type(model.__name__, model.__bases__, dict(namespace))
        generated = vars(dataclass(**_NONE | {_METHODS[name]: True})(twin))[name]
        setattr(model, name, generated)
        return generated(*arguments, **named)

    return method
