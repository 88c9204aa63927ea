"""The fifteen lessons of the page: each asks before its moment, and shows each of its captions."""

import re

import pytest

from kraftsim.cli.scenario.narration import run_lines
from kraftsim.files.scenario_files import library, read_file
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.running.run import Run, run
from kraftsim.scenarios.running.story import story

LESSONS = {
    name: read_file(path).scenario for name, path in library().items() if name.startswith("lesson-")
}
SEED = 17
A_HUNDRED_SECONDS_US = 100_000_000


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

    assert 15 == len(titles)
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

    assert sorted(f"({caption.say})" for caption in scenario.lesson) == sorted(
        line.strip() for _, line in shown
    )
    assert all(number > first_step for number, _ in shown)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_keeps_its_promise_with_other_seeds(name, seed):
    result = run(LESSONS[name], seed)

    assert "pass" == result.verdict, (result.violations, result.vacuous)


def test_an_answer_is_one_of_the_choices():
    assert "later" == asking(answer="later").lesson[0].answer
    with pytest.raises(Problem, match=r"expected an answer of the choices \(now, later\)"):
        asking(answer="never")
