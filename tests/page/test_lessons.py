"""Every lesson plays to its end, and rewinds to the very state that it was in."""

from random import Random

import pytest
from playwright.sync_api import expect

from tests.page.lesson_plays import SEED, lesson_names, moments_of
from tests.page.screen import Screen

# A lease, a zombie, replicas that lag, records that are lost: between them, all that is drawn.
IN_THE_GATE = (
    "lesson-01-lease",
    "lesson-03-zombie",
    "lesson-14-lag-that-one-can-see",
    "lesson-15-unclean-election",
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
