"""The fixtures of the pytest plugin, under each runner of tests."""

import pytest

from tests.plugin.conftest import STRICT

pytestmark = pytest.mark.realtime

FENCE = """
    await kraft.brokers.kill(2)
    await kraft.wait(broker=2, state="fenced")
    assert 2 not in {broker.broker_id for broker in (await kraft.describe_cluster()).brokers}
"""
BLOCKING_FENCE = """
@pytest.mark.kraft(clock="virtual")
def test_fence(kraft_sync):
    kraft_sync.brokers.kill(2)
    kraft_sync.wait(broker=2, state="fenced")
    assert "fenced" in kraft_sync.brokers.states_of(2)
"""


@pytest.mark.parametrize(
    ("mark", "plugins", "options"),
    [
        ("@pytest.mark.asyncio", "asyncio", ()),
        ("", "asyncio", ("--asyncio-mode=auto",)),
        ("@pytest.mark.asyncio(loop_scope='module')", "asyncio", ()),
        ("@pytest.mark.asyncio", "asyncio", ("-o", "asyncio_default_test_loop_scope=session")),
        ("@pytest.mark.anyio", "anyio", ()),
        ("@pytest.mark.anyio", "asyncio anyio", ()),
        ("@pytest.mark.anyio", "anyio asyncio", ()),
    ],
)
def test_an_asynchronous_test_fences_a_broker_in_virtual_time(suite, mark, plugins, options):
    test = f"{mark}\n@pytest.mark.kraft(clock='virtual')\nasync def test_fence(kraft):{FENCE}"

    assert "1 passed" in suite.start(test, *STRICT, *options, plugins=plugins)


ASK = """
import asyncio
from confluent_kafka.admin import AdminClient

@pytest.mark.{mark}
async def test_listeners(kraft):
    client = AdminClient({{"bootstrap.servers": kraft.bootstrap_servers}})
    metadata = await asyncio.to_thread(client.list_topics, timeout=60)
    assert len(metadata.brokers) == 3
"""


@pytest.mark.parametrize("mark", ["asyncio", "asyncio(loop_scope='session')", "anyio"])
@pytest.mark.parametrize("plugins", ["asyncio anyio", "anyio asyncio"])
def test_listeners_respond_on_the_event_loop_of_the_test(suite, mark, plugins):
    assert "1 passed" in suite.run(ASK.format(mark=mark), plugins=plugins)


def test_a_fixture_of_a_user_may_build_on_kraft(suite):
    text = """
import pytest_asyncio

@pytest_asyncio.fixture
async def orders(kraft):
    await kraft.topics.create("orders", partitions=3)
    return kraft

@pytest.mark.asyncio
async def test_orders(orders):
    assert [topic["name"] for topic in await orders.topics.list()] == ["orders"]
"""
    assert "1 passed" in suite.run(text, plugins="asyncio")


def test_a_blocking_test_needs_no_other_plugin(suite):
    assert "1 passed" in suite.start(BLOCKING_FENCE, "-W", "error")


def test_blocking_kafka_clients_talk_to_the_cluster_of_a_blocking_test(suite):
    text = """
from confluent_kafka.admin import AdminClient
from kafka.admin import KafkaAdminClient

@pytest.mark.parametrize("clock", ["real", "virtual"])
def test_clients(request, clock):
    request.applymarker(pytest.mark.kraft(clock=clock))
    kraft = request.getfixturevalue("kraft_sync")
    client = KafkaAdminClient(bootstrap_servers=kraft.bootstrap_servers.split(","))
    assert len(client.describe_cluster()["brokers"]) == 3
    client.close()
    kraft.topics.create("orders", partitions=3)
    client = AdminClient({"bootstrap.servers": kraft.bootstrap_servers})
    assert list(client.list_topics(timeout=60).topics) == ["orders"]
"""
    assert "2 passed" in suite.run(text)


def test_an_error_of_the_cluster_reaches_the_blocking_test(suite):
    text = """
from kraftsim import CommandError

def test_error(kraft_sync):
    with pytest.raises(CommandError, match="no broker 9"):
        kraft_sync.brokers.kill(9)
"""
    assert "1 passed" in suite.run(text)


