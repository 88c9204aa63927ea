"""A run that fails is marked where it breaks a property, with the event before and its causes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.kraftsim.test_open_run import HOPEFUL, Opened, opened
from tests.page.screen import Screen


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Opened]:
    path = tmp_path / "hopeful.yaml"
    path.write_text(HOPEFUL.replace(', "checks.py:holds"', ""))
    with opened(str(path), "--seed", "3") as page:
        yield page


@pytest.fixture
def screen(browser: Browser, run: Opened) -> Iterator[Screen]:
    context = browser.new_context()
    yield Screen(context.new_page(), run.address)
    context.close()  # before the service ends, which the page asks every two seconds


def test_an_opened_run_shows_what_it_breaks_and_why(screen: Screen) -> None:
    screen.page.goto(screen.url)
    violation = screen.page.get_by_role("region", name="Broken properties")

    expect(violation).to_contain_text(
        "The lesson went another way than its file claims: what it excludes has happened"
    )
    expect(violation.get_by_text("expected never:")).to_be_hidden()
    expect(violation).to_contain_text("The event: T+00:13.7 broker 2 is fenced")
    expect(screen.time).to_have_text("T+00:13.7")
    expect(screen.page.locator(".timeline .broken")).to_have_count(1)
    violation.get_by_role("button", name="why").click()
    expect(screen.panel.locator(".why")).to_contain_text("broker 2 is PAUSED")
    screen.page.get_by_role("button", name="previous turning point").click()
    expect(screen.state_of("2")).to_have_text("unfenced · paused")
    assert screen.complaints == []


def test_an_event_tells_its_causes_while_its_film_is_on_the_way(screen: Screen) -> None:
    held = screen.hold_later_films()
    screen.page.goto(screen.url)
    screen.page.get_by_role("button", name="mismatch").click()
    screen.page.keyboard.press("b")
    screen.page.get_by_role("button", name="why").click()
    expect(screen.panel.locator(".why")).to_contain_text("broker 2 is PAUSED")

    for film in held:
        film.continue_()

    expect(screen.state_of("2")).to_be_visible()
    assert screen.complaints == []
