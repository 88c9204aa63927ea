"""Everything on the page can be done without a mouse."""

from playwright.sync_api import Locator, expect

from tests.page.lesson_plays import lesson_names
from tests.page.screen import Screen
from tests.page.test_lessons import file_time

TABS_MAX = 60  # to reach a control from the begin of the page


def test_a_lesson_goes_from_first_to_last_by_keys(screen: Screen) -> None:
    story = screen.ask(f"/v1/lessons/{lesson_names()[0]}/story")
    end = file_time(story["endUs"] - story["beginUs"])
    screen.open_live()
    press_on(screen, screen.page.get_by_role("button", name="Start lesson 1"))
    screen.expect_story()
    screen.page.keyboard.press("Space")  # the first lesson plays by itself
    tab_to(screen, screen.page.get_by_label("speed"))
    screen.page.keyboard.press("End")  # of the list: the highest speed
    screen.page.keyboard.press("Escape")  # leaves it

    screen.page.keyboard.press("Space")
    while screen.is_asked_before(end):
        expect(screen.question).to_be_focused()  # and no choice, which Space would take
        screen.page.keyboard.press("Tab")
        expect(screen.question.locator(".choices button").first).to_be_focused()
        screen.page.keyboard.press("Enter")
        expect(screen.question.get_by_role("button", name="Go on")).to_be_focused()
        screen.page.keyboard.press("Enter")

    screen.page.keyboard.press("[")
    expect(screen.time).not_to_have_text(end)
    last = screen.time.inner_text()
    screen.page.keyboard.press("[")
    expect(screen.time).not_to_have_text(last)
    screen.page.keyboard.press("]")
    expect(screen.time).to_have_text(last)


def test_a_broker_is_broken_by_keys_and_the_panel_closes(screen: Screen) -> None:
    screen.open_lesson("gc-pause-longer-than-lease")

    screen.page.keyboard.press("b")
    kill = screen.panel.get_by_role("button", name="Kill", exact=True)
    tab_to(screen, kill)
    expect(screen.panel.locator(".command")).to_contain_text("proc.crash")
    screen.page.keyboard.press("Enter")
    expect(screen.state_of("1")).to_have_text("unfenced · gone")

    screen.page.keyboard.press("Escape")
    expect(screen.panel).to_have_count(0)


def test_the_keys_are_explained_by_a_key(screen: Screen) -> None:
    screen.open_live()

    screen.page.keyboard.press("?")

    explained = screen.page.get_by_role("dialog", name="Keys and words")
    expect(explained).to_contain_text("previous or next turning point")
    screen.page.keyboard.press("Escape")
    expect(explained).to_have_count(0)


def press_on(screen: Screen, control: Locator) -> None:
    tab_to(screen, control)
    screen.page.keyboard.press("Enter")


def tab_to(screen: Screen, control: Locator) -> None:
    """Presses Tab until the control has the focus, which must be visible."""
    expect(control).to_be_visible()
    for _ in range(TABS_MAX):
        screen.page.keyboard.press("Tab")
        if control.evaluate("element => element === document.activeElement"):
            break
    expect(control).to_be_focused()
    assert control.evaluate("element => getComputedStyle(element).outlineStyle") != "none"
