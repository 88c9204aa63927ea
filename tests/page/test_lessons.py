"""Every lesson plays to its end, and rewinds to the very state that it was in."""

import re
from random import Random

import pytest
from playwright.sync_api import expect

from tests.page.lesson_plays import SEED, lesson_names, moments_of
from tests.page.screen import Screen

# A lease, a zombie, logs of controllers, an unclean election, logs of replicas: all that is drawn.
IN_THE_GATE = (
    "lesson-01-lease",
    "lesson-03-zombie",
    "lesson-14-lag-that-one-can-see",
    "lesson-15-unclean-election",
    "lesson-16-where-logs-part",
)
LESSONS = [
    pytest.param(name, marks=[] if name in IN_THE_GATE else pytest.mark.soak)
    for name in lesson_names()
]


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_plays_to_its_end_and_rewinds_to_any_event(screen: Screen, name: str) -> None:
    screen.open_lesson(name)
    story = screen.ask(f"/v1/lessons/{name}/story", seed=SEED)
    begin_us, end_us = story["beginUs"], story["endUs"]
    later = [event for event in enumerate(story["events"]) if event[1]["atUs"] > begin_us]
    number, event = Random(name).choice(later)
    middle, end = moments_of(name, event["atUs"], end_us)

    answered = screen.play_to_the_end(file_time(end_us - begin_us))

    assert answered == len([caption for caption in story["captions"] if caption["ask"]])
    screen.expect_brokers(end.brokers)

    screen.pick_event(number)

    expect(screen.time).to_have_text(file_time(event["atUs"] - begin_us))
    screen.expect_brokers(middle.brokers)
    moment = {"fromUs": event["atUs"], "toUs": event["atUs"]}
    assert screen.ask(f"/v1/lessons/{name}/film", seed=SEED, **moment)["digest"] == middle.digest


def file_time(offset_us: int) -> str:
    """The time that the page shows, counted from the first step."""
    minutes, rest = divmod((offset_us + 50_000) // 100_000, 600)
    return f"T+{minutes:02}:{rest / 10:04.1f}"


def test_the_answer_about_lost_records_names_the_unclean_election(screen: Screen) -> None:
    screen.open_lesson("lesson-15-unclean-election")
    screen.play()
    for _ in range(2):
        screen.question.locator(".choices button").first.click()
        screen.question.get_by_role("button", name="Go on").click()
    screen.question.locator(".choices button").first.click()

    led = screen.question.get_by_role("list", name="What led to it")
    expect(led).to_contain_text("T+00:56.0 The operator asks for an unclean election")
    expect(led).to_contain_text("orders-0: leader none -> 1")


def test_a_follower_shows_what_it_has_and_what_it_will_cut(screen: Screen) -> None:
    screen.open_lesson("lesson-16-where-logs-part")
    screen.play()
    screen.question.locator(".choices button").first.click()
    acknowledged = screen.page.locator(".replica", has_text="in sync")
    expect(acknowledged.locator("small")).to_contain_text(["end 9", "end 9"])
    expect(acknowledged.locator(".unlearned")).to_have_count(2)
    screen.question.get_by_role("button", name="Go on").click()

    expect(screen.question).to_contain_text("The former leader reaches the others again")

    former = screen.page.locator(".replica", has_text="out of sync")
    expect(former.locator("small")).to_contain_text("lacks 12, 3 to cut")
    expect(former.locator(".parted")).to_have_attribute("title", re.compile("^3 records"))
    screen.question.locator(".choices button").first.click()
    led = screen.question.get_by_role("list", name="Chain of causes")
    expect(led).to_contain_text("lease of broker 2 expired")
    expect(led).to_contain_text("broker 2 cuts its log of orders-0: 3 records from offset 30 on")
    screen.question.get_by_role("button", name="Go on").click()
    expect(screen.page.locator(".parted")).to_have_count(0)


def test_a_new_replica_shows_how_much_it_lacks_until_it_joins(screen: Screen) -> None:
    screen.open_lesson("lesson-18-reassignment-that-waits")
    screen.play()
    screen.question.locator(".choices button").first.click()
    screen.question.get_by_role("button", name="Go on").click()
    expect(screen.question).to_contain_text("The firewall opens")
    expect(screen.page.locator(".partition h3")).to_contain_text("adds 1, removes 3")
    screen.question.locator(".choices button").first.click()
    screen.question.get_by_role("button", name="Go on").click()
    expect(screen.page.locator(".replica")).to_have_count(1)

    screen.pick_event_with("replicas 1,3 -> 1")
    expect(screen.caption).to_contain_text("the same change ends the reassignment")
    screen.pick_event_with("replica.stop ends")
    expect(screen.page.locator(".replica", has_text="joins")).to_contain_text(
        re.compile(r"lacks 7\d0")
    )
