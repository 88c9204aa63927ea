"""Pictures of the page for people to look at, in build/page: nothing compares their pixels."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.page.screen import Screen

FOLDER = Path(__file__).parents[2] / "build" / "page"
SCHEMES: Final = ("light", "dark")
SIZES = ((1280, 800), (1024, 768), (390, 844))
LESSON = "gc-pause-longer-than-lease"


def idle(screen: Screen) -> None:
    screen.open_live()


def mid_fault(screen: Screen) -> None:
    screen.open_lesson(LESSON)
    screen.page.get_by_role("button", name="fence", exact=True).click()
    expect(screen.page.locator("article.broker .mismatch")).to_have_count(1)
    screen.page.locator("article.broker", has=screen.page.locator(".mismatch")).get_by_role(
        "button"
    ).first.click()


def asked(screen: Screen) -> None:
    screen.open_lesson("lesson-01-lease")
    screen.play("60")
    expect(screen.question).to_be_visible()


def compared(screen: Screen) -> None:
    screen.open_lesson(LESSON)
    screen.select("Broker", 1)
    screen.act("Kill")
    screen.page.get_by_label("side by side").check()
    screen.page.get_by_role("button", name="fence", exact=True).click()
    expect(screen.page.locator("article.broker.fenced")).to_have_count(1)
    expect(screen.page.locator(".side").first.locator(".over")).to_have_count(0)  # fetched
    screen.page.keyboard.press("Escape")
    screen.page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


@pytest.mark.parametrize("show", [idle, mid_fault, asked, compared], ids=lambda show: show.__name__)
def test_the_page_is_photographed(screen: Screen, show: Callable[[Screen], None]) -> None:
    show(screen)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for scheme, (width, height) in product(SCHEMES, SIZES):
        screen.page.emulate_media(color_scheme=scheme)
        screen.page.set_viewport_size({"width": width, "height": height})
        screen.page.evaluate(
            "document.querySelector('.broker.selected')?.scrollIntoView({ block: 'nearest' })"
        )
        path = FOLDER / f"{show.__name__}-{width}x{height}-{scheme}.png"
        screen.page.screenshot(path=path)
        assert path.stat().st_size > 0
