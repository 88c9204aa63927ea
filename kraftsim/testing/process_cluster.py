"""A cluster in a process of its own: `kraftsim up`, started or adopted."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from kraftsim.controller.core.camel_case import lower_camel
from kraftsim.controller.wire.json.document import Document
from kraftsim.scenarios.language.suggestions import nearest

from ..errors import CommandError
from ..http.client import call, service_url
from ..http.paths import KAFKA_API
from ..operations.operation import Operation
from ..operations.table import OPERATIONS, RESET
from .process_faults import Methods, ProcessFaults
from .requested import refuse

ANY_PORTS = ("--kafka-port", "0", "--controller-port", "0", "--http-port", "0")
END_LIMIT_S = 10.0


class ProcessCluster:
    """A cluster behind the HTTP service of `kraftsim up`.

    Each operation of the service is a method with the name of the method of `Cluster`; it blocks
    and returns the JSON document of docs/http.md, `faults.add` a handle. Raises CommandError for a
    refused operation.
    """

    def __init__(self, http_url: str, generation: int | None = None) -> None:
        self.http_url = http_url
        self._generation = generation

    def after_reset(self, seed: int) -> "ProcessCluster":
        """Resets the cluster and returns it for the next test; calls of this object then fail."""
        reset = call(self.http_url, RESET.method, RESET.path, {"seed": seed})
        generation = reset["generation"]
        assert isinstance(generation, int), reset
        return ProcessCluster(self.http_url, generation)

    def __getattr__(self, name: str) -> Any:
        operations = {operation.python: operation for operation in OPERATIONS}
        if any(known.startswith(f"{name}.") for known in operations):
            return Methods(self, f"{name}.")  # such as `snapshots.save`
        if name not in operations:
            raise AttributeError(f"no operation {name!r}: expected {nearest(name, operations)}")
        return partial(self._call, operations[name])

    @property
    def faults(self) -> ProcessFaults:
        """The faults of the cluster; `add` returns a handle, as in the same process."""
        return ProcessFaults(self, "faults.")

    def _call(self, operation: Operation, *arguments: object, **named: object) -> Document:
        bound = signature(operation.run).bind(self, *arguments, **named).arguments
        values = {lower_camel(name): value for name, value in list(bound.items())[1:]}
        return self._sent(operation.method, operation.path, values)

    def kafka(self, api: str, **body: object) -> Document:
        """Sends a request of Kafka with this body in JSON ("CreateTopics"); returns the reply."""
        return self._sent("POST", KAFKA_API.format(api=api), body)

    def _sent(self, method: str, path: str, values: Mapping[str, object]) -> Document:
        return call(self.http_url, method, path, values, generation=self._generation)

    @property
    def cluster_id(self) -> str:
        """The id of the cluster."""
        return str(self.show()["clusterId"])

    @property
    def bootstrap_servers(self) -> str:
        """The `host:port,...` list of the registered brokers, for Kafka clients."""
        brokers = self.brokers.list()["brokers"]
        assert isinstance(brokers, list), brokers
        registered = [broker["listeners"][0] for broker in brokers if broker["registered"]]
        return ",".join(f"{listener['host']}:{listener['port']}" for listener in registered)

    @property
    def bootstrap_controllers(self) -> str:
        """The `host:port,...` list of the voters, for Kafka's tools."""
        voters = self.quorum.show()["voters"]
        assert isinstance(voters, list), voters
        return ",".join(str(voter["endpoint"]) for voter in voters)


@contextmanager
def process_cluster(log: Path, *words: str) -> Iterator[ProcessCluster]:
    """Runs `kraftsim up` with these options until the block ends.

    `log` is the file for the log lines of the process.
    """
    command = [sys.executable, "-m", "kraftsim", "up", *ANY_PORTS, *words]
    with (
        log.open("wb") as lines,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=lines, text=True) as process,
    ):
        try:
            yield ProcessCluster(_announced_url(process, log))
        finally:
            _end(process)


def adopted() -> ProcessCluster:
    """Returns the cluster at KRAFTSIM_HTTP; fails the test if no service answers there."""
    try:
        cluster = ProcessCluster(service_url(None))
        cluster.show()
    except (CommandError, ValueError) as error:
        pytest.fail(f"KRAFTSIM_HTTP: {error}", pytrace=False)
    return cluster


def _announced_url(process: subprocess.Popen[str], log: Path) -> str:
    """Returns the URL that `kraftsim up` prints once every broker is unfenced."""
    for line in process.stdout or ():
        name, _, url = line.rstrip("\n").partition("=")
        if name == "KRAFTSIM_HTTP":
            return url
    refuse(f"`kraftsim up` ended with exit code {process.wait()}: {log.read_text('utf-8')}")


def _end(process: subprocess.Popen[str]) -> None:
    """Ends the process with SIGTERM, or with SIGKILL if that takes too long."""
    process.terminate()
    try:
        process.wait(END_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
