"""Copies of a world, which go on from the same instant and never affect the world they come from.

A copy has its own of everything that changes, and shares values, such as records and requests.
Actions that the timeline will run, and callbacks, are copied with the objects they belong to.

What leads out of the simulation stays behind: sockets, tasks, and the callbacks of a service. In
the copy nobody is there to receive a reply, and nobody listens.
"""

from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache, partial
from hashlib import blake2b
from random import Random
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any, Final, TypeVar

from sortedcontainers import SortedDict, SortedList

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.raft.voters import ReplicaKey

from .requests.arrival import Arrival, ReplyTo
from .streams import Stream

T = TypeVar("T")
Way = Callable[["Copier", Any], Any]

ROOMS: Final = tuple(
    f"kraftsim.{name}."
    for name in (
        "broker_agent",
        "controller.core",
        "controller.node",
        "controller.raft",
        "controller.time",
        "scenarios",
        "simulation",
    )
)
"""The packages whose objects are copied."""
SHARED: Final = (
    *(NoneType, bool, bytes, float, frozenset, int, range, str, type),
    *(BaseException, Enum, ModuleType, NodeId, ReplicaKey),
)
"""What never changes, beside kraftsim's own values."""
ABSENT: Final = object()


class NotCopied(Exception):
    """An object in the world cannot be copied now, such as a generator that is half used."""


def copied(original: T) -> T:
    """Returns a copy of a world, or of a tuple of objects around one world.

    Raises NotCopied if that is not possible at this instant. Objects of compiled modules cannot be
    copied at all: a compiled class has no object without a call of `__init__`.
    """
    copy: T = Copier().copy(original)
    return copy


class Copier:
    """Copies a graph of objects; an object that is met again is the same object in the copy."""

    def __init__(self) -> None:
        self._copies: dict[int, Any] = {}  # by the id of the original
        self._ways: dict[type, Way | None] = {}
        self._shared: set[type] = set()  # the types of `_ways` that are not copied

    def copy(self, original: Any) -> Any:
        """Returns the copy of an object, or the object itself if it is a value."""
        kind = type(original)
        try:
            way = self._ways[kind]
        except KeyError:
            way = self._way(kind)
        if way is None:
            return original
        known = self._copies.get(id(original))
        return way(self, original) if known is None else known

    def _way(self, kind: type) -> Way | None:
        if kind not in self._ways:
            way = self._ways[kind] = _way_of(kind)
            if way is None:
                self._shared.add(kind)
        return self._ways[kind]

    def _are_values(self, objects: Iterable[Any]) -> bool:
        """Returns True if all objects are shared, by a look at each type only."""
        if self._shared.issuperset(map(type, objects)):
            return True
        return all(self._way(kind) is None for kind in set(map(type, objects)) - self._shared)

    # Objects

    def _object(self, original: Any) -> Any:
        copy = self._copies[id(original)] = object.__new__(type(original))
        shared, copied, put = self._shared, self.copy, object.__setattr__
        # One by one: a dict that is assigned shares its keys with no other object, and is larger.
        for name, value in original.__dict__.items():
            put(copy, name, value if type(value) in shared else copied(value))
        return copy

    def _slotted(self, original: Any) -> Any:
        kind: Any = type(original)
        copy = self._copies[id(original)] = object.__new__(kind)
        shared, copied = self._shared, self.copy
        for name in _attributes(kind):
            value = getattr(original, name, ABSENT)
            if value is not ABSENT:
                own = value if type(value) in shared else copied(value)
                object.__setattr__(copy, name, own)  # it may be frozen
        if hasattr(original, "__dict__"):
            for name, value in original.__dict__.items():
                copy.__dict__[name] = copied(value)
        return copy

    def _image(self, original: Image) -> Image:
        copy = self._copies[id(original)] = original.copy()
        return copy

    def _stream(self, original: Stream) -> Stream:
        copy = self._copies[id(original)] = original.copy(self.copy)
        return copy

    def _random(self, original: Random) -> Random:
        copy = self._copies[id(original)] = Random.__new__(Random)
        copy.setstate(original.getstate())
        return copy

    def _digest(self, original: blake2b) -> blake2b:
        copy = self._copies[id(original)] = original.copy()
        return copy

    def _orphan(self, original: Arrival) -> Arrival:
        copy = self._copies[id(original)] = Orphan(
            original.request,
            original.receiver,
            original.broker_id,
            _nobody,
            original.client_id,
            original.version,
        )
        return copy

    def _refuse(self, original: object) -> Any:
        kind = type(original)
        raise NotCopied(f"a world with a {kind.__module__}.{kind.__qualname__} cannot be copied")

    # Collections

    def _list(self, original: list[Any]) -> list[Any]:
        copy: list[Any] = []
        self._copies[id(original)] = copy
        if original:
            copy += self._inside(original)
        return copy

    def _array(self, original: "array[Any]") -> "array[Any]":
        copy = self._copies[id(original)] = original[:]
        return copy

    def _deque(self, original: deque[Any]) -> deque[Any]:
        copy: deque[Any] = deque(maxlen=original.maxlen)
        self._copies[id(original)] = copy
        copy += self._inside(original)
        return copy

    def _sorted(self, original: "SortedList[Any]") -> "SortedList[Any]":
        copy = self._copies[id(original)] = SortedList(map(self.copy, original))
        return copy

    def _inside(self, elements: Iterable[Any]) -> Iterable[Any]:
        """Returns the copies of elements, without callbacks of a service."""
        if self._are_values(elements):
            return elements
        return [copy for copy in map(self.copy, elements) if copy is not _nobody]

    def _tuple(self, original: tuple[Any, ...]) -> tuple[Any, ...]:
        if not original or self._are_values(original):
            return original
        copy = self._copies[id(original)] = tuple(map(self.copy, original))
        return copy

    def _named_tuple(self, original: Any) -> Any:
        copy = self._copies[id(original)] = type(original)._make(map(self.copy, original))
        return copy

    def _dict(self, original: dict[Any, Any]) -> dict[Any, Any]:
        return self._filled(type(original)(), original)

    def _default_dict(self, original: "defaultdict[Any, Any]") -> dict[Any, Any]:
        return self._filled(defaultdict(self.copy(original.default_factory)), original)

    def _filled(self, copy: dict[Any, Any], original: dict[Any, Any]) -> dict[Any, Any]:
        self._copies[id(original)] = copy
        if not original:
            return copy
        if self._are_values(original) and self._are_values(original.values()):
            copy.update(original)
        else:
            for key, value in original.items():
                copy[self.copy(key)] = self.copy(value)
        return copy

    def _set(self, original: set[Any]) -> set[Any]:
        is_shared = not original or self._are_values(original)
        elements = original if is_shared else map(self.copy, original)
        copy = self._copies[id(original)] = set(elements)
        return copy

    # What can be called

    def _partial(self, original: "partial[Any]") -> Any:
        function = self.copy(original.func)
        if function is _nobody:
            return _nobody
        named = original.keywords
        if named:
            named = {name: self.copy(value) for name, value in named.items()}
        copy = self._copies[id(original)] = partial(
            function, *map(self.copy, original.args), **named
        )
        return copy

    def _method(self, original: MethodType) -> Any:
        owner = original.__self__
        kind: Any = type(owner)
        if not _may_own_callbacks(kind):
            return _nobody
        copy = self._copies[id(original)] = MethodType(original.__func__, self.copy(owner))
        return copy

    def _builtin(self, original: BuiltinFunctionType) -> Any:
        """Copies a method of a built-in class; functions of modules are shared."""
        owner = original.__self__
        if owner is None or isinstance(owner, (ModuleType, type)):
            return original
        if self._way(type(owner)) is Copier._refuse:
            return _nobody
        return getattr(self.copy(owner), original.__name__)

    def _function(self, original: FunctionType) -> Any:
        """Copies a closure with what it refers to; other functions are shared."""
        cells = original.__closure__
        if not cells:
            return original
        if not _is_inside(original):
            return _nobody
        code, defaults = original.__code__, original.__defaults__
        own_cells = tuple(CellType() for _ in cells)
        copy = FunctionType(code, original.__globals__, original.__name__, defaults, own_cells)
        self._copies[id(original)] = copy
        for own, cell in zip(own_cells, cells, strict=True):
            own.cell_contents = self.copy(cell.cell_contents)
        return copy


