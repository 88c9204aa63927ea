"""Lessons of a service: the list, and the process that plays them."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, cast

from .. import machine_code
from ..errors import CommandError, TryAgain, UnknownEvent, UnknownLesson, UsageError
from ..files.scenario_files import library
from .documents import MEMORY_FULL, Film, LeadDocument, LessonDocument, Story, Why
from .lead import Lead

ANSWER_S: Final = 30.0  # after which the process is ended: no lesson takes as long
WAITING_MAX: Final = 60  # questions that wait for the process; a class of thirty has two each
LINE_BYTES_MAX: Final = 64 * 1024 * 1024
_ERRORS: Final = {error.__name__: error for error in (UsageError, UnknownEvent)}


class Lessons:
    """The lessons that visitors of a service can play. The process starts with the first question.

    A branch is a scenario with a seed, a profile (empty: that of the file) and acts: an array of
    steps in JSON, each with `at`.
    """

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._is_closed = False
        self._turn = asyncio.Lock()
        self._lead = Lead()
        self._waiting = 0

    async def list(self) -> Sequence[LessonDocument]:
        """Returns the scenarios of the library that are lessons."""
        return cast(Sequence[LessonDocument], await self._queued("lessons", {}))

    async def story(self, name: str, seed: int = 17, profile: str = "", acts: str = "[]") -> Story:
        """Returns everything that happens in a branch, with its verdict."""
        words = {"name": name, "seed": seed, "profile": profile, "acts": acts}
        return cast(Story, await self._asked("story", words))

    async def film(
        self,
        name: str,
        seed: int = 17,
        profile: str = "",
        acts: str = "[]",
        from_us: int = 0,
        to_us: int = 0,
    ) -> Film:
        """Returns what is to be seen of a branch between two times in microseconds."""
        words = {"name": name, "seed": seed, "profile": profile, "acts": acts}
        return cast(Film, await self._asked("film", words | {"from_us": from_us, "to_us": to_us}))

    async def why(
        self, name: str, event: int, seed: int = 17, profile: str = "", acts: str = "[]"
    ) -> Why:
        """Returns why an event of a branch happened, in at most five lines."""
        words = {"name": name, "seed": seed, "profile": profile, "acts": acts, "event": event}
        return cast(Why, await self._asked("why", words))

    async def lead(self) -> LeadDocument:
        """Returns the place to which the instructor of a class brings every visitor."""
        return self._lead.document()

    async def steer(self, place: str) -> LeadDocument:
        """Brings every visitor to a place in a lesson, and keeps them there."""
        return self._lead.steer(place)

    async def release(self) -> LeadDocument:
        """Lets every visitor go where they like."""
        return self._lead.release()

    async def predict(self, choice: str) -> LeadDocument:
        """Counts what a visitor predicts at the place of the class."""
        return self._lead.predict(choice)

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

    async def _asked(self, ask: str, words: dict[str, object]) -> object:
        name = str(words["name"])
        if name not in library():
            raise UnknownLesson(name, sorted(library()))
        return await self._queued(ask, words)

    async def _queued(self, ask: str, words: dict[str, object]) -> object:
        if self._waiting >= WAITING_MAX:
            raise TryAgain("lessons: too many visitors ask at once: try again in a few seconds")
        self._waiting += 1
        try:
            async with self._turn:
                return await self._answer(ask, words)
        finally:
            self._waiting -= 1

    async def _answer(self, ask: str, words: dict[str, object]) -> object:
        process = await self._running()
        try:
            async with asyncio.timeout(ANSWER_S):
                line = await _line_of(process, {"ask": ask, "words": words})
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
        reply = json.loads(line)
        if reply.get("kind") == MEMORY_FULL:
            await self._end()
        return _read(reply)

    async def _running(self) -> asyncio.subprocess.Process:
        """Returns the process, which starts with the first question and after each end."""
        if self._process is None and not self._is_closed:
            self._process = await _started()
        if self._process is None or self._is_closed:
            await self._end()
            raise TryAgain("lessons: the service ends: try again when it runs")
        return self._process


async def _started() -> asyncio.subprocess.Process:
    """Starts the process, on modules of Python: compiled objects cannot be copied."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "kraftsim.lessons.worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, machine_code.PURE_VARIABLE: "1"},
        limit=LINE_BYTES_MAX,
        start_new_session=True,  # Ctrl-C is for the service, which ends the process
    )


async def _line_of(process: asyncio.subprocess.Process, question: dict[str, object]) -> bytes:
    """Returns the line that answers a question; an empty one if the process has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):  # then it has no line either
        process.stdin.write(json.dumps(question).encode() + b"\n")
        await process.stdin.drain()
    try:
        return await process.stdout.readline()
    except ValueError:  # of asyncio
        raise UsageError(
            f"lessons: expected an answer of at most {LINE_BYTES_MAX:,} bytes: ask for less"
        ) from None


def _read(reply: dict[str, Any]) -> object:
    if "error" in reply:
        raise _ERRORS.get(reply["kind"], CommandError)(reply["error"])
    return reply["answer"]
