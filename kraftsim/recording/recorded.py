"""Marks the verbs of a cluster that are inputs of its world, so that each call is recorded."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from .recorder import Recorder

RECORDED: dict[str, None] = {}  # the verbs with their nouns, which a replay may call


class HasRecorder(Protocol):
    """What runs of a cluster, as this decorator sees it."""

    @property
    def recorder(self) -> Recorder: ...


class Part(Protocol):
    """A part of a cluster, as this decorator sees it."""

    @property
    def _live(self) -> HasRecorder: ...


C = TypeVar("C", bound=Part)
P = ParamSpec("P")
Method = Callable[Concatenate[C, P], Coroutine[Any, Any, None]]


def recorded(method: Method[C, P]) -> Method[C, P]:
    """Records each call of a method with its first parameter; others must not change the world.

    The record has the noun, which is the class of the part, and the verb: "brokers.kill".
    """
    name, parameter = method.__qualname__.lower(), method.__code__.co_varnames[1]
    RECORDED[name] = None

    @wraps(method)
    async def call(part: C, *arguments: P.args, **named: P.kwargs) -> None:
        given = arguments[0] if arguments else named[parameter]
        part._live.recorder.verb(name, {parameter: given})
        await method(part, *arguments, **named)

    return cast(Method[C, P], call)
