"""clock.*, disk.* and proc.* in scenarios: each bites, and is over when it is over."""

import pytest

from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.running.run import Run, run
from tests.worlds import SECOND_US

EVERY = {"broker": "brokers", "state": "unfenced"}
BITES = {
    "clock.step": {"on": "all", "by": "5m"},
    "clock.drift": {"on": "controllers", "ppm": 50_000},
    "clock.freeze": {"on": 1, "for": "3s"},
    "clock.coarse": {"on": "controllers", "tick": "100ms"},
    "clock.suspend": {"on": 1, "for": "3s"},
    "disk.slow": {"on": "controllers", "low": "1ms", "high": "20ms"},
    "disk.stall": {"on": 3000, "for": "5s"},
    "clock.strobe": {"on": "all", "by": "5m", "every": "1s", "for": "10s"},
    "disk.full": {"on": 3000, "for": "5s"},
    "disk.rot": {"on": 3000, "for": "5s"},
    "client.hostile": {"to": "active", "count": 3},
    "proc.crash": {"on": 3000, "for": "5s"},
    "proc.stop": {"on": 1, "for": "5s"},
    "proc.pause": {"on": 1, "for": "5s"},
    "proc.restart": {"on": "brokers"},
    "proc.move": {"on": 3001},
    "proc.amnesia": {"on": 1, "for": "12s"},
    "proc.clone": {"on": 1, "for": "5s"},
    "proc.hiccup": {"on": "all", "every": "500ms", "lasting": "300ms", "for": "10s"},
    "proc.crashloop": {"on": 1, "up": "2s", "down": "500ms", "for": "10s"},
    "proc.slow": {"on": "controllers", "low": "1ms", "high": "5ms", "for": "10s"},
}


def scenario(*steps, **expect):
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "one",
            "claim": "It bites.",
            "cluster": {"controllers": 3, "brokers": 2},
            "time": {"warmup": "1s", "run": "30s", "calm": "20s"},
            "do": list(steps),
            "expect": {"calm": [EVERY]} | expect,
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("verb", BITES)
def test_it_bites_and_all_is_well_when_it_is_over(verb):
    result = run(scenario({"at": "2s", "id": "it", verb: BITES[verb]}), 3)

    assert "pass" == result.verdict, result
    assert result.effects["it"] > 0


@pytest.mark.parametrize("verb", ["disk.lost_fsync", "disk.torn"])
def test_a_disk_that_loses_things_does_so_when_the_power_goes(verb):
    slow = {"at": "1s", "disk.slow": {"on": 3000, "low": "600ms", "high": "900ms"}}
    bad = {"at": "1s", "id": "it", verb: {"on": 3000}}
    crash = {"at": "10s", "proc.crash": {"on": 3000, "for": "5s"}}

    result = run(scenario(slow, bad, crash), 3)

    assert result.effects["it"] > 0


def test_a_suspended_controller_that_led_is_followed_by_another():
    asleep = {"at": "2s", "clock.suspend": {"on": "active", "for": "20s"}}
    elected = {"record": "LeaderChange"}

    result = run(scenario(asleep, sometimes=[elected], never=[{"fenced_at_least": 1}]), 5)

    assert "pass" == result.verdict, result


def test_a_controller_that_hands_over_for_longer_than_its_stop_lasts_starts_again():
    """A swarm (seed 20001): it ended after its fault, and nobody started it."""
    crash = {"at": "1s", "proc.crash": {"on": "standbys", "for": "20s"}}
    stop = {"at": "2s", "proc.stop": {"on": "active", "for": "1s"}}
    running = {"controller": "controllers", "state": "RUNNING"}

    assert run(scenario(crash, stop, calm=[running]), 1).violations == ()


def test_a_broker_that_drains_for_longer_than_its_stop_lasts_starts_again():
    crash = {"at": "5s", "proc.crash": {"on": "controllers"}}
    stop = {"at": "6s", "proc.stop": {"on": 1, "for": "1s"}}
    running = {"broker": "brokers", "state": "RUNNING"}

    assert run(scenario(crash, stop, calm=[running]), 1).violations == ()


@pytest.mark.parametrize("verb", ["proc.crash", "proc.amnesia", "proc.stop"])
def test_a_fault_of_a_broker_that_drains_lasts_as_long_as_it_says(verb):
    """The end of the first stop must not start the broker again in the same instant."""
    crash = {"at": "5s", "proc.crash": {"on": "controllers", "for": "7s"}}
    stop = {"at": "6s", "proc.stop": {"on": 1, "for": "1s"}}
    again = {"at": "10s", verb: {"on": 1, "for": "15s"}}
    life = Run(scenario(crash, stop, again), 1)
    life.reach(20 * SECOND_US)

    assert not life.world.agents[1].is_alive