def test_clusters_of_a_factory_have_ids_of_their_own_and_are_closed(suite):
    text = """
clusters = []

@pytest.mark.asyncio
@pytest.mark.kraft(brokers=2)
async def test_two(kraft, kraft_factory):
    clusters.extend([kraft, await kraft_factory(), await kraft_factory(brokers=1)])
    assert [len(await cluster.brokers.list()) for cluster in clusters] == [2, 2, 1]
    assert len({cluster.cluster_id for cluster in clusters}) == 3

def test_closed():
    from kraftsim import CommandError
    for cluster in clusters:
        with pytest.raises(CommandError, match="the cluster is closed"):
            cluster.world
"""
    assert "2 passed" in suite.run(text, plugins="asyncio")


def test_a_unittest_case_gets_a_cluster_and_the_marker_of_its_class(suite):
    text = """
from unittest import TestCase

@pytest.mark.kraft(brokers=2, clock="virtual")
class FenceTest(TestCase):
    @pytest.fixture(autouse=True)
    def cluster(self, kraft_sync):
        self.kraft = kraft_sync

    def test_fence(self):
        self.kraft.brokers.kill(2)
        self.kraft.wait(broker=2, state="fenced")
        self.assertEqual(2, len(self.kraft.brokers.list()))
"""
    assert "1 passed" in suite.run(text)


def test_an_asynchronous_unittest_case_gets_a_cluster_on_another_loop_than_its_own(suite):
    text = """
from unittest import IsolatedAsyncioTestCase

class FenceTest(IsolatedAsyncioTestCase):
    @pytest.fixture(autouse=True)
    def cluster(self, kraft_sync):
        self.kraft = kraft_sync

    async def test_restart(self):
        self.kraft.brokers.restart(2)
        self.kraft.wait(broker=2, state="unfenced")
"""
    assert "1 passed" in suite.run(text)


def test_processes_of_xdist_have_clusters_of_their_own(suite):
    text = BLOCKING_FENCE.replace("def test_fence(kraft_sync)", "def test_fence(kraft_sync, run)")
    text = text.replace("@pytest", "@pytest.mark.parametrize('run', range(4))\n@pytest", 1)

    assert "4 passed" in suite.run(text, "-n", "2", plugins="xdist")


@pytest.mark.parametrize("test", ["def test_it", "async def test_it"])
def test_a_test_without_an_event_loop_is_led_to_the_blocking_fixture(suite, test):
    output = suite.run(f"{test}(kraft):\n    pass\n", plugins="asyncio")

    assert "need an asynchronous test that pytest-asyncio or anyio runs" in output
    assert "a blocking test takes kraft_sync" in output
    assert "1 error" in output


def test_a_fixture_of_the_user_has_precedence(suite):
    text = "@pytest.fixture\ndef kraft():\n    return 7\n\n"
    text += "def test_own(kraft):\n    assert kraft == 7\n"

    assert "1 passed" in suite.run(text)


def test_a_start_of_pytest_loads_nothing_else_of_kraftsim(suite):
    text = """
import sys

def test_nothing_is_loaded():
    loaded = {name for name in sys.modules if name.startswith("kraftsim")}
    room = {"kraftsim.testing", "kraftsim.testing.keys"}
    assert loaded - {"kraftsim.machine_code"} == {"kraftsim", "kraftsim.pytest_plugin", *room}
    assert "asyncio" not in sys.modules
"""
    assert "1 passed" in suite.start(text)


def test_the_clock_of_a_test_is_moved_and_held(suite):
    text = """
@pytest.mark.asyncio
async def test_clock(kraft, kraft_clock):
    await kraft.brokers.kill(2)
    await kraft_clock.advance("11s")
    assert "fenced" in kraft.brokers.states_of(2)
    async with kraft_clock.held("the test") as shown:
        assert [lock["owner"] for lock in shown["locks"]] == ["the test"]
    assert (await kraft_clock.show())["locks"] == []
"""
    assert "1 passed" in suite.run(text, plugins="asyncio")
