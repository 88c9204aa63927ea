"""Lessons over HTTP: files of what a link shows, and events that a lesson does not have."""

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from tests.kraftsim.test_http_lessons import LESSON, Service, serving, story

pytestmark = pytest.mark.realtime


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with serving() as service:
        yield service


async def test_a_visitor_saves_what_a_link_shows(service: Service) -> None:
    _, visitor, _ = service
    branches = '[{}, {"profile": "kip-631"}]'
    link = f"#lesson={LESSON}&seed=17&active=1&branches={quote(branches)}"

    page = await visitor.post("/v1/lessons/export", {"link": link})
    damaged = await visitor.post(
        "/v1/lessons/export", {"link": link.replace("active=1", "active=2")}
    )
    unknown = await visitor.post("/v1/lessons/export", {"link": "lesson=nothing"})

    assert page.document["name"] == f"{LESSON}-B.html"
    assert page.document["text"].startswith("<!doctype html>")
    assert (damaged.status, unknown.refusal) == (400, (404, -1, "UNKNOWN_LESSON"))
    assert "expected active as the number of a branch, 0 to 1" in damaged.document["message"]


async def test_an_event_that_a_lesson_has_not_is_not_found(service: Service) -> None:
    _, visitor, _ = service
    last = (await story(visitor)).document["events"][-1]["lastSeq"]

    answer = await visitor.get(f"/v1/lessons/{LESSON}/why", event=last + 1)

    assert answer.refusal == (404, -1, "UNKNOWN_EVENT")
    assert answer.document["message"].startswith(f"no event {last + 1}: expected a number")
    assert f"(0 to {last})" in answer.document["message"]
