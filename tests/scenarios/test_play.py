"""A play stops at any time and goes on: it is the run of its scenario, copied or not."""

from random import Random

import pytest

from kraftsim.files.scenario_files import find, read_file
from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.running.play import Phase, Play
from kraftsim.scenarios.running.run import Run
from kraftsim.simulation.copying import copied

S = 1_000_000  # microseconds
NAMES = ("gc-pause-longer-than-lease", "rack-partition", "isolated-active-controller")


def small(name: str) -> Scenario:
    return in_small(read_file(find(name)).scenario)


def play_of(name: str, seed: int = 7) -> Play:
    scenario = small(name)
    return Play(Run(scenario, seed))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_play_that_stops_anywhere_is_the_run(name: str) -> None:
    scenario = small(name)
    run = Run(scenario, 7).finish()

    play, draw = play_of(name), Random(1)
    while not play.is_over:
        play.advance(play.now_us + draw.randrange(1, 3 * S))

    assert play.run.judge() == run


@pytest.mark.slow
def test_a_play_goes_on_from_event_to_event_where_steps_wait_for_something() -> None:
    """Their conditions are looked at in the very instant in which the steps begin."""
    play = play_of("lesson-13-rolling-restart", seed=17)

    while not play.is_over:
        play.advance(play.next_us)
        assert play.is_over or play.next_us > play.now_us


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.python_modules
def test_a_copy_of_a_play_goes_on_as_the_play(name: str) -> None:
    play = play_of(name)
    play.advance(12 * S)

    copy = copied(play)
    play.advance(40 * S)
    copy.advance(40 * S)

    assert copy.run.digest.text() == play.run.digest.text()


@pytest.mark.slow
def test_the_phases_follow_each_other() -> None:
    play, seen = play_of("gc-pause-longer-than-lease"), []
    while not play.is_over:
        seen += [play.phase] if play.phase not in seen else []
        play.advance(play.next_us)

    assert seen == [Phase.START_UP, Phase.WARM_UP, Phase.RUN, Phase.CALM]


def test_the_steps_begin_when_the_warm_up_is_over() -> None:
    play = play_of("gc-pause-longer-than-lease")
    play.advance(60 * S)

    begins = next(row for row in play.run.world.journal.since(0) if row.kind == "fault_begins")
    assert play.begin_us is not None
    assert begins.t_us - play.begin_us == 10 * S
