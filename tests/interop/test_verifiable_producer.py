"""kafka-verifiable-producer of 4.3.1 writes to simulated brokers; it reports when it ends."""

import json
from pathlib import Path

import pytest

from tests.interop.running import kraftsim_up
from tests.released.java import run_tool
from tests.released.releases import NEWEST_WITH_TOOLS

pytestmark = [pytest.mark.interop, pytest.mark.released]

MAIN_CLASS = "org.apache.kafka.tools.VerifiableProducer"
RECORDS = 5


def test_each_record_is_acknowledged_with_its_offset(tmp_path: Path) -> None:
    with kraftsim_up(tmp_path, "--profile", "kafka-4.3", brokers=1) as kraft:
        kraft.create("t", [1])
        words = ("--bootstrap-server", kraft.bootstrap_servers, "--topic", "t")
        words += ("--max-messages", str(RECORDS))
        printed = run_tool(NEWEST_WITH_TOOLS, tmp_path, MAIN_CLASS, words)

    rows = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    sent = [row for row in rows if row["name"] == "producer_send_success"]
    (total,) = [row for row in rows if row["name"] == "tool_data"]
    assert [(row["offset"], row["value"]) for row in sent] == [
        (number, str(number)) for number in range(RECORDS)
    ]
    assert (total["sent"], total["acked"]) == (RECORDS, RECORDS)
