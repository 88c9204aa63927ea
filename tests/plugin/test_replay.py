"""`kraftsim replay` of the file that a failed test of a user leaves behind."""

import json
import re
import subprocess
import sys

import pytest

from tests.limits import LIMIT_S

pytestmark = pytest.mark.realtime

FAILING = """
from confluent_kafka.admin import AdminClient

def test_tool(kraft_sync, kraft_faults):
    kraft_faults.add(api="BrokerHeartbeat", action="drop", broker=3, count=2)
    AdminClient({"bootstrap.servers": kraft_sync.bootstrap_servers}).list_topics(timeout=60)
    kraft_sync.topics.create("orders", 2, 2)
    kraft_sync.brokers.kill(2)
    kraft_sync.wait(broker=2, state="fenced")
    kraft_sync.brokers.restart(2)
    kraft_sync.wait(broker=2, state="unfenced")
    assert kraft_sync.cluster_id == ""
"""
WITHOUT_SEED = """
@pytest.mark.asyncio
async def test_tool(kraft_factory):
    await kraft_factory(brokers=1, seed=None)
    assert False
"""


def recorded(suite, text, **plugins):
    """The file that the report of the failed test names."""
    (named,) = re.findall(r"^replay: kraftsim replay (\S+)$", suite.run(text, **plugins), re.M)
    return suite.folder / named


def replay(path, *options):
    """Replays the file in another process; returns the exit code, stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "kraftsim", "replay", str(path), *options],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_recording_of_a_failed_test_replays_with_the_same_digest_in_another_process(suite):
    path = recorded(suite, FAILING)

    code, printed, _ = replay(path, "--json")

    result = json.loads(printed)
    assert (code, result["same"], result["firstDifference"]) == (0, True, None)
    assert result["digest"] == json.loads(path.read_text().splitlines()[-1])["digest"]


def test_a_replay_prints_the_story(suite):
    code, printed, _ = replay(recorded(suite, FAILING))

    assert code == 0
    assert re.search(r"^ +\d+\.\d{3} s  brokers? 2(, 3)? (is|are) fenced", printed, re.M)
    assert re.search(r"^SAME  b2:\w+  \d+ events in \d+\.\d{3} virtual seconds$", printed, re.M)


def test_a_replay_of_other_inputs_names_the_first_difference(suite):
    path = recorded(suite, FAILING)
    path.write_text(
        path.read_text().replace(
            'kill", "arguments": {"broker_id": 2}', 'kill", "arguments": {"broker_id": 1}'
        )
    )

    code, printed, _ = replay(path)

    assert code == 1
    _, _, difference = printed.partition("\nDIFFERENT")
    assert re.search(r"first difference: event \d+", difference)
    assert "broker 1 enters NOT_RUNNING" in difference


def test_a_failure_without_a_seed_offers_no_recording(suite):
    report = suite.run(WITHOUT_SEED, plugins="asyncio")

    assert "replay: not possible: the cluster has no seed" in report
