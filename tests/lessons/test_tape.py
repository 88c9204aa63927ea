"""A tape is wound to any time, and shows there what a play shows that never was copied."""

from random import Random

import pytest

from kraftsim.lessons.act import read_acts
from kraftsim.lessons.scene import scene_of
from kraftsim.lessons.tape import Tape
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem, document_of
from kraftsim.scenarios.running.play import Play
from kraftsim.scenarios.running.run import Run
from tests.lessons.lesson_tapes import PAUSE, S, branch, tapes

pytestmark = pytest.mark.python_modules  # compiled objects cannot be copied

KILL = {"at": "12s", "proc.crash": {"on": 2}}


def tape() -> Tape:
    return tapes().tape(branch(), ())


def fresh() -> Play:
    scenario = tape().scenario
    return Play(Run(scenario, 7))


@pytest.mark.slow
def test_a_tape_at_any_time_is_the_play_at_that_time() -> None:
    play, times = fresh(), sorted(Random(3).randrange(tape().end_us) for _ in range(8))
    for at_us in times:
        play.advance(at_us)
        wound = tape().at(at_us)

        assert wound.now_us == play.now_us
        assert wound.run.digest.text() == play.run.digest.text()
        assert scene_of(wound.run.world) == scene_of(play.run.world)


def test_to_wind_back_and_forth_changes_nothing() -> None:
    first = tape().at(30 * S).run.digest.text()
    tape().at(80 * S).advance(90 * S)

    assert tape().at(30 * S).run.digest.text() == first


@pytest.mark.slow
def test_a_branch_is_the_scenario_with_the_act_as_a_step() -> None:
    (act,) = read_acts([KILL])
    made = tape().branch(act, "act-1")

    document = document_of(tape().scenario)
    assert isinstance(document, dict)
    document["do"] = [*document["do"], KILL | {"id": "act-1"}]
    scenario = read_scenario(document)
    run = Run(scenario, 7).finish()
    assert made.result.digest == run.digest
    assert list(made.rows) == list(run.rows)


@pytest.mark.slow
def test_a_branch_has_the_past_of_the_tape_that_it_leaves() -> None:
    (act,) = read_acts([KILL])
    made = tape().branch(act, "act-1")

    assert made.at(15 * S).run.digest.text() == tape().at(15 * S).run.digest.text()
    assert made.at(40 * S).run.digest.text() != tape().at(40 * S).run.digest.text()


@pytest.mark.slow
def test_a_fault_of_the_scenario_can_end_early() -> None:
    (fault_id,) = [row.fault_id for row in tape().rows if row.kind == "fault_begins"]
    (act,) = read_acts([{"at": "12s", "end": fault_id}])

    kinds = [row.kind for row in tape().branch(act, "act-1").rows]

    assert "broker_fenced" in [row.kind for row in tape().rows]
    assert "broker_fenced" not in kinds  # a pause of two seconds costs no lease


@pytest.mark.parametrize(
    ("acts", "what"),
    [
        ([{"at": "3s", "proc.pauze": {"on": 1}}], "acts[0].proc.pauze: unknown verb"),
        ([{"every": "3s", "proc.pause": {"on": 1}}], "acts[0]: expected a step with 'at'"),
        ([{"at": {"from": "1s", "to": "2s"}, "proc.pause": {"on": 1}}], "expected a fixed time"),
        ([{"at": "3s", "end": "x", "on": 3}], "acts[0].on"),
        ([{"at": "3s", "end": "x", "message": 3}], "acts[0].message"),
        ([{"at": "3s", "release": "x", "message": "y"}], "acts[0].message"),
        ([KILL, {"at": "3s", "proc.pause": {"on": 1}}], "acts[1].at: expected acts in order"),
        ([KILL] * 21, "expected at most 20 acts, got 21"),
        (["x"], "acts[0]"),
    ],
)
def test_an_act_that_cannot_be_meant_is_named(acts: list[object], what: str) -> None:
    with pytest.raises(Problem) as raised:
        read_acts(acts)

    assert what in str(raised.value)


def test_an_act_names_the_faults_that_are_open() -> None:
    (act,) = read_acts([{"at": "12s", "end": "nothing"}])

    with pytest.raises(ValueError, match=r"expected an open fault \(proc.pause#1\), got 'nothing'"):
        tape().branch(act, "act-1")


@pytest.mark.slow
def test_a_held_message_is_released_alone_in_a_branch() -> None:
    held = {"api": "BrokerHeartbeat"}  # of three brokers
    acts = read_acts(
        [
            {"at": "1s", "rpc.hold": held},
            {"at": "6s", "release": "act-1", "message": 2},
            {"at": "7s", "release": "act-1"},
        ]
    )
    made = tape()
    for number, act in enumerate(acts, 1):
        made = made.branch(act, f"act-{number}")

    numbers = [held_at(made, second) for second in (5, 6.5, 7.0)]

    assert numbers[0][:2] == [1, 2]
    assert numbers[1] == [number for number in numbers[1] if number != 2]
    assert numbers[1][0] == 1
    assert numbers[2] == []


def held_at(made: Tape, second: float) -> list[int]:
    """Returns the numbers of the messages that the first act holds."""
    play = made.at(made.begin_us + int(second * S))
    (fault,) = scene_of(play.run.world, play.run.stage.faults)["faults"].values()
    return [message["number"] for message in fault["held"]]


@pytest.mark.slow
def test_the_release_of_a_message_that_is_not_held_is_refused() -> None:
    hold, release = read_acts(
        [{"at": "1s", "rpc.hold": {"broker": 2}}, {"at": "1s", "release": "act-1", "message": 7}]
    )

    with pytest.raises(ValueError, match="message: expected a held message, got 7"):
        tape().branch(hold, "act-1").branch(release, "act-2")


def test_every_copy_of_a_tape_is_before_its_end() -> None:
    assert tape().at(10**12).is_over
    assert tape().result.scenario == PAUSE
