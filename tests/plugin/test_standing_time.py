"""The report of a failed test says how much real time passed while its cluster stood still."""

import re

import pytest

from tests.plugin.conftest import Suite
from tests.plugin.test_failures import section

pytestmark = pytest.mark.realtime

STOOD = re.compile(
    r"(\d+) s of real time passed while the cluster stood still: if code waits by itself, see "
    r"docs/sleeping-tools.md"
)
SLEEPS = """
import time

@pytest.mark.kraft(brokers=1, clock={clock!r})
def test_sleeps({fixture}):
    {sleep}
    {fixture}.clock.advance("3s")
    assert False
"""


def stood_s(
    suite: Suite, clock: str, fixture: str = "kraft_sync", sleep: str = "time.sleep(1.1)"
) -> int:
    """The seconds of which the report of a test tells that sleeps; 0 without the line."""
    lines = section(suite.run(SLEEPS.format(clock=clock, fixture=fixture, sleep=sleep)))
    return sum(int(found[1]) for found in map(STOOD.fullmatch, lines) if found)


@pytest.mark.parametrize("clock", ["auto", "virtual"])
def test_a_sleep_beside_a_clock_that_stands_is_told(suite: Suite, clock: str) -> None:
    assert stood_s(suite, clock) >= 1


def test_a_sleep_beside_a_cluster_in_a_process_of_its_own_is_told(suite: Suite) -> None:
    assert stood_s(suite, "auto", "kraft_proc") >= 1


@pytest.mark.parametrize("clock", ["skipping", "real"])
def test_beside_a_clock_that_runs_nothing_is_told(suite: Suite, clock: str) -> None:
    assert stood_s(suite, clock) == 0


def test_a_sleep_in_the_time_of_the_cluster_is_not_told(suite: Suite) -> None:
    sleep = "patch = kraft_sync.patch_sleep(); patch.__enter__(); time.sleep(600)"

    assert stood_s(suite, "auto", sleep=sleep) < 300
