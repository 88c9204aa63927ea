"""`kraftsim up` and `kraftsim agent` as their users run them: processes, addresses, HTTP.

The lease is short, so that a killed broker is fenced within two seconds; the heartbeats are many,
so that a busy machine fences nobody else.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from kraftsim.controller.wire.json.document import Document
from tests.limits import LIMIT_S

LONG_LEASE = "broker.session.timeout.ms=60000\n"
SETTINGS = "broker.session.timeout.ms=1500\nbroker.heartbeat.interval.ms=100\n"
ANY_PORTS = ("--kafka-port", "0", "--controller-port", "0", "--http-port", "0")


class Service:
    """A running `kraftsim up`, by the addresses that it printed."""

    def __init__(self, process: subprocess.Popen[str], addresses: dict[str, str]) -> None:
        self.process = process
        self.addresses = addresses
        self.url = addresses["KRAFTSIM_HTTP"]
        self.bootstrap_servers = addresses["KRAFTSIM_BOOTSTRAP_SERVERS"]
        self.controller = addresses["KRAFTSIM_BOOTSTRAP_CONTROLLERS"]
        self.cluster_id = addresses["KRAFTSIM_CLUSTER_ID"]

    def broker_address(self, broker_id: int) -> str:
        """The address at which clients find that one broker."""
        return self.bootstrap_servers.split(",")[broker_id - 1]

    def kill(self, broker_id: int) -> None:
        self._call("POST", f"/sim/brokers/{broker_id}/kill")

    def pause(self, broker_id: int) -> None:
        self._call("POST", f"/sim/brokers/{broker_id}/pause")

    def stop(self, broker_id: int) -> None:
        """A controlled shutdown, which may still go on when this returns."""
        self._call("POST", f"/sim/brokers/{broker_id}/stop")

    def restart(self, broker_id: int) -> None:
        self._call("POST", f"/sim/brokers/{broker_id}/restart")

    def deafen(self, broker_id: int) -> None:
        self._call("POST", f"/sim/brokers/{broker_id}/deafen")

    def undeafen(self, broker_id: int) -> None:
        self._call("POST", f"/sim/brokers/{broker_id}/undeafen")

    def wait(self, broker_id: int, state: str) -> None:
        """Until the controller has the broker in that state; it answers when it is so."""
        query = urlencode({"broker": broker_id, "state": state, "timeout": f"{LIMIT_S:.0f}s"})
        self._call("GET", f"/v1/wait?{query}")

    def create(
        self, topic: str, *assignments: Sequence[int], configs: Mapping[str, str] | None = None
    ) -> None:
        """A partition on the brokers of each assignment."""
        assigned = [
            {"partitionIndex": index, "brokerIds": list(replicas)}
            for index, replicas in enumerate(assignments)
        ]
        set_to = [{"name": name, "value": value} for name, value in (configs or {}).items()]
        wanted = {"name": topic, "assignments": assigned, "configs": set_to}
        self._call("POST", "/kafka/CreateTopics", {"topics": [wanted]})

    def directory_of(self, controller_id: int) -> str:
        """The id of the voter's log directory."""
        voters = self._call("GET", "/v1/quorum")["voters"]
        assert isinstance(voters, list), voters
        (found,) = [voter for voter in voters if voter["nodeId"] == controller_id]
        return str(found["directoryId"])

    def voters(self) -> dict[int, str]:
        """Host, port and directory id of each voter, as `--voters` has them behind the id."""
        voters = self._call("GET", "/v1/quorum")["voters"]
        assert isinstance(voters, list), voters
        return {voter["nodeId"]: f"{voter['endpoint']}:{voter['directoryId']}" for voter in voters}

    def observers(self) -> list[int]:
        """The ids of the replicas that follow the log and do not vote."""
        observers = self._call("GET", "/v1/quorum")["observers"]
        assert isinstance(observers, list), observers
        return [observer["nodeId"] for observer in observers]

    def log_dir_of(self, broker_id: int) -> str:
        """The path that the broker describes as its log directory, of which it has one."""
        directories = self._call("GET", f"/v1/brokers/{broker_id}")["logDirs"]
        assert isinstance(directories, list), directories
        (directory,) = directories
        return f"/kraftsim/{directory}"

    def make_leader(self, controller_id: int) -> None:
        """Transfers the leadership of the quorum, unless the controller leads."""
        if self._call("GET", "/v1/quorum")["leaderId"] != controller_id:
            self._call("POST", "/sim/quorum/transfer-leadership", {"to": controller_id})

    def topics(self) -> set[str]:
        """The names of all topics, internal ones included."""
        topics = self._call("GET", "/v1/topics")["topics"]
        assert isinstance(topics, list), topics
        return {topic["name"] for topic in topics}

    def kill_active_controller(self) -> None:
        """SIGKILL; another controller leads some seconds later."""
        leader = self._call("GET", "/v1/quorum")["leaderId"]
        self._call("POST", f"/sim/controllers/{leader}/kill")

    def leaders(self, topic: str) -> list[int]:
        """What the controller has committed, whatever a broker tells its clients."""
        topics = self._call("GET", "/v1/topics")["topics"]
        assert isinstance(topics, list), topics
        (found,) = [topic_name for topic_name in topics if topic_name["name"] == topic]
        return [partition["leader"] for partition in found["partitions"]]

    def in_sync(self, topic: str) -> list[int]:
        """The ISR of the topic's first partition, as the controller has committed it."""
        return sorted(self.partitions(topic)[0]["isr"])

    def partitions(self, topic: str) -> list[Any]:
        """The documents of the topic's partitions."""
        partitions = self._call("GET", f"/v1/topics/{topic}")["partitions"]
        assert isinstance(partitions, list), partitions
        return partitions

    def fenced(self) -> list[int]:
        """The ids of all fenced brokers."""
        brokers = self._call("GET", "/v1/brokers?limit=10000")["brokers"]
        assert isinstance(brokers, list), brokers
        return [broker["brokerId"] for broker in brokers if broker["fenced"]]

    def events(self, kind: str) -> list[Document]:
        """Every event of that kind, the oldest first."""
        found, next_seq = [], 0
        while page := self._call("GET", f"/v1/events?from={next_seq}")["events"]:
            found += [event for event in page if event["kind"] == kind]
            next_seq = page[-1]["seq"] + 1
        return found

    def _call(self, method: str, path: str, body: Document | None = None) -> Document:
        request = Request(
            self.url + path,
            data=json.dumps(body or {}).encode(),
            method=method,
            headers={"Content-Type": "application/json"},
        )
        with urlopen(request, timeout=2 * LIMIT_S) as response:
            document = json.load(response)
        assert isinstance(document, dict), document
        return document


