"""axe-core has no serious finding, in any light and width, and nothing needs to be pushed aside."""

from collections.abc import Callable
from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.page.screen import Screen

SCREENS: Final = (("light", 1280), ("light", 1024), ("light", 390), ("dark", 1280))
GRAVE = ("serious", "critical")
LESSON = "gc-pause-longer-than-lease"


def live(screen: Screen) -> None:
    screen.open_live()


def live_with_facts(screen: Screen) -> None:
    screen.open_live()
    screen.select("Broker", 1)


def lesson(screen: Screen) -> None:
    screen.open_lesson(LESSON)


def lesson_with_branches(screen: Screen) -> None:
    screen.open_lesson(LESSON)
    screen.select("Broker", 1)
    screen.act("Kill")
    screen.page.get_by_label("side by side").check()
    screen.page.keyboard.press("Escape")


def question(screen: Screen) -> None:
    screen.open_lesson("lesson-01-lease")
    screen.play()
    expect(screen.question).to_be_visible()


def replicas(screen: Screen) -> None:
    screen.open_lesson("lesson-17-last-replica-standing", t=60_000_000)
    expect(screen.page.locator(".replica.eligible")).to_be_visible()


def keys_and_words(screen: Screen) -> None:
    screen.open_lesson(LESSON)
    screen.page.keyboard.press("?")
    expect(screen.page.get_by_role("dialog")).to_be_visible()


SHOWN = (
    *(live, live_with_facts, lesson, lesson_with_branches, question, replicas),
    keys_and_words,
)


@pytest.mark.parametrize("show", SHOWN, ids=lambda show: show.__name__)
def test_axe_has_no_serious_finding(screen: Screen, show: Callable[[Screen], None]) -> None:
    show(screen)
    found: dict[tuple[str, int], list[str]] = {}
    for scheme, width in SCREENS:
        screen.page.emulate_media(color_scheme=scheme)
        screen.page.set_viewport_size({"width": width, "height": 800})
        found[scheme, width] = findings(screen) + pushed_aside(screen, width)

    assert {shown: text for shown, text in found.items() if text} == {}


@pytest.mark.parametrize("show", SHOWN[:-1], ids=lambda show: show.__name__)
def test_time_is_in_sight_of_a_small_screen(screen: Screen, show: Callable[[Screen], None]) -> None:
    screen.page.set_viewport_size({"width": 1024, "height": 768})

    show(screen)

    for part in (".caption", ".timeline", ".controls"):
        expect(screen.page.locator(part)).to_be_in_viewport(ratio=1)


def findings(screen: Screen) -> list[str]:
    violations = Axe().run(screen.page).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for violation in violations
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


def pushed_aside(screen: Screen, width: int) -> list[str]:
    """Returns a complaint if the page is wider than the window."""
    wide = screen.page.evaluate("document.documentElement.scrollWidth")
    return [] if wide <= width else [f"{wide} px wide"]
