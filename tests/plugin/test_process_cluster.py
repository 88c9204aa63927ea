"""The fixture `kraft_proc`: a cluster in a process of its own."""

import re

import pytest

pytestmark = pytest.mark.realtime

TOOL = """
from confluent_kafka.admin import AdminClient

def test_tool(kraft_proc):
    topic = {"name": "orders", "numPartitions": 3, "replicationFactor": 3}
    kraft_proc.kafka("CreateTopics", topics=[topic])
    kraft_proc.brokers.restart(2)
    kraft_proc.wait(broker=2, state="unfenced", timeout="30s")
    client = AdminClient({"bootstrap.servers": kraft_proc.bootstrap_servers})
    metadata = client.list_topics(timeout=60)
    assert list(metadata.topics) == ["orders"]
    assert metadata.cluster_id == kraft_proc.cluster_id
    kraft_proc.kafka("DeleteTopics", topics=[{"name": "orders"}])
"""
URL = "def test_url(kraft_proc):\n    open('url', 'a').write(kraft_proc.http_url + '\\n')\n"


def urls(suite):
    return (suite.folder / "url").read_text().split()


def answers(url):
    """True if a kraftsim service answers at the URL."""
    from kraftsim.errors import Unreachable
    from kraftsim.http.client import call

    try:
        return "clusterId" in call(url, "GET", "/v1/cluster", {})
    except Unreachable:
        return False


def test_a_tool_talks_to_a_cluster_in_another_process(suite):
    assert "1 passed" in suite.run(TOOL)


def test_a_session_has_one_process_which_ends_with_it(suite):
    assert "2 passed" in suite.run(URL + URL.replace("test_url", "test_again"))

    first, second = urls(suite)
    assert first == second
    assert not answers(first)


def test_a_cluster_of_the_environment_is_adopted_and_runs_on(suite, monkeypatch):
    from kraftsim.testing.process_cluster import process_cluster

    with process_cluster(suite.folder / "up.log", "--clock", "auto") as running:
        monkeypatch.setenv("KRAFTSIM_HTTP", running.http_url)
        assert "2 passed" in suite.run(TOOL + URL)

        assert urls(suite) == [running.http_url]
        assert answers(running.http_url)


def test_an_address_without_a_service_fails_the_test_in_one_line(suite, monkeypatch):
    monkeypatch.setenv("KRAFTSIM_HTTP", "http://127.0.0.1:1")

    output = suite.run(URL)
    assert "KRAFTSIM_HTTP: http://127.0.0.1:1: no service answers" in output
    assert "Unreachable" not in output


def test_an_unknown_operation_names_the_nearest(suite):
    text = """
def test_it(kraft_proc):
    with pytest.raises(AttributeError, match="'brokers.kil': expected 'brokers.kill'"):
        kraft_proc.brokers.kil(2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'stat'"):
        kraft_proc.wait(broker=2, stat="fenced")
"""
    assert "1 passed" in suite.run(text)


def test_a_process_that_does_not_start_fails_the_test_with_its_reason(suite, monkeypatch):
    monkeypatch.setenv("KRAFTSIM_TOKEN", "\N{SNOWMAN}")

    output = suite.run(URL)

    assert "`kraftsim up` ended with exit code 2: kraftsim: KRAFTSIM_TOKEN: expected" in output


ECHO = """
def test_it(kraft_proc):
    assert len(kraft_proc.brokers.list()["brokers"]) == 2
    assert len(kraft_proc.controllers.list()["controllers"]) == 3
"""


def test_the_marker_describes_the_process(suite):
    text = (
        f"@pytest.mark.kraft(brokers=2, controllers=3, clock='virtual', racks=['a', 'b'])\n{ECHO}"
    )
    text += "    assert kraft_proc.clock.show()['speed'] == 0\n"
    text += "    assert kraft_proc.brokers.show(2)['rack'] == 'b'\n"
    text += URL + URL.replace("test_url", "test_again")

    assert "3 passed" in suite.run(text)
    assert len(set(urls(suite))) == 1


@pytest.mark.parametrize(
    "argument", ["settings={}", "kafka_port=0", "scope='module'", "may_leak=True"]
)
def test_an_argument_that_a_process_does_not_take_is_refused(suite, argument):
    output = suite.run(f"@pytest.mark.kraft({argument})\n{URL}")

    assert f"kraft: {argument.partition('=')[0]}: kraft_proc takes seed, brokers, " in output


def test_a_marker_may_be_for_another_cluster_of_the_test_too(suite):
    text = "@pytest.mark.kraft(settings={}, brokers=1)\ndef test_it(kraft_proc, kraft_sync):\n"
    text += "    assert len(kraft_sync.brokers.list()) == 1\n"
    text += "    assert len(kraft_proc.brokers.list()['brokers']) == 1\n"

    assert "1 passed" in suite.run(text)


def test_an_adopted_cluster_that_differs_from_the_marker_is_refused(suite, monkeypatch):
    from kraftsim.testing.process_cluster import process_cluster

    with process_cluster(
        suite.folder / "up.log", "--brokers", "2", "--controllers", "3"
    ) as running:
        monkeypatch.setenv("KRAFTSIM_HTTP", running.http_url)
        right = f"@pytest.mark.kraft(brokers=2, controllers=3)\n{ECHO}"
        assert "1 passed" in suite.run(right)

        output = suite.run(f"@pytest.mark.kraft(brokers=4)\n{ECHO}")
        assert "brokers: expected 4, got 2 from the cluster at KRAFTSIM_HTTP: start it" in output
        output = suite.run(f"@pytest.mark.kraft(profile='kafka-3.9')\n{ECHO}")
        assert "profile: the cluster at KRAFTSIM_HTTP runs already: start it with" in output


FAILING = """
def test_fence(kraft_proc):
    kraft_proc.brokers.kill(2)
    kraft_proc.wait(broker=2, state="fenced")
    assert False, kraft_proc.brokers.show(2)["incarnationId"]
"""


def test_a_failure_shows_seed_address_last_events_and_how_to_repeat_it(suite):
    output = suite.run(FAILING, "--kraft-seed=7")

    assert re.search(r"^seed 7, process at http://\S+, cluster \S{22}; last events:$", output, re.M)
    assert re.search(r"^\S+Z +\d+ +controller-3000 +broker_fenced broker=2", output, re.M)
    assert "\nrepeat: pytest test_tool.py::test_fence --kraft-seed=7\n" in output


def test_a_failure_shows_the_faults_of_the_process(suite):
    text = """
def test_it(kraft_proc):
    kraft_proc.faults.add({"net.partition": {"on": 2}, "id": "cut"})
    assert False
"""
    assert re.search(
        r"^faults:\n  cut at \d\.\d+ s: hits \d+, open; net.partition: {on: 2}$",
        suite.run(text),
        re.M,
    )


def test_the_repeat_line_repeats_the_process(suite):
    first = suite.run(FAILING)
    repeated = suite.run(FAILING, *re.findall(r"--kraft-seed=\d+", first))

    incarnations = [re.findall(r"AssertionError: (\S+)", output) for output in (first, repeated)]
    assert incarnations[0] == incarnations[1] != []


def test_a_process_that_has_died_is_part_of_the_report(suite):
    text = """
from kraftsim import CommandError

def test_it(kraft_proc):
    kraft_proc.down()
    with pytest.raises(CommandError):
        while kraft_proc.show():
            pass
    assert False
"""
    assert re.search(
        r"^seed \d+, process at http://\S+: .*no service answers", suite.run(text), re.M
    )
