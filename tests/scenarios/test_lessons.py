"""The eighteen lessons of the page: each asks before its moment, and shows each of its captions."""

import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from kraftsim.cli.scenario.narration import run_lines
from kraftsim.controller.core.profile import DEFAULT_PROFILE, KAFKA_4_4, KIP_631, PROFILES
from kraftsim.scenarios.document.caption import Caption, captions_in
from kraftsim.scenarios.document.plan import settings_of
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.language.texts import filled
from kraftsim.scenarios.running.run import Run, run
from kraftsim.scenarios.running.story import story
from tests.scenarios.read_library import Library

LESSONS = Library("lesson-")
SEED = 17
LOSS = "lesson-15-unclean-election"
A_HUNDRED_SECONDS_US = 100_000_000
# The oldest and the one with other leases stand for those between.
APART = ("kafka-3.9", "kip-631")
OTHER_RELEASES = [
    release if release in APART else pytest.param(release, marks=pytest.mark.soak)
    for release in PROFILES
    if release != DEFAULT_PROFILE.name
]


def asking(**words):
    caption = {"on": "broker_fenced", "say": "Fenced.", "ask": "When?", "choices": ["now", "later"]}
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "one",
            "claim": "Nothing happens.",
            "lesson": [caption | words],
        }
    )


def test_the_library_lists_the_lessons_in_their_order():
    titles = [scenario.title for scenario in LESSONS.values()]

    assert 18 == len(titles)
    for number, (name, title) in enumerate(zip(LESSONS, titles, strict=True), 1):
        assert name.startswith(f"lesson-{number:02}-")
        assert title.startswith(f"Lesson {number}: ")


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_small_and_asks_a_question(name):
    scenario = LESSONS[name]
    times = scenario.time

    assert "lesson" in scenario.tags
    assert any(caption.ask for caption in scenario.lesson)
    assert all(step.say for step in scenario.do)
    assert (3, True) == (scenario.cluster.controllers, scenario.cluster.brokers <= 5)
    assert times.warmup.us + times.run.us + times.calm.us <= A_HUNDRED_SECONDS_US


@pytest.mark.slow
@pytest.mark.parametrize("name", LESSONS)
def test_a_run_shows_each_caption_of_a_lesson_once_and_not_before_the_first_step(name):
    scenario = LESSONS[name]
    played = Run(scenario, SEED)
    result, told = played.finish(), story(played.world, played.stage)
    lines = [line.text for line in run_lines(scenario, result, told, repeat="", lines_max=1_000)]
    first_step = next(number for number, line in enumerate(lines) if " s  >> " in line)

    shown = [(number, line) for number, line in enumerate(lines) if re.match(r" +\(", line)]

    captions = captions_in(scenario.lesson, scenario.profile, settings_of(scenario))
    assert sorted(f"({caption.say})" for caption in captions) == sorted(
        line.strip() for _, line in shown
    )
    assert all(number > first_step for number, _ in shown)


@pytest.mark.slow
@pytest.mark.parametrize("release", OTHER_RELEASES)
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_asks_as_many_questions_in_every_release(name, release):
    asked = asked_in(name, release)

    assert len(asked) == len(asked_in(name, DEFAULT_PROFILE.name))
    for questions in (asked, asked_in(name, DEFAULT_PROFILE.name)):
        assert len(questions) == len(set(questions)), "two questions before one event"


@cache
def asked_in(name, release):
    """Returns the events before which a lesson asks its questions in a release."""
    scenario = replace(LESSONS[name], profile=release)
    played = Run(scenario, SEED, [])
    played.finish()
    counts = Counter()
    happened = set()
    for line in story(played.world, played.stage):
        counts[line.kind] += (line.elapsed_us or 0) > 0
        happened.add((line.kind, counts[line.kind]))
    captions = captions_in(scenario.lesson, release, settings_of(scenario))
    return [caption.event for caption in captions if caption.ask and caption.event in happened]


@pytest.mark.parametrize("release", PROFILES)
@pytest.mark.parametrize("name", LESSONS)
def test_texts_of_a_lesson_name_only_settings_of_the_release(name, release):
    """A lease of 9 s is written as {session}, which is 18 s in kip-631."""
    scenario = replace(LESSONS[name], profile=release)
    captions = captions_in(scenario.lesson, release, settings_of(scenario))
    texts = [text for caption in captions for text in caption.texts]
    texts += [filled(step.say, settings_of(scenario)) for step in scenario.do]
    leases = re.compile(r"(?:lease|session|heartbeat)s? of (\d+ s)")

    named = {lease for text in texts for lease in leases.findall(text)}

    assert named <= {filled("{session}", settings_of(scenario))}
    written = [text for caption in scenario.lesson for text in caption.texts]
    written += [step.say for step in scenario.do]
    assert not [text for text in written if leases.search(text)]
    assert not [text for text in texts if "{" in text]


@pytest.mark.slow
def test_what_led_to_the_loss_of_records_is_the_unclean_election():
    (caption,) = [caption for caption in LESSONS[LOSS].lesson if caption.because]
    played = Run(LESSONS[LOSS], SEED)
    played.finish()
    lines = [line for line in story(played.world, played.stage) if (line.elapsed_us or 0) > 0]

    asked, elected = (
        [line.text for line in lines if line.kind == kind][number - 1]
        for kind, number in caption.because.items()
    )

    assert "The operator asks for an unclean election" in asked
    assert "orders-0: leader none -> 1" in elected


def test_a_caption_of_a_release_takes_the_place_of_the_general_one():
    captions = [
        Caption(on="broker_fenced", say="Fenced after {session}."),
        Caption(on="broker_fenced", say="Half: {0.5 session}.", releases=("kip-631",)),
        Caption(on="broker_fenced", say="The second.", count=2),
    ]

    def said(profile):
        return [text.say for text in captions_in(captions, profile.name, profile.settings)]

    assert ["Fenced after 9 s.", "The second."] == said(KAFKA_4_4)
    assert ["Half: 9 s.", "The second."] == said(KIP_631)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_keeps_its_promise_with_other_seeds(name, seed):
    result = run(LESSONS[name], seed)

    assert "pass" == result.verdict, (result.violations, result.vacuous)


def test_an_answer_is_one_of_the_choices():
    assert "later" == asking(answer="later").lesson[0].answer
    with pytest.raises(Problem, match=r"expected an answer of the choices \(now, later\)"):
        asking(answer="never")
