"""One cluster of `kraft` for several asynchronous tests, on the event loop that they share."""

import pytest

from tests.plugin.conftest import STRICT

pytestmark = pytest.mark.realtime

TWO_TESTS = """
import asyncio
addresses = []

{extra}
{mark}
@pytest.mark.kraft(brokers=2, scope="{scope}")
@pytest.mark.parametrize("run", range(2))
async def test_it(kraft, run):
    addresses.append(kraft.bootstrap_servers)
    assert await kraft.topics.list() == []
    assert "unfenced" in kraft.brokers.states_of(2)
    await kraft.topics.create("orders", partitions=1)
    await kraft.brokers.kill(2)
    await kraft.wait(broker=2, state="fenced")

def test_addresses():
    assert len(set(addresses)) == 1
"""
ANYIO = """
@pytest.fixture(scope="{scope}")
def anyio_backend():
    return "asyncio"
"""


def asyncio_mark(scope):
    return f"@pytest.mark.asyncio(loop_scope='{scope}')"


def anyio_fixture(scope):
    return ANYIO.format(scope=scope)


@pytest.mark.parametrize(
    ("scope", "mark", "extra", "plugins", "options"),
    [
        ("module", asyncio_mark("module"), "", "asyncio", ()),
        ("module", asyncio_mark("session"), "", "asyncio", ()),
        ("session", asyncio_mark("session"), "", "asyncio", ()),
        ("module", asyncio_mark("module"), "", "asyncio", ("--asyncio-mode=auto",)),
        (
            "session",
            "",
            "",
            "asyncio",
            ("--asyncio-mode=auto", "-o", "asyncio_default_test_loop_scope=session"),
        ),
        ("module", "@pytest.mark.anyio", "", "anyio", ()),
        ("module", "@pytest.mark.anyio", anyio_fixture("module"), "asyncio anyio", ()),
        ("session", "@pytest.mark.anyio", anyio_fixture("session"), "anyio", ()),
    ],
)
def test_tests_on_one_loop_share_a_cluster_that_is_as_new_for_each(
    suite, scope, mark, extra, plugins, options
):
    text = TWO_TESTS.format(scope=scope, mark=mark, extra=extra)

    assert " 3 passed" in suite.run(text, *STRICT, *options, plugins=plugins)


@pytest.mark.parametrize(
    ("mark", "extra", "plugins", "reason"),
    [
        (
            "@pytest.mark.asyncio",
            "",
            "asyncio",
            'mark the tests with @pytest.mark.asyncio(loop_scope="session")',
        ),
        (
            "@pytest.mark.anyio",
            anyio_fixture("module"),
            "anyio",
            'define the fixture anyio_backend with scope="session"',
        ),
    ],
)
def test_a_loop_that_ends_before_its_cluster_is_refused_with_the_remedy(
    suite, mark, extra, plugins, reason
):
    output = suite.run(TWO_TESTS.format(scope="session", mark=mark, extra=extra), plugins=plugins)

    assert output.count('kraft: scope="session": the cluster of a session needs an event') == 2
    assert output.count(reason) == 2


def test_a_test_on_another_loop_than_its_cluster_is_refused_with_the_remedy(suite):
    text = """
@pytest.mark.kraft(scope="module")
@pytest.mark.asyncio(loop_scope="session")
async def test_first(kraft):
    pass

@pytest.mark.kraft(scope="module")
@pytest.mark.asyncio(loop_scope="module")
async def test_second(kraft):
    pass
"""
    output = suite.run(text, plugins="asyncio")

    assert "kraft: the cluster of this module runs on another event loop than this test" in output
    assert 'such as @pytest.mark.asyncio(loop_scope="module")' in output
    assert "1 passed" in output
    assert "1 error" in output


def test_a_late_call_of_an_earlier_asynchronous_test_changes_nothing(suite):
    text = """
from kraftsim import CommandError
pytestmark = [pytest.mark.kraft(scope="module"), pytest.mark.asyncio(loop_scope="module")]
earlier = []

async def test_first(kraft):
    earlier.extend((kraft, kraft.brokers))

async def test_second(kraft):
    with pytest.raises(CommandError, match="the test of this cluster has ended"):
        await earlier[0].brokers.kill(2)
    with pytest.raises(CommandError, match="the test of this cluster has ended"):
        await earlier[1].kill(2)
    assert "RUNNING" in kraft.brokers.states_of(2)
"""
    assert "2 passed" in suite.run(text, plugins="asyncio")


def test_a_failed_test_of_a_shared_cluster_has_its_own_seed_and_section(suite):
    text = """
pytestmark = [pytest.mark.kraft(scope="module"), pytest.mark.asyncio(loop_scope="module")]

async def test_first(kraft):
    pass

@pytest.mark.kraft(seed=9)
async def test_second(kraft, kraft_clock, kraft_faults):
    kraft_faults.add(api="BrokerHeartbeat", broker=2, action="drop", count=-1)
    await kraft_clock.advance("11s")
    assert "fenced" not in kraft.brokers.states_of(2)
"""
    output = suite.run(text, plugins="asyncio")

    assert "seed 9, brokers 3" in output
    assert "1 failed, 1 passed" in output


@pytest.mark.parametrize("fixture", ["kraft", "kraft_factory"])
@pytest.mark.parametrize("backend", ["'trio'", "('trio', {'restrict_keyboard_interrupt': True})"])
def test_trio_is_refused_with_the_remedy(suite, fixture, backend):
    text = f"""
@pytest.fixture
def anyio_backend():
    return {backend}

@pytest.mark.anyio
async def test_it({fixture}):
    pass
"""
    output = suite.run(text, plugins="anyio")

    assert "run on asyncio, and anyio runs this test on trio: let the fixture" in output
    assert "1 error" in output
