"""Objects for blocking code, whose event loop runs in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from ..errors import CommandError

T = TypeVar("T")


class Blocking:
    """An object of a running cluster whose methods block: its own methods, without `await`.

    Once `ended` is set, it and every object that it has returned refuse to be used.
    """

    def __init__(
        self, target: Any, loop: asyncio.AbstractEventLoop, ended: threading.Event | None = None
    ) -> None:
        self._target, self._loop, self._ended = target, loop, ended or threading.Event()

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the object, or a method that runs in the cluster's thread."""
        if name.startswith("_"):
            raise AttributeError(name)
        refuse_late_call(self._ended)
        attribute = getattr(self._target, name)
        if callable(attribute) and not is_asynchronous(type(attribute)):
            return self._blocking(attribute)
        return self._wrapped(attribute)

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Calls a part of a cluster: `with kraft_sync.chaos(7): ...`."""
        refuse_late_call(self._ended)
        return self._blocking(self._target)(*arguments, **named)

    def __enter__(self) -> Any:
        """Enters an asynchronous context: the clock that is held, or a branch that starts."""
        return self._wrapped(call_in(self._loop, self._target.__aenter__()))

    def __exit__(self, *error: object) -> None:
        call_in(self._loop, self._target.__aexit__(*error))

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._target) if not name.startswith("_")]

    def _blocking(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def blocking(*arguments: object, **named: object) -> object:
            return self._wrapped(call_in(self._loop, _awaited(method, *arguments, **named)))

        return blocking

    def _wrapped(self, result: object) -> object:
        """Returns the result; it blocks, too, if it has coroutines."""
        if not is_asynchronous(type(result)):
            return result
        return Blocking(result, self._loop, self._ended)


def refuse_late_call(ended: threading.Event) -> None:
    """Raises CommandError once the test has ended: its cluster may belong to another by then."""
    if ended.is_set():
        raise CommandError("the test of this cluster has ended: this call came late")


def is_asynchronous(kind: type) -> bool:
    """True of a part of a cluster, of the handle of a fault, and of an asynchronous context."""
    return hasattr(kind, "__aenter__") or any(map(iscoroutinefunction, vars(kind).values()))


def call_in(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[object, object, T]) -> T:
    """Runs the coroutine in the thread of the loop; returns its result or raises its error."""
    return asyncio.run_coroutine_threadsafe(coroutine, loop).result()


async def _awaited(method: Callable[..., Any], *arguments: object, **named: object) -> object:
    """Calls a method of the cluster, whether or not it is a coroutine function."""
    if iscoroutinefunction(method):
        return await method(*arguments, **named)
    return method(*arguments, **named)


@contextmanager
def loop_in_thread() -> Iterator[asyncio.AbstractEventLoop]:
    """Runs an event loop in a thread until the block ends."""
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        stopping = asyncio.Event()
        started.set_result((asyncio.get_running_loop(), stopping))
        await stopping.wait()

    # a daemon, so that an interpreter that exits early does not wait for the thread
    thread = threading.Thread(
        target=lambda: asyncio.run(serve()), name="kraftsim cluster", daemon=True
    )
    thread.start()
    loop, stopping = started.result()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join()
