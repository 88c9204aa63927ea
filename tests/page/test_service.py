"""The page says when its service does not answer, who may steer a class, and that a token is wrong.

Each test has a service of its own, which it stops or which has a token.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from tests.interop.running import Service, kraftsim_up
from tests.page.screen import Screen

TOKEN = "secret-of-the-instructor"
LESSON = "lesson-01-lease"


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Pages that may complain, because their service refuses them or is gone."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


def test_a_service_that_is_stopped_or_has_ended_is_said_live_and_in_a_lesson(
    context: BrowserContext, tmp_path: Path
) -> None:
    with kraftsim_up(tmp_path, brokers=1, settings="") as service:
        live, lesson = (
            Screen(context.new_page(), service.url),
            Screen(context.new_page(), service.url),
        )
        live.open_live()
        lesson.open_lesson(LESSON)
        warning = lesson.page.get_by_role("alert")

        service.process.send_signal(signal.SIGSTOP)
        live.page.bring_to_front()
        expect(live.caption).to_contain_text("has not answered for 3 s: it is stopped, or busy")
        lesson.page.bring_to_front()
        expect(warning).to_contain_text("has not answered for 3 s: it is stopped, or busy")
        expect(warning).to_contain_text("What this page has loaded can still be seen")

        service.process.send_signal(signal.SIGCONT)
        expect(warning).to_have_count(0)
        live.page.bring_to_front()
        expect(live.caption).not_to_contain_text("answer")

        service.process.kill()
        expect(live.caption).to_contain_text("does not answer: is kraftsim still running?")
        live.page.set_viewport_size({"width": 390, "height": 844})
        toast = live.page.locator(".toast")
        expect(toast).to_contain_text("does not answer: is kraftsim still running?")
        expect(toast).to_be_in_viewport(ratio=1)
        lesson.page.bring_to_front()
        expect(warning).to_contain_text("does not answer: is kraftsim still running?")
        lesson.page.evaluate("scrollTo(0, document.body.scrollHeight)")
        expect(warning).to_be_in_viewport(ratio=1)


@pytest.fixture
def class_room(tmp_path: Path) -> Iterator[Service]:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    words = ("--open-lessons", "--token-file", str(token))
    with kraftsim_up(tmp_path, *words, brokers=1, settings="") as service:
        yield service


def test_the_page_says_at_once_that_a_token_is_wrong(
    context: BrowserContext, class_room: Service
) -> None:
    screen = opened(context, class_room, f"#token={TOKEN[:-1]}")

    expect(screen.page.get_by_role("alert")).to_contain_text("is not that of the service")
    expect(screen.page.locator(".claim")).to_contain_text("Lesson 1")
    expect(steer(screen)).to_have_count(0)


def test_who_has_the_token_may_steer_and_a_visitor_may_not_even_on_loopback(
    context: BrowserContext, class_room: Service
) -> None:
    visitor = opened(context, class_room, "")
    expect(visitor.page.locator(".claim")).to_contain_text("Lesson 1")
    instructor = opened(context, class_room, f"#token={TOKEN}")
    expect(instructor.caption).to_be_visible()
    instructor.page.goto(f"{class_room.url}/#lesson={LESSON}")

    steer(instructor).click()

    expect(instructor.page.get_by_role("button", name="release the class")).to_be_visible()
    visitor.page.bring_to_front()
    expect(visitor.page.locator(".page")).to_contain_text("The instructor shows this moment")
    expect(steer(visitor)).to_have_count(0)


def opened(context: BrowserContext, service: Service, fragment: str) -> Screen:
    screen = Screen(context.new_page(), service.url)
    screen.page.goto(f"{service.url}/{fragment}")
    return screen


def steer(screen: Screen) -> Locator:
    return screen.page.get_by_role("button", name="steer the class here")
