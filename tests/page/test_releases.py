"""Three releases play one lesson side by side; their first difference is text and picture."""

import pytest
from playwright.sync_api import Locator, expect

from tests.page.conftest import OpenScreen
from tests.page.screen import Screen, without_sum

LESSON = "lesson-02-fenced-is-not-dead"  # a broker is cut off from the controllers for 20 s
RELEASES = ("kip-631", "kafka-3.9", "kafka-4.3")


def test_the_first_difference_of_three_releases_is_named_with_its_rules(screen: Screen) -> None:
    compare(screen)

    expect(screen.page.locator(".apart-at")).to_have_text("≠ First difference: T+00:13.0")
    said = screen.page.locator(".did")
    expect(said.nth(0)).to_contain_text("at another time: T+00:22.0")
    expect(said.nth(0)).to_contain_text("A lease lasts 18 s")
    expect(said.nth(1)).to_contain_text("lease of broker 3 expired, no heartbeat for 9.001 s")
    expect(said.nth(1)).to_contain_text("as soon as it is over. rule 2.34")
    expect(said.nth(2)).to_contain_text("looks every 1.125 s")


def test_a_partition_that_changes_with_a_lease_names_the_rule_of_the_lease(
    screen: Screen,
) -> None:
    compare(screen)
    for number in (2, 3):
        screen.page.locator("body").press("d")
        expect(screen.page.locator(".apart-at")).to_contain_text(f"Difference {number} of")

    said = screen.page.locator(".did").nth(1)
    expect(said).to_contain_text("leader 3 -> 1")
    expect(said.locator(".root")).to_contain_text("because: T+00:13.0")
    expect(said.locator(".root")).to_contain_text("lease of broker 3 expired")
    expect(said.locator(".rule")).to_have_count(1)
    expect(said.locator(".rule")).to_contain_text("A lease lasts 9 s")


def test_offsets_that_differ_are_no_difference(screen: Screen) -> None:
    """Each release registers its brokers with other epochs, before the lesson begins."""
    compare(screen)
    seek(screen, screen.ask(f"/v1/lessons/{LESSON}/story", seed=17)["beginUs"])
    epochs = [side(screen, name).locator(".flag").first.text_content() for name in RELEASES]
    assert len(set(epochs)) == 3

    expect(screen.page.locator(".side .differs")).to_have_count(0)


def test_what_differs_is_marked_on_each_stage_at_one_instant(screen: Screen) -> None:
    compare(screen)
    begin_us = screen.ask(f"/v1/lessons/{LESSON}/story", seed=17)["beginUs"]

    seek(screen, begin_us + 18_000_000)

    expect(screen.state_of("3", side(screen, "kip-631"))).to_have_text("unfenced · running")
    for name in ("kafka-3.9", "kafka-4.3"):
        expect(screen.state_of("3", side(screen, name))).to_have_text("fenced · running")
    for name, words in (("kip-631", "unfenced"), ("kafka-3.9", "fenced, zombie")):
        card = screen.card_of("3", side(screen, name))
        expect(card.locator(".mark-words")).to_contain_text(words)
        expect(screen.card_of("2", side(screen, name)).locator(".mark-words")).to_have_count(0)


def test_a_difference_is_told_at_its_moment_and_in_plain_words(screen: Screen) -> None:
    compare(screen, "lesson-01-lease")

    expect(screen.page.locator(".apart-at")).to_have_text("≠ First difference: T+00:04.0")
    said = screen.page.locator(".did").nth(0)
    expect(said).to_contain_text("at another time: T+00:07.0 Broker 2 stops: an 8 s pause.")
    for name in RELEASES:
        last = screen.card_of("3", side(screen, name)).bounding_box()
        assert last is not None
        assert last["y"] + last["height"] <= dock_top(screen), "a card is under the timeline"

    screen.page.locator("body").press("[")
    expect(screen.page.locator(".apart-at")).to_have_text("≠ First difference: T+00:04.0")
    expect(screen.page.locator(".did")).to_have_count(0)