class Orphan(Arrival):
    """A request whose sender the copy of a world does not have; it is never handled."""

    __slots__ = ()

    def submit(self, reply_to: ReplyTo) -> None:
        pass

    def lose(self, is_handled: bool) -> None:
        pass


def _nobody(*arguments: object, **named: object) -> None:
    """Stands in a copy for a callback of a service."""


def _is_inside(named: Any) -> bool:
    return str(named.__module__).startswith(ROOMS)


@cache
def _way_of(kind: Any) -> Way | None:
    """Returns how objects of this type are copied; None if they are shared."""
    if kind in _WAYS:
        return _WAYS[kind]
    if issubclass(kind, SHARED):
        return None
    if issubclass(kind, Arrival) and not _is_inside(kind):
        return Copier._orphan
    if issubclass(kind, tuple):
        return Copier._named_tuple
    is_ours = kind.__module__.startswith("kraftsim.")
    if is_ours and kind.__hash__ not in (None, object.__hash__):
        return None  # equal by value, so that it never changes
    if not _is_inside(kind):
        return Copier._refuse
    return Copier._object if kind.__dictoffset__ and not _attributes(kind) else Copier._slotted


@cache
def _may_own_callbacks(kind: Any) -> bool:
    """Returns True unless methods of such objects lead out of the simulation."""
    return _is_inside(kind) or issubclass(kind, type)


@cache
def _attributes(kind: Any) -> tuple[str, ...]:
    """Returns the names of the slots of a class."""
    names: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names += (slots,) if isinstance(slots, str) else slots
    return tuple(name for name in dict.fromkeys(names) if name not in ("__dict__", "__weakref__"))


_WAYS: Final[dict[type, Way]] = {
    BuiltinFunctionType: Copier._builtin,
    Counter: Copier._dict,
    FunctionType: Copier._function,
    Image: Copier._image,
    MethodType: Copier._method,
    OrderedDict: Copier._dict,
    Random: Copier._random,
    SortedDict: Copier._dict,
    SortedList: Copier._sorted,
    Stream: Copier._stream,
    array: Copier._array,
    blake2b: Copier._digest,
    defaultdict: Copier._default_dict,
    deque: Copier._deque,
    dict: Copier._dict,
    list: Copier._list,
    partial: Copier._partial,
    set: Copier._set,
    tuple: Copier._tuple,
}
