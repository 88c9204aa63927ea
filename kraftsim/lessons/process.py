"""The process beside the service that plays lessons: it starts with the first question."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from .. import machine_code
from ..errors import CommandError, TryAgain, UnknownEvent, UsageError
from .documents import MEMORY_FULL
from .offer import Offer

ANSWER_S: Final = 30.0  # after which the process is ended: no lesson takes as long
LINE_BYTES_MAX: Final = 64 * 1024 * 1024
_ERRORS: Final[Mapping[str, type[Exception]]] = {
    UsageError.__name__: UsageError,
    UnknownEvent.__name__: UnknownEvent,
    MEMORY_FULL: MemoryError,
}


class LessonProcess:
    """Passes questions to the process, one at a time, and starts another one if it has ended.

    The process gets the `offer` of a run, if there is one, before the first question.
    """

    def __init__(self, offer: Offer | None) -> None:
        self._offer = offer
        self._process: asyncio.subprocess.Process | None = None
        self._is_closed = False
        self._turn = asyncio.Lock()

    async def answer(self, question: bytes) -> bytes:
        """Returns the line that answers a question, which is a line of JSON too.

        Raises CommandError for a refusal, TimeoutError after ANSWER_S, TryAgain if the process or
        the service ends.
        """
        async with self._turn:
            line = await self._line_of(question)
            try:
                read_answer(line)
            except MemoryError as error:
                await self._end()
                raise CommandError(str(error)) from None
            return line

    async def close(self) -> None:
        """Ends the process for good; questions that wait for it are refused."""
        self._is_closed = True
        await self._end()
        async with self._turn:  # a process that was about to start
            await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _line_of(self, question: bytes) -> bytes:
        process = await self._running()
        try:
            async with asyncio.timeout(ANSWER_S):
                line = await _exchanged(process, question)
        except TimeoutError:
            await self._end()
            raise TimeoutError(
                f"lessons: no answer within {ANSWER_S:g} s: take a shorter scenario, or fewer acts"
            ) from None
        except BaseException:  # the next question must not get the answer to this one
            await self._end()
            raise
        if not line:
            await self._end()
            raise TryAgain("lessons: the process that plays them ended: try again")
        return line

    async def _running(self) -> asyncio.subprocess.Process:
        """Returns the process, which starts with the first question and after each end."""
        if self._process is None and not self._is_closed:
            self._process = await _started(self._offer)
        if self._process is None or self._is_closed:
            await self._end()
            raise TryAgain("lessons: the service ends: try again when it runs")
        return self._process


async def _started(offer: Offer | None) -> asyncio.subprocess.Process:
    """Starts the process, on modules of Python: compiled objects cannot be copied."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "kraftsim.lessons.worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, machine_code.PURE_VARIABLE: "1"},
        limit=LINE_BYTES_MAX,
        start_new_session=True,  # Ctrl-C is for the service, which ends the process
    )
    assert process.stdin is not None
    document = None if offer is None else offer.to_document()
    process.stdin.write(json.dumps(document).encode() + b"\n")
    return process


async def _exchanged(process: asyncio.subprocess.Process, question: bytes) -> bytes:
    """Returns the line that answers a question; an empty one if the process has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):  # then it has no line either
        process.stdin.write(question + b"\n")
        await process.stdin.drain()
    try:
        return await process.stdout.readline()
    except ValueError:  # of asyncio
        raise UsageError(
            f"lessons: expected an answer of at most {LINE_BYTES_MAX:,} bytes: ask for less"
        ) from None


def read_answer(line: bytes) -> object:
    """Returns the answer that a line of the process has; raises the error that it has instead."""
    reply = json.loads(line)
    if "error" not in reply:
        return reply["answer"]
    raise _ERRORS.get(reply["kind"], CommandError)(reply["error"])
