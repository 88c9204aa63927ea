"""A broken property of a test's cluster fails the test, unless its marker waives the property."""

import pytest

pytestmark = [pytest.mark.realtime, pytest.mark.python_modules]

BUG = """
from kraftsim.scenarios.mutants import MUTANTS
from kraftsim.scenarios.mutants.mutant import planted

@pytest.fixture(autouse=True)
def bug():
    with planted(MUTANTS["M41"]):  # a lease expires after half of the session timeout
        yield

@pytest.fixture(autouse=True)
def unasked(monkeypatch):  # S41 may find the bug, too, if it happens to ask in time
    monkeypatch.setattr("kraftsim.scenarios.properties.decisions.ASKED_AT_ONCE", 0)
"""
FENCE = """
{marker}
def test_fence(kraft_sync):
    kraft_sync.brokers.kill(2)
    kraft_sync.wait(broker=2, state="fenced")
    {end}
"""
EARLY_FENCE = "S18 no-early-fence: broker 2 is fenced at offset"


def fence(marker="", end="pass"):
    return BUG + FENCE.format(marker=marker, end=end)


def test_a_broken_property_fails_the_test_and_is_named(suite):
    output = suite.run(fence())

    assert f"kraft: broken: {EARLY_FENCE}" in output
    assert '@pytest.mark.kraft(may_break=["S18"])' in output
    assert f" s: {EARLY_FENCE}" in output
    assert "1 failed" in output
    assert "Traceback" not in output


def test_a_test_that_fails_by_itself_shows_the_broken_property_in_its_report(suite):
    output = suite.run(fence(end="assert 1 == 2"))

    assert "assert 1 == 2" in output
    assert f" s: {EARLY_FENCE}" in output
    assert "kraft: broken" not in output


@pytest.mark.parametrize(
    "allowed", ["True", "['S18']", "['no-early-fence', 'S1']", "('S18',)", "'S18'"]
)
def test_a_marker_waives_properties(suite, allowed):
    assert "1 passed" in suite.run(fence(f"@pytest.mark.kraft(may_break={allowed})"))


def test_a_marker_that_waives_another_property_changes_nothing(suite):
    output = suite.run(fence("@pytest.mark.kraft(may_break=['S6'])"))

    assert f"kraft: broken: {EARLY_FENCE}" in output


@pytest.mark.parametrize("allowed", ["'S99'", "[18]", "1"])
def test_an_unknown_property_names_the_nearest(suite, allowed):
    output = suite.run(fence(f"@pytest.mark.kraft(may_break={allowed})"))

    assert "may_break: expected True or properties such as '" in output


def test_a_property_broken_before_a_reset_counts(suite):
    assert f"kraft: broken: {EARLY_FENCE}" in suite.run(fence(end="kraft_sync.reset()"))


def test_a_property_broken_after_two_resets_to_one_seed_counts(suite):
    text = fence().replace(
        "    kraft_sync.brokers.kill(2)",
        "    [kraft_sync.reset(7) for _ in range(3)]\n    kraft_sync.brokers.kill(2)",
    )

    assert f"kraft: broken: {EARLY_FENCE}" in suite.run(text)


def test_each_test_of_a_shared_cluster_answers_for_itself(suite):
    text = BUG + FENCE.format(marker="@pytest.mark.kraft(scope='session')", end="pass")
    text += """
@pytest.mark.kraft(scope="session")
def test_nothing(kraft_sync):
    pass
"""
    text += FENCE.format(
        marker="@pytest.mark.kraft(scope='session', may_break=True)", end="pass"
    ).replace("test_fence", "test_waived")

    output = suite.run(text)
    assert "1 failed, 2 passed" in output


def test_every_cluster_of_an_asynchronous_test_is_watched(suite):
    text = (
        BUG
        + """
@pytest.mark.asyncio
async def test_second(kraft_factory):
    first, second = await kraft_factory(), await kraft_factory()
    await second.brokers.kill(2)
    await second.wait(broker=2, state="fenced")
"""
    )
    assert f"kraft: broken: {EARLY_FENCE}" in suite.run(text, plugins="asyncio")


def test_a_controller_that_fails_an_assertion_fails_the_test(suite):
    text = """
from kraftsim.controller.core import handlers
from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.rpc import UnregisterBrokerRequest

def fail(*arguments):
    raise Impossible("expected no request")

{marker}
def test_it(kraft_sync, monkeypatch):
    monkeypatch.setitem(handlers.HANDLERS, UnregisterBrokerRequest, fail)
    kraft_sync.brokers.kill(2)
    with pytest.raises(Exception):
        kraft_sync.unregister(2)
"""
    output = suite.run(text.format(marker=""))

    assert "kraft: broken: assertion: controller 3000 failed: expected no request" in output
    assert "1 passed" in suite.run(
        text.format(marker="@pytest.mark.kraft(may_break=['assertion'])")
    )


def test_a_node_whose_code_raises_fails_the_test(suite):
    text = """
import asyncio

async def operator():
    raise ValueError("no plan")

@pytest.mark.asyncio
@pytest.mark.kraft(loop="simulated"{allowed})
async def test_it(kraft):
    kraft.nodes.add(operator, name="operator")
    await asyncio.sleep(5)
"""
    output = suite.run(text.format(allowed=""), plugins="asyncio")

    assert "kraft: broken: node_failed: node operator failed: " in output
    assert "ValueError: no plan" in output
    allowed = ", may_break=['node_failed']"
    assert "1 passed" in suite.run(text.format(allowed=allowed), plugins="asyncio")


def test_brokers_of_another_process_keep_every_property(suite):
    text = """
import subprocess, sys

@pytest.mark.kraft(
    controllers=3,
    brokers=1,
    clock="real",
    settings={"broker.session.timeout.ms": 1000, "broker.heartbeat.interval.ms": 100},
)
def test_agent(kraft_sync, tmp_path):
    config = tmp_path / "agent.properties"
    config.write_text("broker.heartbeat.interval.ms=100")
    cluster = ["--controller", kraft_sync.bootstrap_controllers]
    cluster += ["--cluster-id", kraft_sync.cluster_id]
    words = ["agent", *cluster, "--first-id", "101", "--config", str(config)]
    agent = subprocess.Popen([sys.executable, "-m", "kraftsim", *words])
    try:
        kraft_sync.wait(broker=101, state="unfenced", timeout="30s")
        kraft_sync.controllers.kill(kraft_sync.quorum.leader()["leaderId"])
        kraft_sync.wait(leader="any", timeout="30s")
        kraft_sync.brokers.kill(1)
        kraft_sync.wait(broker=1, state="fenced")
        assert "unfenced" in kraft_sync.brokers.states_of(101)
    finally:
        agent.terminate()
        agent.wait()
"""
    assert "1 passed" in suite.run(text)
