"""The fixture `kraft_proc`: a cluster in a process of its own."""

import pytest

pytestmark = pytest.mark.realtime

TOOL = """
from confluent_kafka.admin import AdminClient

def test_tool(kraft_proc):
    topic = {"name": "orders", "numPartitions": 3, "replicationFactor": 3}
    kraft_proc.kafka("CreateTopics", topics=[topic])
    kraft_proc.restart(2)
    kraft_proc.wait(broker=2, state="unfenced", timeout="30s")
    client = AdminClient({"bootstrap.servers": kraft_proc.bootstrap_servers})
    metadata = client.list_topics(timeout=10)
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

    with process_cluster(suite.folder / "up.log", 7) as running:
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
    with pytest.raises(AttributeError, match="'kil': expected 'kill' or 'kill_controller'"):
        kraft_proc.kil(2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'stat'"):
        kraft_proc.wait(broker=2, stat="fenced")
"""
    assert "1 passed" in suite.run(text)


def test_a_process_that_does_not_start_fails_the_test_with_its_reason(suite, monkeypatch):
    monkeypatch.setenv("KRAFTSIM_TOKEN", "\N{SNOWMAN}")

    output = suite.run(URL)

    assert "`kraftsim up` ended with exit code 2: kraftsim: KRAFTSIM_TOKEN: expected" in output
