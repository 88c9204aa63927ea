"""Marks the methods of `Cluster` that are inputs of its world, so that each call is recorded."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from .recorder import Recorder

RECORDED: dict[str, None] = {}  # the names of these methods, which a replay may call


class HasRecorder(Protocol):
    """A cluster, as this decorator sees it."""

    @property
    def recorder(self) -> Recorder: ...


C = TypeVar("C", bound=HasRecorder)
P = ParamSpec("P")
Method = Callable[Concatenate[C, P], Coroutine[Any, Any, None]]


def recorded(method: Method[C, P]) -> Method[C, P]:
    """Records each call of a method with its first parameter; others must not change the world."""
    name, parameter = method.__name__, method.__code__.co_varnames[1]
    RECORDED[name] = None

    @wraps(method)
    async def call(cluster: C, *arguments: P.args, **named: P.kwargs) -> None:
        given = arguments[0] if arguments else named[parameter]
        cluster.recorder.verb(name, {parameter: given})
        await method(cluster, *arguments, **named)

    return cast(Method[C, P], call)
