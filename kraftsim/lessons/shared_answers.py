"""Answers that visitors share: a class asks the same questions at the same time."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from ..errors import TryAgain

WAITING_MAX: Final = 60  # different questions under way; a class of thirty has two for each
KEPT_BYTES_MAX: Final = 32 * 1024 * 1024  # of the answers that were used last


class SharedAnswers:
    """Keeps the answers that were used last; `ask` finds the others.

    An answer is a function of its question. Visitors who ask while the answer is on its way wait
    for the same one. Errors are not kept.
    """

    def __init__(self, ask: Callable[[bytes], Awaitable[bytes]]) -> None:
        self._ask = ask
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._under_way: dict[bytes, asyncio.Task[bytes]] = {}

    async def answer(self, question: bytes) -> bytes:
        """Returns the answer; raises TryAgain if too many different questions wait for theirs."""
        if question in self._kept:
            self._kept.move_to_end(question)
            return self._kept[question]
        task = self._under_way.get(question)
        if task is None:
            if len(self._under_way) >= WAITING_MAX:
                raise TryAgain("lessons: too many visitors ask at once: try again in a few seconds")
            task = asyncio.create_task(self._found(question))
            task.add_done_callback(_expect_no_reader)
            self._under_way[question] = task
        return await asyncio.shield(task)  # a visitor who hangs up ends nobody else's question

    async def _found(self, question: bytes) -> bytes:
        try:
            answer = await self._ask(question)
        finally:
            del self._under_way[question]
        self._keep(question, answer)
        return answer

    def _keep(self, question: bytes, answer: bytes) -> None:
        self._kept[question] = answer
        self._kept_bytes += len(question) + len(answer)
        while self._kept_bytes > KEPT_BYTES_MAX:
            self._kept_bytes -= sum(map(len, self._kept.popitem(last=False)))


def _expect_no_reader(task: asyncio.Task[bytes]) -> None:
    """Takes the error of an answer for which no visitor waits any more."""
    if not task.cancelled():
        task.exception()
