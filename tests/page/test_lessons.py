"""Every lesson plays to its end, and rewinds to the very state that it was in."""

from random import Random

import pytest
from playwright.sync_api import expect

from tests.page.lesson_plays import SEED, lesson_names, moments_of
from tests.page.screen import Screen


@pytest.mark.parametrize("name", lesson_names())
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
