"""Nothing gets into a run but its seed, and nothing of it stays behind."""

import os
import random
import socket
import sys
import threading
import time

import pytest

from kraftsim.files.scenario_files import library, read_file
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.running.run import run
from tests.worlds import pass_time, world_of

pytestmark = pytest.mark.slow


OUTSIDE = [
    (time, "time"),
    (time, "time_ns"),
    (time, "monotonic"),
    (time, "monotonic_ns"),
    (time, "perf_counter"),
    (os, "urandom"),
    (random, "random"),
    (random, "randrange"),
    (random.SystemRandom, "random"),
    (socket, "socket"),
    (threading.Thread, "start"),
]


def swizzled():
    return in_small(read_file(library()["swizzle-clog"]).scenario)


def test_a_run_reads_no_clock_draws_no_entropy_and_starts_nothing(monkeypatch):
    """H5: whatever came from there would be another thing each time."""
    expected = run(swizzled(), 5).digest
    scenario = swizzled()

    def escaped(*_, **__):
        raise AssertionError("a run reached outside")

    for owner, name in OUTSIDE:
        monkeypatch.setattr(owner, name, escaped)
    digest = run(scenario, 5).digest
    monkeypatch.undo()

    assert expected == digest


def module_state():
    """Every mutable value that a module of ours holds, as text."""
    return {
        f"{module}.{name}": repr(sorted(map(repr, value)))
        for module, contents in list(sys.modules.items())
        if module.startswith("kraftsim.")
        for name, value in list(vars(contents).items())
        if isinstance(value, dict | list | set) and not name.startswith("__")
    }


def test_a_run_leaves_nothing_in_any_module():
    """H6: the next run of this process begins where this one did."""
    run(swizzled(), 5)
    before = module_state()

    run(swizzled(), 6)

    assert before == module_state()
    assert len(before) > 20


@pytest.mark.parametrize("step_ms", [1, 37, 1000])
def test_it_makes_no_difference_in_what_steps_time_is_moved(step_ms):
    """A driver that moves by the clock gives the same log as one that jumps."""

    def log(step_s):
        world = world_of(3, controllers=3, seed=4)
        world.agents[2].kill()
        for _ in range(round(13 / step_s)):
            pass_time(world, step_s)
        pass_time(world, 0.5)
        return [
            batch
            for batch in world.committed_log.batches
            if batch.timestamp_ms < world.timeline.wall_start_ms + 13_000
        ]

    assert log(13) == log(step_ms / 1000)
