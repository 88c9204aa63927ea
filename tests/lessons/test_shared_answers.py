"""Visitors with the same question share one answer, which is kept within a bound."""

import asyncio
from contextlib import suppress

import pytest

from kraftsim.errors import TryAgain
from kraftsim.lessons import shared_answers
from kraftsim.lessons.shared_answers import SharedAnswers


class Teacher:
    """Answers each question once it is released, and counts the questions."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.released = asyncio.Event()
        self.fails = False

    async def answer(self, question: bytes) -> bytes:
        self.asked.append(question)
        await self.released.wait()
        if self.fails:
            raise TryAgain("ended")
        return question * 10


async def test_a_class_with_one_question_asks_it_once() -> None:
    teacher = Teacher()
    shared = SharedAnswers(teacher.answer)
    visitors = [asyncio.create_task(shared.answer(b"story")) for _ in range(30)]
    await asyncio.sleep(0)

    teacher.released.set()

    assert set(await asyncio.gather(*visitors)) == {b"story" * 10}
    assert await shared.answer(b"story") == b"story" * 10
    assert teacher.asked == [b"story"]


async def test_a_visitor_who_hangs_up_leaves_the_answer_to_the_others() -> None:
    teacher = Teacher()
    shared = SharedAnswers(teacher.answer)
    first, second = (asyncio.create_task(shared.answer(b"story")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    with suppress(asyncio.CancelledError):
        await first

    teacher.released.set()

    assert await second == b"story" * 10
    assert teacher.asked == [b"story"]


async def test_an_error_is_asked_again() -> None:
    teacher = Teacher()
    teacher.released.set()
    teacher.fails = True
    shared = SharedAnswers(teacher.answer)
    with pytest.raises(TryAgain, match="ended"):
        await shared.answer(b"story")

    teacher.fails = False

    assert await shared.answer(b"story") == b"story" * 10


async def test_the_answer_that_was_not_used_for_longest_makes_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared_answers, "KEPT_BYTES_MAX", 30)  # two questions of 1 + 10 bytes
    teacher = Teacher()
    teacher.released.set()
    shared = SharedAnswers(teacher.answer)
    for question in (b"1", b"2", b"1", b"3"):
        await shared.answer(question)

    await shared.answer(b"1")
    assert teacher.asked == [b"1", b"2", b"3"]
    await shared.answer(b"2")
    assert teacher.asked == [b"1", b"2", b"3", b"2"]


async def test_different_questions_under_way_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_answers, "WAITING_MAX", 2)
    teacher = Teacher()
    shared = SharedAnswers(teacher.answer)
    asking = [asyncio.create_task(shared.answer(question)) for question in (b"1", b"2", b"2")]
    await asyncio.sleep(0)

    with pytest.raises(TryAgain, match="too many visitors ask at once"):
        await shared.answer(b"3")

    teacher.released.set()
    assert await asyncio.gather(*asking) == [b"1" * 10, b"2" * 10, b"2" * 10]
