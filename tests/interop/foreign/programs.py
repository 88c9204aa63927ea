"""The foreign clients, each with the program that calls its methods."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from tests.interop.foreign.toolchains import (
    HERE,
    JAVA_VERSIONS,
    go_command,
    java_command,
    node_command,
)
from tests.toolchains import require

RECORDED = HERE / "recorded"


@dataclass(frozen=True, slots=True)
class Program:
    """`command` raises ToolchainMissing where the client cannot run."""

    name: str
    version: str
    command: Callable[[], list[str]]

    @property
    def recorded(self) -> Path:
        """The file with the outcomes that the suite expects."""
        return RECORDED / f"{self.name}.json"

    @property
    def topic(self) -> str:
        """The topic of its calls; its user, group and transaction are named after it."""
        return f"of-{self.name}"


def _go_version(module: str) -> str:
    found = re.search(rf"{re.escape(module)} v(\S+)", (HERE / "go" / "go.mod").read_text("utf-8"))
    assert found is not None, module
    return found[1]


def _node_version(package: str) -> str:
    lock = json.loads((HERE / "node" / "package-lock.json").read_text("utf-8"))
    return str(lock["packages"][f"node_modules/{package}"]["version"])


def _python_command(client: str) -> list[str]:
    return [sys.executable, "-m", "tests.interop.foreign.python.admin_calls", client]


def _kcat_command() -> list[str]:
    return [sys.executable, "-m", "tests.interop.foreign.python.kcat_calls", require("kcat")]


JAVA = tuple(
    Program(f"java-{release}", release, partial(java_command, release)) for release in JAVA_VERSIONS
)
PROGRAMS = (
    *JAVA,
    Program(
        "franz-go",
        _go_version("github.com/twmb/franz-go/pkg/kadm"),
        partial(go_command, "franz-go"),
    ),
    Program("sarama", _go_version("github.com/IBM/sarama"), partial(go_command, "sarama")),
    Program(
        "kafka-go", _go_version("github.com/segmentio/kafka-go"), partial(go_command, "kafka-go")
    ),
    Program("kafkajs", _node_version("kafkajs"), node_command),
    Program("kcat", "of the system", _kcat_command),
    Program("confluent-kafka", version("confluent-kafka"), partial(_python_command, "confluent")),
    Program("kafka-python", version("kafka-python"), partial(_python_command, "kafka-python")),
    Program("aiokafka", version("aiokafka"), partial(_python_command, "aiokafka")),
)
