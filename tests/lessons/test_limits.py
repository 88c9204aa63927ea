"""The bounds of lessons, attacked one by one (docs/security.md)."""

import json

import pytest

from kraftsim.errors import CommandError, UsageError
from kraftsim.lessons import answers as answers_module
from kraftsim.lessons import film as film_module
from kraftsim.lessons import tape as tape_module
from kraftsim.lessons import tapes as tapes_module
from kraftsim.lessons.lead import CHOICE_MAX, CHOICES_MAX, PLACE_MAX, Lead
from tests.lessons.lesson_tapes import PAUSE, S, answers, branch, tapes

pytestmark = pytest.mark.python_modules  # compiled objects cannot be copied

CUT = '[{"at": "1s", "net.partition": {"on": 3, "for": "60s"}}]'


def act(**words: object) -> str:
    return json.dumps([{"at": "1s", **words}])


@pytest.mark.slow
def test_the_tape_that_was_not_used_for_longest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tapes_module, "TAPES_MAX", 2)
    few = tapes_module.Tapes(tapes()._read)
    first, second = few.tape(branch(seed=1), ()), few.tape(branch(seed=2), ())
    assert few.tape(branch(seed=1), ()) is first

    few.tape(branch(seed=3), ())

    assert few.tape(branch(seed=1), ()) is first
    assert few.tape(branch(seed=2), ()) is not second


def test_an_act_cannot_add_more_brokers_than_a_lesson_may_have() -> None:
    with pytest.raises(UsageError, match="expected at most 30 brokers, got 305"):
        answers().story(PAUSE, 7, "", act(**{"broker.add": {"count": 300}}))


def test_a_scenario_that_lasts_too_long_is_refused_before_it_runs() -> None:
    with pytest.raises(CommandError, match="expected at most 30 brokers and 30 minutes, got"):
        answers().story("monkey-day", 7, "", "[]")


@pytest.mark.slow
def test_a_run_with_too_many_actions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape_module, "COPIES_MAX", 3)

    with pytest.raises(UsageError, match="expected a scenario of at most 200,000 events, got more"):
        answers().story(PAUSE, 99, "", "[]")


def test_a_branch_has_a_bounded_number_of_acts() -> None:
    acts = json.dumps([{"at": "1s", "note": {"text": str(number)}} for number in range(21)])

    with pytest.raises(UsageError, match="expected at most 20 acts, got 21"):
        answers().story(PAUSE, 7, "", acts)


@pytest.mark.parametrize("profile", ["kafka-9.9", "x" * 10_000])
def test_a_profile_that_there_is_not_is_named(profile: str) -> None:
    with pytest.raises(UsageError) as raised:
        answers().story(PAUSE, 7, profile, "[]")

    assert str(raised.value).startswith("profile: expected 'kafka-" if len(profile) < 20 else "p")
    assert len(str(raised.value)) < 200


def test_a_film_with_too_many_moments_ends_early_and_the_next_one_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = answers().film(PAUSE, 7, "", "[]", 20 * S, 30 * S)
    monkeypatch.setattr(film_module, "MOMENTS_MAX", 5)

    part = answers().film(PAUSE, 7, "", "[]", 20 * S, 30 * S)
    rest = answers().film(PAUSE, 7, "", "[]", part["toUs"] + 1, 30 * S)

    assert part["moments"] == whole["moments"][:5]
    assert part["toUs"] == part["moments"][-1]["atUs"]
    assert rest["moments"] == whole["moments"][5:10]


@pytest.mark.slow
def test_a_film_has_a_bounded_number_of_messages_lost_ones_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = answers().film(PAUSE, 7, "", CUT, 7 * S, 20 * S)
    assert sum(message["isLost"] for message in whole["messages"]) > 3
    monkeypatch.setattr(film_module, "MESSAGES_MAX", 3)

    part = answers().film(PAUSE, 7, "", CUT, 7 * S, 20 * S)

    assert part["messages"] == whole["messages"][:3]


def test_a_film_lasts_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "FILM_MAX_US", 2 * S)

    part = answers().film(PAUSE, 7, "", "[]", 20 * S, 10**30)

    assert (part["fromUs"], part["toUs"]) == (20 * S, 22 * S)


def test_the_place_of_a_class_has_a_bounded_length() -> None:
    lead = Lead()
    with pytest.raises(UsageError, match="place: expected at most 8000 characters, got 8001"):
        lead.steer("x" * (PLACE_MAX + 1))

    assert lead.document()["isKept"] is False


def test_different_predictions_are_counted_up_to_a_number() -> None:
    lead = Lead()
    for number in range(CHOICES_MAX + 10):
        lead.predict(str(number))
    lead.predict("0")

    predictions = lead.document()["predictions"]
    assert len(predictions) == CHOICES_MAX
    assert predictions["0"] == 2


@pytest.mark.parametrize("choice", ["", "x" * (CHOICE_MAX + 1)])
def test_a_prediction_has_a_bounded_length(choice: str) -> None:
    with pytest.raises(UsageError, match="choice: expected 1 to 200 characters"):
        Lead().predict(choice)
