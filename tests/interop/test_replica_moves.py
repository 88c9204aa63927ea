"""Kafka's own tools of 4.3.1 move replicas between the log directories of simulated brokers."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.interop.running import Service, kraftsim_up
from tests.interop.tools.play import MAIN_CLASSES
from tests.limits import LIMIT_S
from tests.released.releases import NEWEST_WITH_TOOLS
from tests.released.run_tools import Tools, released_tools

pytestmark = [pytest.mark.interop, pytest.mark.released]


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[Tools]:
    with released_tools(NEWEST_WITH_TOOLS, tmp_path) as tools:
        yield tools


@pytest.fixture
def kraft(tmp_path: Path) -> Iterator[Service]:
    with kraftsim_up(tmp_path, "--log-dirs", "2", "--profile", "kafka-4.3", brokers=2) as service:
        yield service


def printed(tools: Tools, kraft: Service, tool: str, *words: str) -> str:
    address = ("--bootstrap-server", kraft.broker_address(1))
    return tools.run(MAIN_CLASSES[tool], (*address, *words)).stdout


def directories(tools: Tools, kraft: Service, broker_id: int) -> dict[str, list[str]]:
    """The replicas of a broker, by the path of their directory."""
    text = printed(tools, kraft, "log-dirs", "--describe", "--broker-list", str(broker_id))
    document: Any = json.loads(text.splitlines()[-1])
    return {
        directory["logDir"]: [replica["partition"] for replica in directory["partitions"]]
        for broker in document["brokers"]
        for directory in broker["logDirs"]
    }


@pytest.mark.parametrize("replicas", [[1], [2]])
def test_a_reassignment_names_the_directory(
    kraft: Service, tools: Tools, tmp_path: Path, replicas: list[int]
) -> None:
    printed(tools, kraft, "topics", "--create", "--topic", "t", "--replica-assignment", "1")
    (broker_id,) = replicas
    target = next(
        path for path, held in directories(tools, kraft, broker_id).items() if "t-0" not in held
    )
    entry = {"topic": "t", "partition": 0, "replicas": replicas, "log_dirs": [target]}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": [entry]}), "utf-8")
    named = ("--reassignment-json-file", str(plan))

    printed(tools, kraft, "reassign-partitions", "--execute", *named)
    deadline, text = monotonic() + LIMIT_S, ""
    while not ("is completed" in text and "completed successfully" in text):
        assert monotonic() < deadline, text
        text = printed(tools, kraft, "reassign-partitions", "--verify", *named)

    assert directories(tools, kraft, broker_id)[target] == ["t-0"]
