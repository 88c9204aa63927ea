"""Story, film and causes of a lesson, and what is refused."""

import json
from typing import Any

import pytest

from kraftsim.errors import CommandError, UnknownEvent, UsageError
from kraftsim.lessons.documents import Film, Scene
from kraftsim.lessons.scene import scene_of
from tests.lessons.lesson_tapes import KILL, PAUSE, S, answers, branch, tapes

pytestmark = pytest.mark.python_modules  # compiled objects cannot be copied


def film(from_us: int, to_us: int, acts: str = "[]") -> Film:
    return answers().film(PAUSE, 7, "", acts, from_us, to_us)


def scene_after(film: Film) -> Scene:
    """The scene at the end of a film, by its changes only."""
    scene = json.loads(json.dumps(film["scene"]))
    for moment in film["moments"]:
        for name, value in moment["change"].items():
            if isinstance(value, dict):
                scene[name] |= value
                scene[name] = {
                    key: entry for key, entry in scene[name].items() if entry is not None
                }
            else:
                scene[name] = value
    return scene


@pytest.mark.slow
def test_a_film_shows_every_change_of_the_scene() -> None:
    part = film(20 * S, 26 * S)

    play = tapes().tape(branch(), ()).at(26 * S)
    assert scene_after(part) == scene_of(play.run.world, play.run.stage.faults)
    assert [moment["atUs"] for moment in part["moments"]] == sorted(
        {moment["atUs"] for moment in part["moments"]}
    )


@pytest.mark.slow
def test_films_join_where_one_ends_and_the_next_begins() -> None:
    first, second = film(20 * S, 26 * S - 1), film(26 * S, 28 * S)

    assert scene_after(first) == film(26 * S - 1, 26 * S - 1)["scene"]
    assert second["fromUs"] == first["toUs"] + 1


@pytest.mark.slow
def test_a_film_has_the_messages_on_their_way_and_the_lost_ones() -> None:
    cut = '[{"at": "1s", "net.partition": {"on": 3, "for": "5s"}}]'
    messages = film(7 * S, 13 * S, cut)["messages"]

    heartbeats = [message for message in messages if message["api"] == "BrokerHeartbeat"]
    lost = [message for message in heartbeats if message["isLost"]]
    assert {message["sender"] for message in lost} == {3}
    assert all(
        message["endUs"] is None or message["endUs"] >= message["startUs"] for message in messages
    )
    assert any(message["isReply"] for message in messages)


@pytest.mark.slow
def test_a_paused_broker_becomes_a_zombie_when_its_lease_is_over() -> None:
    (victim,) = {event["brokerIds"][0] for event in story() if event["kind"] == "broker_fenced"}
    fenced_us = next(event["atUs"] for event in story() if event["kind"] == "broker_fenced")

    before, after = film(fenced_us - 1, fenced_us - 1), film(fenced_us + S, fenced_us + S)

    assert before["scene"]["brokers"][str(victim)]["truth"] == "unfenced"
    assert after["scene"]["brokers"][str(victim)]["truth"] == "fenced"
    assert after["scene"]["brokers"][str(victim)]["mismatch"] == "zombie"


@pytest.mark.slow
def test_a_killed_broker_is_an_orphan_until_it_is_fenced() -> None:
    seen = film(20 * S, 20 * S, KILL)["scene"]["brokers"]["2"]

    assert (seen["truth"], seen["belief"], seen["mismatch"]) == ("unfenced", "gone", "orphan")


@pytest.mark.slow
def test_a_scene_has_the_log_of_each_replica_and_what_it_lacks() -> None:
    seen = answers().film("lesson-17-last-replica-standing", 17, "", "[]", 44 * S, 44 * S)

    partition = seen["scene"]["partitions"]["orders-0"]
    last, first, second = partition["logs"]
    assert last is not None
    assert first is not None
    assert second is not None
    assert partition["replicas"] == [3, 1, 2]
    assert [last["logEnd"], last["highWatermark"]] == [second["logEnd"] + 3, second["logEnd"]]
    assert last["epochs"] == [{"epoch": 0, "start": 0}]
    assert partition["lags"] == [0, last["logEnd"] - first["logEnd"], 3]


def test_a_partition_without_a_message_has_no_logs() -> None:
    partitions = film(20 * S, 20 * S)["scene"]["partitions"].values()

    assert [partition["logs"] for partition in partitions] == [[] for _ in partitions]


def story(acts: str = "[]") -> Any:
    return answers().story(PAUSE, 7, "", acts)["events"]


@pytest.mark.slow
def test_a_story_names_the_first_event_in_which_a_branch_differs() -> None:
    whole = answers().story(PAUSE, 7, "", KILL)

    index = whole["differsAt"]
    assert index is not None
    assert whole["leftUs"] == whole["beginUs"] + 12 * S
    assert whole["events"][index]["atUs"] >= whole["leftUs"]
    assert whole["events"][:index] == answers().story(PAUSE, 7, "", "[]")["events"][:index]


def test_why_begins_with_the_first_cause_and_ends_with_the_event() -> None:
    fenced = next(event for event in story() if event["kind"] == "broker_fenced")

    why = answers().why(PAUSE, 7, "", "[]", int(str(fenced["seq"])))

    assert len(why["lines"]) <= 5
    assert "proc.pause" in why["lines"][0]
    assert "fenced" in why["lines"][-1]


@pytest.mark.slow
def test_profiles_tell_different_stories_of_one_tape() -> None:
    ours = answers().story("sweep-granularity", 17, "kafka-4.3", "[]")
    older = answers().story("sweep-granularity", 17, "kafka-3.9", "[]")

    fences = [
        [event["atUs"] for event in told["events"] if event["kind"] == "broker_fenced"]
        for told in (ours, older)
    ]
    assert fences[0] != fences[1]


@pytest.mark.parametrize(
    ("acts", "what"),
    [
        ("zz", "acts: expected an array of steps in JSON, got 'zz'"),
        ("{}", "acts: expected an array"),
        ("[" * 100_000, "acts: expected an array"),
        ('[{"at": "1s", "proc.crash": {"on": 99}}]', "99"),
    ],
)
def test_acts_that_cannot_be_meant_are_refused(acts: str, what: str) -> None:
    with pytest.raises(UsageError) as raised:
        answers().story(PAUSE, 7, "", acts)

    assert what in str(raised.value)


def test_an_event_that_there_is_not_is_named() -> None:
    with pytest.raises(UnknownEvent, match="no event 9999"):
        answers().why(PAUSE, 7, "", "[]", 9999)


@pytest.mark.parametrize("name", ["thundering-herd-1000", "monkey-day"])
def test_a_scenario_that_is_too_large_is_refused_before_it_runs(name: str) -> None:
    with pytest.raises(CommandError, match="expected at most 30 brokers and 30 minutes"):
        answers().story(name, 7, "", "[]")
