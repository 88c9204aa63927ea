"""A step that changes nothing says so in the story, with the reason if it is known."""

import pytest

from tests.scenarios.test_story import told


def lines_of(*steps, kind="fault_begins"):
    return [line.text for line in told(*steps) if line.kind == kind]


DOWN = {"at": "2s", "proc.crash": {"on": 1}}


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            [{"at": "5s", "proc.start": {"on": 1}}],
            ">> proc.start: broker 1 (no effect on broker 1: RUNNING)",
        ),
        (
            [{"at": "5s", "proc.start": {"on": 3000}}],
            ">> proc.start: controller 3000 (no effect on controller 3000: RUNNING)",
        ),
        (
            [DOWN, {"at": "5s", "proc.pause": {"on": 1, "for": "2s"}}],
            ">> proc.pause: broker 1 (for 2s, no effect on broker 1: NOT_RUNNING)",
        ),
        (
            [DOWN, {"at": "5s", "proc.crash": {"on": 1}}],
            ">> proc.crash: broker 1 (no effect on broker 1: NOT_RUNNING)",
        ),
        (
            [DOWN, {"at": "5s", "proc.stop": {"on": 1}}],
            ">> proc.stop: broker 1 (no effect on broker 1: NOT_RUNNING)",
        ),
        (
            [DOWN, {"at": "5s", "clock.suspend": {"on": 1}}],
            ">> clock.suspend: broker 1 (no effect on broker 1: NOT_RUNNING)",
        ),
        (
            [DOWN, {"at": "5s", "proc.start": {"on": "brokers"}}],
            ">> proc.start: brokers 1, 2, 3 (no effect on brokers 2, 3: RUNNING)",
        ),
        (
            [{"at": "5s", "net.heal": {}}],
            ">> net.heal: every open fault (no effect: no fault is open)",
        ),
        (
            [{"at": "5s", "proc.pause": {"on": 1, "for": "1ms"}}],
            ">> proc.pause: broker 1 (for 1ms, no effect: too short or too little to be felt)",
        ),
        (
            [{"at": "5s", "clock.drift": {"on": 1, "ppm": 10}}],
            ">> clock.drift: broker 1 (ppm +10, no effect: too short or too little to be felt)",
        ),
    ],
)
def test_the_begin_of_a_step_says_why_it_has_no_effect(steps, said):
    assert said == lines_of(*steps)[-1]


def test_a_start_before_the_end_of_a_shutdown_names_the_state_of_the_process():
    """The process that got SIGTERM still runs, and nobody starts another after it."""
    roll = [
        {"at": "5s", "proc.stop": {"on": 1}},
        {"after": "1ms", "proc.start": {"on": 1}},
    ]

    state = "PENDING_CONTROLLED_SHUTDOWN"
    assert f">> proc.start: broker 1 (no effect on broker 1: {state})" == lines_of(*roll)[-1]


def test_the_end_of_a_fault_says_that_it_had_no_effect():
    cut = {"at": "5s", "net.loss": {"from": 2, "to": 2, "p": 1, "for": "2s"}}

    assert ["<< net.loss ends: broker 2 -> broker 2 (no effect)"] == lines_of(
        cut, kind="fault_ends"
    )


def test_a_step_with_an_effect_says_nothing_of_it():
    steps = [DOWN, {"at": "5s", "proc.start": {"on": 1}}]

    assert [">> proc.crash: broker 1", ">> proc.start: broker 1"] == lines_of(*steps)
    ends = lines_of(*steps, kind="fault_ends")
    assert [] == [text for text in ends if "no effect" in text]
