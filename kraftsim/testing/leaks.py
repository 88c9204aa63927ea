"""What a test has left behind: connections to its cluster, and tasks on its event loop."""

import asyncio
import gc
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from ..api.cluster import Cluster
from .keys import FAILED
from .requested import may_leak, refuse

PACKAGE = Path(__file__).resolve().parents[1]
LOOKS, LOOK_S = 100, 0.01  # a client that was closed just now may still say goodbye


class Leaks:
    """The tasks of an event loop before a test, and what is there in addition after it."""

    def __init__(self, test: pytest.Item) -> None:
        self._test = test
        self._tasks_before = asyncio.all_tasks()

    async def refuse(self, clusters: Sequence[Cluster]) -> None:
        """Fails a test that passed and has left something behind, unless its marker allows that."""
        if FAILED in self._test.stash or may_leak(self._test):
            return
        for look in range(LOOKS):
            if look == 1:
                gc.collect()  # a client without `close` ends with its object, maybe in a cycle
            if not (left := [*_connections(clusters), *self._tasks()]):
                return
            await asyncio.sleep(LOOK_S)
        refuse(
            f"the test left behind {', '.join(left)}: close what it opens, or allow it with "
            "@pytest.mark.kraft(may_leak=True)"
        )

    def _tasks(self) -> list[str]:
        new = asyncio.all_tasks() - self._tasks_before - {asyncio.current_task()}
        left = [task for task in new if not _is_ours(task) and not _is_of_anyio(task)]
        return [f"the task {_name(task)}" for task in left]


def _connections(clusters: Iterable[Cluster]) -> list[str]:
    return [f"the connection {text}" for cluster in clusters for text in cluster.connections]


def _name(task: "asyncio.Task[object]") -> str:
    return str(getattr(task.get_coro(), "__qualname__", task.get_name()))


def _is_ours(task: "asyncio.Task[object]") -> bool:
    """Returns True for a task of kraftsim itself, such as a listener that opens again."""
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and Path(code.co_filename).resolve().is_relative_to(PACKAGE)


def _is_of_anyio(task: "asyncio.Task[object]") -> bool:
    """Returns True for a task in which anyio runs tests and fixtures."""
    return _name(task).startswith("TestRunner.")
