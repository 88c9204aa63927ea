"""One cluster for several tests, reset before each of them."""

import pytest

pytestmark = pytest.mark.realtime

TWO_TESTS = """
addresses = []

@pytest.mark.kraft(brokers=2, scope="{scope}")
@pytest.mark.parametrize("run", range(2))
def test_it(kraft_sync, run):
    addresses.append(kraft_sync.bootstrap_servers)
    assert kraft_sync.topics.list() == []
    assert "unfenced" in kraft_sync.brokers.states_of(2)
    kraft_sync.topics.create("orders", partitions=1)
    kraft_sync.brokers.kill(2)
    kraft_sync.wait(broker=2, state="fenced")

def test_addresses():
    assert len(set(addresses)) == {clusters}
"""


@pytest.mark.parametrize(("scope", "clusters"), [("function", 2), ("module", 1), ("session", 1)])
def test_a_cluster_lives_as_long_as_its_scope_and_is_as_new_for_each_test(suite, scope, clusters):
    assert "3 passed" in suite.run(TWO_TESTS.format(scope=scope, clusters=clusters))


def test_tests_that_describe_another_cluster_do_not_share(suite):
    text = """
@pytest.mark.parametrize("brokers", [1, 2, 1])
def test_it(request, brokers):
    request.applymarker(pytest.mark.kraft(brokers=brokers, scope="session"))
    assert len(request.getfixturevalue("kraft_sync").brokers.list()) == brokers
"""
    assert "3 passed" in suite.run(text)


def test_a_late_call_of_an_earlier_test_changes_nothing(suite):
    text = """
from kraftsim import CommandError
pytestmark = pytest.mark.kraft(scope="session")
earlier = []

def test_first(kraft_sync):
    earlier.extend((kraft_sync, kraft_sync.brokers))

def test_second(kraft_sync):
    with pytest.raises(CommandError, match="the test of this cluster has ended"):
        earlier[0].brokers.kill(2)
    with pytest.raises(CommandError, match="the test of this cluster has ended"):
        earlier[1].kill(2)
    assert "RUNNING" in kraft_sync.brokers.states_of(2)
"""
    assert "2 passed" in suite.run(text)


def test_each_test_of_a_shared_cluster_has_its_own_seed(suite):
    text = """
@pytest.mark.kraft(scope="module")
def test_it(kraft_sync):
    assert False

@pytest.mark.kraft(scope="module", seed=9)
def test_its_own(kraft_sync):
    assert False
"""
    output = suite.run(text, "--kraft-seed=7")

    assert [word for word in ("seed 7,", "seed 9,") if word not in output] == []


def test_an_unknown_scope_names_the_nearest(suite):
    text = "@pytest.mark.kraft(scope='sesion')\ndef test_it(kraft_sync):\n    pass\n"

    assert "scope: expected 'session' (nearest), got 'sesion'" in suite.run(text)


def test_the_process_is_reset_between_two_tests(suite):
    text = """
from kraftsim import CommandError
earlier = []

def test_first(kraft_proc):
    kraft_proc.brokers.kill(2)
    kraft_proc.wait(broker=2, state="fenced")
    earlier.append(kraft_proc)

def test_second(kraft_proc):
    assert kraft_proc.brokers.show(2)["fenced"] is False
    with pytest.raises(CommandError, match="STALE_GENERATION"):
        earlier[0].brokers.kill(2)
"""
    assert "2 passed" in suite.run(text)


def test_a_blocking_test_goes_back_to_a_snapshot(suite):
    text = """
def test_it(kraft_sync):
    kraft_sync.snapshots.save("before")
    kraft_sync.brokers.kill(2)
    kraft_sync.wait(broker=2, state="fenced")
    kraft_sync.snapshots.restore("before")
    assert "unfenced" in kraft_sync.brokers.states_of(2)
    kraft_sync.clock.advance("1m")
"""
    assert "1 passed" in suite.run(text)
