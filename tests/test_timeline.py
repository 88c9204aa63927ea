"""The one queue that every driver runs."""

import pytest

from kraftsim.controller.time import timeline as timelines
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import NEVER_US, Timeline
from kraftsim.controller.time.wakeup import Wakeup


def test_things_happen_in_order_of_time_then_of_being_asked_for():
    timeline, seen = Timeline(wall_start_ms=0), []
    for at_us, name in ((2000, "c"), (1000, "a"), (1000, "b")):
        timeline.at(at_us, lambda name=name: seen.append((timeline.now_us, name)))

    timeline.run_until(1500)
    assert [(1000, "a"), (1000, "b")] == seen
    assert (1500, 2000) == (timeline.now_us, timeline.due_us)
    timeline.run_until(2000)
    assert (2000, "c") == seen[-1]
    assert timeline.due_us == NEVER_US


def test_in_virtual_time_work_that_can_wait_comes_after_all_that_is_due():
    timeline, seen = Timeline(wall_start_ms=0), []
    timeline.at(1000, lambda: timeline.soon(lambda: seen.append((timeline.now_us, "soon"))))
    timeline.at(1000, lambda: seen.append((timeline.now_us, "due")))

    timeline.run_until(5000)

    assert [(1000, "due"), (1000, "soon")] == seen


def test_the_past_is_now():
    timeline, seen = Timeline(wall_start_ms=0), []
    timeline.run_until(5000)

    timeline.at(1000, lambda: seen.append(timeline.now_us))
    timeline.run_until(5000)

    assert [5000] == seen


def test_time_does_not_run_backwards():
    timeline = Timeline(wall_start_ms=0)
    timeline.run_until(5000)

    timeline.run_until(1000)

    assert 5000 == timeline.now_us


def test_wall_time_begins_where_it_is_told_to():
    timeline = Timeline(wall_start_ms=1_700_000_000_000)

    timeline.run_until(1_234_567)

    assert (1234, 1_700_000_001_234) == (timeline.now_ms, timeline.wall_ms)


def test_what_an_action_asks_for_now_happens_in_the_same_run():
    timeline, seen = Timeline(wall_start_ms=0), []
    timeline.after(10, lambda: timeline.after(0, lambda: seen.append(timeline.now_us)))

    timeline.run_until(10)

    assert [10] == seen


def test_an_action_that_raises_leaves_the_rest_of_its_time_to_the_next_run():
    timeline, seen = Timeline(wall_start_ms=0), []

    def fail():
        raise ValueError

    for action in (fail, lambda: seen.append("first"), fail, lambda: seen.append("second")):
        timeline.at(10, action)
    for _ in range(2):
        with pytest.raises(ValueError):
            timeline.run_until(20)
    timeline.at(10, lambda: seen.append("third"))
    timeline.run_until(20)

    assert ["first", "second", "third"] == seen


def test_an_action_that_runs_the_timeline_itself_runs_the_rest_once():
    timeline, seen = Timeline(wall_start_ms=0), []
    timeline.at(10, lambda: (timeline.run_until(30), timeline.after(0, lambda: seen.append("c"))))
    timeline.at(10, lambda: seen.append("a"))
    timeline.at(20, lambda: seen.append("b"))
    timeline.run_until(10)

    assert ["a", "b"] == seen
    timeline.run_until(30)
    assert ["a", "b", "c"] == seen
    assert timeline.now_us == 30


def test_a_loop_that_never_advances_ends(monkeypatch):
    monkeypatch.setattr(timelines, "ACTIONS_PER_INSTANT_MAX", 100)
    timeline = Timeline(wall_start_ms=0)

    def again():
        timeline.after(0, again)

    again()
    with pytest.raises(RuntimeError, match="expected time to pass"):
        timeline.run_until(1)


def test_a_wakeup_is_armed_again_only_if_earlier_and_stale_ones_do_nothing():
    timeline, woken = Timeline(wall_start_ms=0), []
    wakeup = Wakeup(Clock(timeline), lambda: woken.append(timeline.now_ms))

    for at_ms in (30, 10, 20):
        wakeup.arm(at_ms)
    timeline.run_until(100_000)

    assert [10] == woken
    wakeup.arm(150)
    timeline.run_until(200_000)
    assert [10, 150] == woken


def test_who_is_woken_now_and_then_earlier_asks_for_the_later_time_once():
    """A broker fetches many times between two heartbeats: each would leave a ring behind."""
    timeline = Timeline(wall_start_ms=0)
    woken = []

    def wake():
        woken.append(timeline.now_ms)
        if timeline.now_ms < 100:
            wakeup.arm(100)

    wakeup = Wakeup(Clock(timeline), wake)
    wakeup.arm(100)
    for at_ms in range(10, 60, 10):
        wakeup.arm(at_ms)
        timeline.run_until(at_ms * 1000)
    before = timeline.scheduled_count
    timeline.run_until(100_000)

    assert [10, 20, 30, 40, 50, 100] == woken
    assert 1 + 5 == before


def test_a_wakeup_for_a_time_that_is_over_rings_at_once_and_may_be_armed_again():
    timeline, woken = Timeline(wall_start_ms=0), []
    timeline.run_until(50_000)
    wakeup = Wakeup(Clock(timeline), lambda: woken.append(timeline.now_ms))

    for _ in range(2):
        wakeup.arm(20)
        timeline.run_until(timeline.now_us + 10_000)

    assert [50, 60] == woken
