"""The demo suite, with and without pytest-xdist."""

import re

import pytest

from tests.plugin.conftest import ROOT

pytestmark = pytest.mark.realtime

DEMO = ROOT / "examples" / "pytest" / "test_fencing.py"
MORE = """
import pytest

@pytest.mark.parametrize("seed", range(4))
def test_placement(request, seed):
    request.applymarker(pytest.mark.kraft(scope="session", seed=seed))
    kraft = request.getfixturevalue("kraft_sync")
    kraft.topics.create("orders", partitions=1, replication_factor=1)
    assert kraft.topics.describe("orders")["partitions"][0]["leader"] != 3

@pytest.mark.asyncio
async def test_clock(kraft, kraft_clock, kraft_faults):
    kraft_faults.add(api="BrokerHeartbeat", broker=2, action="drop", count=-1)
    await kraft_clock.advance("11s")
    assert "fenced" in kraft.brokers.states_of(2)

def test_fault_without_effect(kraft_sync, kraft_faults):
    kraft_faults.add(api="UnregisterBroker", action="drop")

def test_process(kraft_proc):
    kraft_proc.brokers.kill(2)
    kraft_proc.wait(broker=2, state="fenced")
"""


def test_processes_of_xdist_give_the_serial_verdicts(suite):
    (suite.folder / "test_demo.py").write_text(DEMO.read_text("utf-8"))
    serial = suite.start(MORE, "-rA", plugins="asyncio")
    parallel = suite.run(MORE, "-rA", "-n", "2", plugins="asyncio xdist")

    summaries = [
        sorted(re.findall(r"^(?:PASSED|FAILED|ERROR) \S+", output, re.MULTILINE))
        for output in (serial, parallel)
    ]
    assert summaries[0] == summaries[1]
    assert len(summaries[0]) == 8
    assert "FAILED test_tool.py::test_fault_without_effect" in summaries[0]
