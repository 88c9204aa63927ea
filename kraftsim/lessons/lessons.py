"""Lessons of a service: the list, and the answers to the questions of visitors."""

import json
from collections.abc import Sequence
from typing import cast

from .documents import ExportDocument, Film, LeadDocument, LessonDocument, Story, Why
from .lead import Lead
from .link import read_link
from .offer import Offer, expect_lesson
from .process import LessonProcess, read_answer
from .shared_answers import SharedAnswers


class Lessons:
    """The lessons that visitors of a service can play: those of the library, and an offered run.

    A branch is a scenario with a seed, a profile (empty: that of the file) and acts: an array of
    steps in JSON, each with `at`.
    """

    def __init__(self, process: LessonProcess, offer: Offer | None = None) -> None:
        self._process, self._offer = process, offer
        self._shared = SharedAnswers(self._process.answer)
        self._lead = Lead(offer)

    async def list(self) -> Sequence[LessonDocument]:
        """Returns the offered run, and the scenarios of the library that are lessons."""
        return cast(Sequence[LessonDocument], await self._answer("lessons"))

    async def story(self, name: str, seed: int = 17, profile: str = "", acts: str = "[]") -> Story:
        """Returns everything that happens in a branch, with its verdict."""
        return cast(Story, await self._told("story", name, seed, profile, acts))

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
        times = {"from_us": from_us, "to_us": to_us}
        return cast(Film, await self._told("film", name, seed, profile, acts, **times))

    async def why(
        self, name: str, event: int, seed: int = 17, profile: str = "", acts: str = "[]"
    ) -> Why:
        """Returns why an event of a branch happened, in at most five lines."""
        return cast(Why, await self._told("why", name, seed, profile, acts, event=event))

    async def export(self, link: str, format: str = "html") -> ExportDocument:
        """Returns what a link of the page shows as a file: html, perfetto or shiviz."""
        expect_lesson(read_link(link).name, self._offer)
        return cast(ExportDocument, await self._answer("export", link=link, format=format))

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

    async def _told(
        self, ask: str, name: str, seed: int, profile: str, acts: str, **words: int
    ) -> object:
        """Answers a question about a branch; raises UnknownLesson if there is no such lesson."""
        expect_lesson(name, self._offer)
        return await self._answer(ask, name=name, seed=seed, profile=profile, acts=acts, **words)

    async def _answer(self, ask: str, **words: object) -> object:
        question = json.dumps({"ask": ask, "words": words}).encode()
        return read_answer(await self._shared.answer(question))
