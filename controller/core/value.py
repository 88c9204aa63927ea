"""The decorators of classes whose objects are the values of named fields.

To `dataclasses` such a class is a dataclass with slots. But what `dataclass` would make of it, its
methods and the description of its fields, is made when it is first needed: a service has two
hundred of these classes, and few objects of most before it is ready.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field
from typing import Any, TypeVar, dataclass_transform, overload

Model = TypeVar("Model")
_NONE = {"init": False, "repr": False, "eq": False}
# The generated methods, and the option of `dataclass` that generates each.
_METHODS = {"__init__": "init", "__repr__": "repr", "__eq__": "eq", "__hash__": "unsafe_hash"}
_DESCRIPTIONS = ("__dataclass_fields__", "__dataclass_params__")
_OF_CLASSES_WITHOUT_SLOTS = {"__dict__", "__weakref__"}
_FILLED_MAX = 100
"""The objects of a class that are filled without a generated `__init__`. A hundred objects take
about as long as its generation."""


@overload
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value(model: type[Model], /) -> type[Model]: ...
@overload
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value(*, kw_only: bool = True, eq: bool = True) -> Callable[[type[Model]], type[Model]]: ...
def value(
    model: type[Model] | None = None, *, kw_only: bool = True, eq: bool = True
) -> type[Model] | Callable[[type[Model]], type[Model]]:
    """Makes `model` a class of immutable values.

    They are compared and hashed by their fields, or with `eq=False` by their identity. The type
    checker treats the class as frozen. At run time it is not: a frozen dataclass takes three times
    as long to create, and fetches take half of a run in virtual time.
    """

    def decorate(model: type[Model]) -> type[Model]:
        return _slotted(model, kw_only=kw_only, eq=eq, is_hashed=eq)

    return decorate if model is None else decorate(model)


@dataclass_transform(field_specifiers=(field,))
def slotted(
    *, kw_only: bool = False, eq: bool = True, unsafe_hash: bool = False
) -> Callable[[type[Model]], type[Model]]:
    """Makes a class one of objects that can change.

    They are compared by their fields, or with `eq=False` by their identity. Objects that are
    compared by their fields have no hash, unless `unsafe_hash` gives them that of their fields.
    """

    def decorate(model: type[Model]) -> type[Model]:
        return _slotted(model, kw_only=kw_only, eq=eq, is_hashed=unsafe_hash)

    return decorate


def _slotted(model: type[Model], *, kw_only: bool, eq: bool, is_hashed: bool) -> type[Model]:
    # Of the class alone. From 3.14 on `vars` has a function that returns them (PEP 649).
    annotations = model.__annotations__
    namespace = {
        key: item for key, item in vars(model).items() if key not in _OF_CLASSES_WITHOUT_SLOTS
    } | {"__qualname__": model.__qualname__, "__annotations__": annotations}
    names = tuple(annotations)
    made: dict[str, Any] = {key: item for key, item in namespace.items() if key not in names}
    made |= {"__slots__": names, "__match_args__": () if kw_only else names}
    wanted = {"__init__": True, "__repr__": True, "__eq__": eq, "__hash__": is_hashed}
    if eq and not is_hashed:
        made["__hash__"] = None
    for name in _DESCRIPTIONS:
        made[name] = _Description(namespace, name, kw_only=kw_only)
    for name in _METHODS:
        if wanted[name] and name not in namespace:
            made[name] = _on_demand(namespace, name, kw_only=kw_only)
    slotted: type[Model] = type(model.__name__, (), made)
    return slotted


def _as_dataclass(namespace: Mapping[str, Any], **options: bool) -> type:
    """Returns the class as `dataclass` makes it, with the given methods only.

    To a class without a docstring `dataclass` would give its signature, which takes a millisecond.
    """
    twin = type(namespace["__qualname__"], (), {**namespace, "__doc__": "-"})
    return dataclass(**_NONE | options)(twin)


class _Description:
    """An attribute by which `dataclasses` knows a class, made when it is read."""

    def __init__(self, namespace: Mapping[str, Any], name: str, *, kw_only: bool) -> None:
        self._namespace, self._name, self._kw_only = namespace, name, kw_only

    def __get__(self, _: object, owner: type) -> object:
        found = vars(_as_dataclass(self._namespace, kw_only=self._kw_only))[self._name]
        home = next(base for base in owner.__mro__ if vars(base).get(self._name) is self)
        setattr(home, self._name, found)
        return found


def _on_demand(namespace: Mapping[str, Any], name: str, *, kw_only: bool) -> Callable[..., Any]:
    """Returns a method that generates the method `name`, installs it in its class, and calls it.

    `namespace` is that of the undecorated class, with the defaults of the fields.
    """
    fill = _filler(namespace, kw_only=kw_only) if name == "__init__" else None

    def method(instance: Any, *arguments: Any, **named: Any) -> Any:
        if fill is not None and fill(instance, arguments, named):
            return None
        if name == "__eq__" and arguments[0] is instance:
            return True
        twin = _as_dataclass(namespace, kw_only=kw_only, slots=True, **{_METHODS[name]: True})
        generated = vars(twin)[name]
        home = next(base for base in type(instance).__mro__ if vars(base).get(name) is method)
        setattr(home, name, generated)
        return generated(instance, *arguments, **named)

    return method


def _filler(
    namespace: Mapping[str, Any], *, kw_only: bool
) -> Callable[[Any, tuple[Any, ...], Mapping[str, Any]], bool]:
    """Returns a function that sets the fields of a new object, as a generated `__init__` does.

    It returns False for wrong arguments, which the generated method refuses, and from the
    _FILLED_MAX-th object on.
    """
    fields = {name: namespace.get(name, MISSING) for name in namespace["__annotations__"]}
    described = {name: item for name, item in fields.items() if isinstance(item, Field)}
    names = tuple(name for name in fields if name not in described or described[name].init)
    defaults = fields | {name: item.default for name, item in described.items()}
    defaults = {name: item for name, item in defaults.items() if item is not MISSING}
    factories = {
        name: item.default_factory
        for name, item in described.items()
        if item.default_factory is not MISSING
    }
    set_here = {*names, *defaults, *factories}  # `__post_init__` sets the others
    known, by_place = frozenset(names), () if kw_only else names
    is_checked = "__post_init__" in namespace
    left = iter(range(_FILLED_MAX))

    def fill(instance: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
        given = {**dict(zip(by_place, arguments, strict=False)), **named}
        if len(given) != len(arguments) + len(named) or not given.keys() <= known:
            return False
        values = {**defaults, **given}
        for name, make in factories.items():
            if name not in given:
                values[name] = make()
        if len(values) != len(set_here) or next(left, None) is None:
            return False
        for name, item in values.items():
            setattr(instance, name, item)
        if is_checked:
            instance.__post_init__()
        return True

    return fill