@contextmanager
def kraftsim_up(
    folder: Path, *options: str, brokers: int = 4, settings: str = SETTINGS
) -> Iterator[Service]:
    """A cluster of its own, whose brokers are all unfenced; ended when the block is left."""
    words = ("up", "--brokers", str(brokers), *ANY_PORTS, *options)
    with _running(folder, words, settings=settings) as process:
        assert process.stdout is not None, "piped"
        lines = [process.stdout.readline() for _ in range(4)]
        addresses = dict(line.rstrip("\n").split("=", 1) for line in lines)
        yield Service(process, addresses)


@contextmanager
def kraftsim_agents(
    folder: Path, kraft: Service, *options: str, count: int, settings: str = SETTINGS
) -> Iterator[subprocess.Popen[str]]:
    """A fleet in its own process, registered and unfenced."""
    address = ("--controller", kraft.controller, "--cluster-id", kraft.cluster_id)
    words = ("agent", *address, "--count", str(count), *options)
    with _running(folder, words, settings=settings) as process:
        assert process.stdout is not None, "piped"
        lines = [process.stdout.readline()]
        if "--kafka-port" in options:
            lines.append(process.stdout.readline())
        assert f"KRAFTSIM_AGENTS_RUNNING={count}\n" in lines
        yield process


@contextmanager
def _running(
    folder: Path, words: Sequence[str], *, settings: str = SETTINGS
) -> Iterator[subprocess.Popen[str]]:
    config = folder / "kraftsim.properties"
    config.write_text(settings, "utf-8")
    command = [sys.executable, "-m", "kraftsim", *words, "--config", str(config)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def eventually(look: Callable[[], object], expected: object, *, ignoring: type[Exception]) -> None:
    """Ask again until the answer is `expected`; each question is a round trip, so nothing sleeps.

    A client that has just lost a broker may fail before it finds another: `ignoring` is how.
    """
    end_s = monotonic() + LIMIT_S
    while True:
        try:
            got = look()
        except ignoring as error:
            got = error
        if got == expected or monotonic() > end_s:
            break
    assert expected == got
