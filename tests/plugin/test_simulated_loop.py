"""Tests of a user whose marker has the simulated loop."""

import pytest

from tests.plugin.conftest import STRICT

HOUR = """
import asyncio, time

@pytest.mark.kraft(loop="simulated", seed=7)
async def test_a_broker_is_fenced_in_the_time_of_the_loop(kraft):
    began = time.monotonic()
    await kraft.brokers.kill(2)
    await kraft.wait(broker=2, state="fenced")
    assert 9 <= time.monotonic() - began <= 11
    await asyncio.sleep(3600)
    assert asyncio.get_running_loop().time() == time.monotonic() >= 3600
"""


@pytest.mark.parametrize(
    ("plugins", "options"),
    [("asyncio", ("--asyncio-mode=auto",)), ("anyio", ("-o", "anyio_mode=auto"))],
)
def test_an_hour_passes_at_once(suite, plugins, options):
    assert "1 passed" in suite.start(HOUR, *STRICT, *options, plugins=plugins)


TWO_OPERATORS = """
import asyncio

async def acts(name, acted):
    while True:
        await asyncio.sleep(10)
        acted.append(name)

@pytest.mark.asyncio
@pytest.mark.kraft(loop="simulated")
async def test_a_paused_operator_does_nothing(kraft):
    acted = []
    for name in ("a", "b"):
        kraft.nodes.add(lambda name=name: acts(name, acted), name=name)
    await asyncio.sleep(1)
    await kraft.nodes.pause("a")
    await asyncio.sleep(25)
    assert acted == ["b", "b"]
    await kraft.nodes.resume("a")
    await asyncio.sleep(0.001)
    assert acted == ["b", "b", "a"]
"""


def test_coroutines_of_a_user_are_nodes(suite):
    assert "1 passed" in suite.run(TWO_OPERATORS, plugins="asyncio")


@pytest.mark.parametrize(
    ("marker", "words"),
    [
        ("loop='simulatd'", "loop: expected 'simulated' (nearest), got 'simulatd'"),
        ("loop='simulated', scope='module'", "the loop lives for one test"),
        ("loop='simulated', clock='virtual'", "the time of the loop is that of the cluster"),
    ],
)
def test_a_marker_that_cannot_be_is_refused(suite, marker, words):
    test = f"@pytest.mark.asyncio\n@pytest.mark.kraft({marker})\nasync def test_it(kraft): pass"

    assert words in suite.run(test, plugins="asyncio")


def test_a_blocking_call_fails_the_test_and_names_the_way_out(suite):
    test = """
import time

@pytest.mark.asyncio
@pytest.mark.kraft(loop="simulated")
async def test_it(kraft):
    time.sleep(5)
"""
    assert "use await asyncio.sleep(5)" in suite.run(test, plugins="asyncio")


def test_a_cluster_with_a_loop_of_its_own_is_refused(suite):
    test = "@pytest.mark.kraft(loop='simulated')\ndef test_it(kraft_sync): pass"

    assert "kraft_sync has a loop of its own, beside the test: use kraft" in suite.run(test)


SHARED_LOOP = """
@pytest.mark.asyncio(loop_scope="module")
async def test_begins_the_loop(): pass

@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.kraft(loop="simulated")
async def test_it(kraft): pass
"""


def test_a_loop_that_tests_share_is_refused(suite):
    output = suite.run(SHARED_LOOP, plugins="asyncio")

    assert "expected an event loop for each test" in output
    assert "ERROR test_tool.py::test_it" in output


def test_a_cluster_that_nobody_can_reach_is_not_kept(suite):
    test = """
@pytest.mark.asyncio
@pytest.mark.kraft(loop="simulated")
async def test_it(kraft):
    assert False
"""
    output = suite.start(test, "--kraft-keep", plugins="asyncio")

    assert "kraftsim keeps no cluster of a simulated loop: test_tool.py::test_it" in output
    assert "1 failed" in output


@pytest.mark.parametrize(("given", "printed"), [("7", "7"), ("random", "0")])
def test_the_repeat_line_fixes_the_order_of_sets(suite, monkeypatch, given, printed):
    monkeypatch.setenv("PYTHONHASHSEED", given)
    test = """
@pytest.mark.asyncio
@pytest.mark.kraft(loop="simulated", seed=3)
async def test_it(kraft):
    assert False
"""
    output = suite.run(test, plugins="asyncio")

    assert f"repeat: PYTHONHASHSEED={printed} pytest test_tool.py::test_it --kraft-seed=3" in output
