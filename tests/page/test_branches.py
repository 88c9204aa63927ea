"""To act in the past makes a branch: both futures stay, and their first difference is named."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, expect

from tests.page.conftest import OpenScreen
from tests.page.screen import Screen
from tests.page.test_lessons import file_time

LESSON = "gc-pause-longer-than-lease"
SECOND_US = 1_000_000


def test_an_act_in_the_past_keeps_the_old_future_beside_the_new(screen: Screen) -> None:
    begin_us = open_at(screen, 5 * SECOND_US)
    kill_the_first_broker(screen)

    expect(branch(screen, "A")).to_be_visible()
    expect(branch(screen, "B")).to_have_attribute("aria-pressed", "true")
    expect(screen.state_of("1")).to_have_text("unfenced · gone")

    branch(screen, "A").click()
    expect(screen.state_of("1")).to_have_text("unfenced · running")
    assert begin_us > 0


def test_the_first_difference_of_two_branches_is_named_and_reached(screen: Screen) -> None:
    open_at(screen, 5 * SECOND_US)
    kill_the_first_broker(screen)

    expect(screen.page.locator(".did").nth(1)).to_contain_text("T+00:05.0 broker 1")

    screen.page.get_by_role("button", name="first difference").click()
    expect(screen.time).to_have_text("T+00:05.0")


def test_side_by_side_shows_both_branches_at_one_time(screen: Screen) -> None:
    open_at(screen, 5 * SECOND_US)
    kill_the_first_broker(screen)
    screen.page.get_by_label("side by side").check()

    screen.pick_event(only_fences(screen))

    expect(screen.state_of("1", side(screen, 0))).to_have_text("unfenced · running")
    expect(screen.state_of("1", side(screen, 1))).to_have_text("fenced · gone")


def test_a_link_shows_the_same_branch_at_the_same_time(
    screen: Screen, open_screen: OpenScreen
) -> None:
    open_at(screen, 5 * SECOND_US)
    kill_the_first_broker(screen)
    screen.page.get_by_role("button", name="fence", exact=True).click()
    expect(screen.state_of("1")).to_have_text("fenced · gone")
    screen.page.get_by_role("button", name="share").click()
    expect(screen.page.get_by_role("button", name="link copied")).to_be_visible()

    other = open_screen()
    other.page.goto(screen.page.url)

    expect(other.time).to_have_text(screen.time.inner_text())
    other.expect_brokers(screen.shown_brokers())
    expect(branch(other, "A")).to_be_visible()
    expect(branch(other, "B")).to_have_attribute("aria-pressed", "true")


def test_a_reload_shows_the_same_branches_side_by_side_at_the_same_time(screen: Screen) -> None:
    open_at(screen, 5 * SECOND_US)
    kill_the_first_broker(screen)
    screen.page.get_by_label("side by side").check()
    screen.page.get_by_role("button", name="fence", exact=True).click()
    expect(screen.state_of("1", side(screen, 1))).to_have_text("fenced · gone")
    before = screen.time.inner_text()
    screen.page.wait_for_function("location.hash.includes('beside=0%2C1')")
    expect(screen.page.locator(".side-by-side[aria-busy=false]")).to_be_visible()
    address = screen.page.url

    screen.page.reload()

    expect(screen.time).to_have_text(before)
    expect(screen.state_of("1", side(screen, 1))).to_have_text("fenced · gone")
    expect(screen.state_of("1", side(screen, 0))).to_have_text("unfenced · running")
    assert screen.page.url == address


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"seed": "x"}, 'expected seed as a whole number, got "x"'),
        ({"acts": "[{"}, "expected acts as an array of objects in JSON"),
        ({"branches": '[{"acts": [3]}]'}, "expected acts as an array of steps, each with a time"),
        ({"active": "4"}, "expected active as the number of a branch, 0 to 0, got 4"),
    ],
)
def test_a_damaged_link_says_what_was_expected(
    screen: Screen, words: dict[str, str], what: str
) -> None:
    screen.page.goto(f"{screen.url}/#{urlencode({'lesson': LESSON, **words})}")

    expect(screen.page.locator(".failure")).to_contain_text("This link is damaged: ")
    expect(screen.page.locator(".failure")).to_contain_text(what)
    expect(screen.page.get_by_role("button", name="Open lesson 1")).to_be_visible()


@pytest.mark.parametrize("lost", [1, 9, 60])
def test_a_link_that_lost_its_end_is_recognised(screen: Screen, lost: int) -> None:
    screen.open_lesson(LESSON, acts=[{"at": "5s", "proc.crash": {"on": 1}}])
    screen.page.wait_for_function("location.hash.startsWith('#sum=')")

    whole = screen.page.url
    screen.page.goto("about:blank")
    screen.page.goto(whole[:-lost])

    expect(screen.page.locator(".failure")).to_contain_text("its end is missing")
    expect(screen.page.get_by_role("button", name="Open lesson 1")).to_be_visible()


def test_a_branch_is_asked_nothing_whose_answer_the_act_may_change(screen: Screen) -> None:
    """Its lesson asks what a pause of 12 s will come to: broker 2 does not live to see it."""
    name = "lesson-01-lease"
    story = screen.ask(f"/v1/lessons/{name}/story", seed=17)
    kill = {"at": "1s", "proc.crash": {"on": 2}}
    screen.open_lesson(name, acts=[kill])

    asked = screen.play_to_the_end(file_time(story["endUs"] - story["beginUs"]))

    assert asked == 0
    assert [caption for caption in story["captions"] if caption["ask"]]


def open_at(screen: Screen, offset_us: int) -> int:
    """Opens the lesson at a time after its first step could be; returns when that is."""
    begin_us: int = screen.ask(f"/v1/lessons/{LESSON}/story", seed=17)["beginUs"]
    screen.open_lesson(LESSON, t=begin_us + offset_us)
    return begin_us


def kill_the_first_broker(screen: Screen) -> None:
    """Kills it, and stops the branch that this makes, which plays at once."""
    screen.select("Broker", 1)
    screen.act("Kill")
    expect(branch(screen, "B")).to_be_visible()
    screen.page.get_by_role("button", name="pause", exact=True).click()


def branch(screen: Screen, letter: str) -> Locator:
    group = screen.page.get_by_role("group", name="Branches")
    return group.get_by_role("button", name=re.compile(rf"^{letter} ·"))


def side(screen: Screen, number: int) -> Locator:
    return screen.page.locator(".side").nth(number)


def only_fences(screen: Screen) -> int:
    """Filters the list of events: that of broker 1, then that of the lesson; returns the first."""
    screen.page.get_by_label("Find events").fill("broker_fenced")
    events = screen.page.get_by_role("region", name="Rows of events").locator("ol")
    expect(events).to_have_attribute("aria-label", "2 events")
    return 0