def test_a_key_and_the_mark_on_the_timeline_lead_to_the_first_difference(screen: Screen) -> None:
    compare(screen)
    expect(screen.time).to_have_text("T+00:13.0")

    screen.page.locator("body").press("s")
    expect(screen.time).to_have_text("T+00:14.0")
    screen.page.locator(".apart.first").click()
    expect(screen.time).to_have_text("T+00:13.0")


def test_an_act_is_done_in_every_release_that_is_compared(screen: Screen) -> None:
    compare(screen)
    screen.card_of("1", side(screen, "kafka-3.9")).get_by_role("button").first.click()
    screen.act("Kill")

    for name in RELEASES:
        expect(screen.state_of("1", side(screen, f"{name} · 1 act"))).to_contain_text("gone")


def test_lesson_1_asks_both_questions_with_the_lease_of_kip_631(screen: Screen) -> None:
    screen.open_lesson("lesson-01-lease", profile="kip-631")

    screen.play()
    expect(screen.question).to_contain_text("begins a lease of 18 s")
    screen.question.locator(".choices button").first.click()
    screen.question.get_by_role("button", name="Go on").click()

    expect(screen.question).to_contain_text("Its lease was one of 18 s")
    expect(screen.caption).to_contain_text("a 12 s pause. Its lease has 18 s left")
    screen.question.locator(".choices button").first.click()
    expect(screen.question).to_contain_text("nothing, because its lease lasts")
    screen.question.get_by_role("button", name="Go on").click()
    expect(screen.page.locator(".note", has_text="In kafka-4.4: A broker")).to_be_visible()


def test_records_that_only_some_releases_lose_name_the_rule_of_eligible_leaders(
    screen: Screen,
) -> None:
    lesson = "lesson-17-last-replica-standing"
    compare(screen, lesson)
    begin_us = screen.ask(f"/v1/lessons/{lesson}/story", seed=17)["beginUs"]

    seek(screen, begin_us + 69_900_000)
    expect(side(screen, "kafka-3.9").locator(".replica", has_text="3 to cut")).to_be_visible()
    expect(side(screen, "kafka-4.3").locator(".replica", has_text="eligible")).to_be_visible()
    while "cuts its log" not in screen.page.locator(".did").nth(1).inner_text():
        screen.page.locator("body").press("d")

    said = screen.page.locator(".did")
    expect(said.nth(1)).to_contain_text("of which 3 had been committed")
    expect(said.nth(1).locator(".rule")).to_contain_text("the last replica stays in the ISR")
    expect(said.nth(2)).to_contain_text("does not happen")
    expect(said.nth(2).locator(".rule")).to_contain_text("stays eligible to lead (ELR)")


@pytest.mark.parametrize("width", [1024, 390])
def test_a_narrow_screen_shows_three_columns_or_the_active_one(
    open_screen: OpenScreen, width: int
) -> None:
    screen = open_screen(width=width)
    compare(screen)

    visible = [side(screen, name).is_visible() for name in RELEASES]
    assert visible == [True, width > 700, width > 700]
    for name in RELEASES:
        expect(screen.page.locator(".did", has_text=name)).to_be_visible()
    room = screen.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert room[0] <= room[1]


def compare(screen: Screen, lesson: str = LESSON) -> None:
    """Compares three releases, which shows them at the moment of their first difference."""
    screen.open_lesson(lesson)
    screen.page.get_by_role("button", name="compare releases").click()
    expect(screen.page.locator(".side")).to_have_count(3)
    expect(screen.page.locator(".did")).to_have_count(3)


def dock_top(screen: Screen) -> float:
    dock = screen.page.locator(".dock").bounding_box()
    assert dock is not None
    return dock["y"]


def side(screen: Screen, name: str) -> Locator:
    """The stage of a branch, by what its name ends with: its release, and the number of acts."""
    return screen.page.locator(f".side[aria-label$='{name}']")


def seek(screen: Screen, us: int) -> None:
    """Reloads the address with another time."""
    screen.page.wait_for_function("location.hash.includes('beside=1%2C2%2C3')")
    place = without_sum(screen.page.url).rpartition("&t=")[0]
    screen.page.goto(f"{place}&t={us}")
    expect(screen.page.locator(".side-by-side[aria-busy=false]")).to_be_visible()
