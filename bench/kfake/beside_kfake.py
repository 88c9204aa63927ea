"""What clients ask first, and a start in process, beside kfake, the fake cluster of franz-go."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.request import Request, urlopen

from kraftsim.controller.core.rpc.cluster import (
    ApiVersionsRequest,
    DescribeClusterRequest,
    MetadataRequest,
)
from kraftsim.controller.wire.frames import encode_request
from tools.native import ROOT

from .. import load
from ..processes import started, up
from ..report import Row

RUNS, SECONDS, CONNECTIONS = 5, 2.0, 64
TOPICS, PARTITIONS = 10, 3  # as in bench/kfake/main.go
SOURCE, PROGRAM = Path(__file__).parent, ROOT / "build" / "kfake"
FRAMES = {
    "Metadata": encode_request(3, 12, 7, "bench", MetadataRequest()),
    "DescribeCluster": encode_request(60, 1, 7, "bench", DescribeClusterRequest()),
    "ApiVersions": encode_request(
        18, 3, 7, "bench", ApiVersionsRequest(client_software_name="b", client_software_version="1")
    ),
}


def beside_kfake() -> Iterator[Row]:
    """Compares requests a second over 64 connections; needs the Go toolchain."""
    if shutil.which("go") is None:
        yield Row("beside kfake", "not measured: install Go")
        return
    with running_kfake() as (peer, said), up("--brokers", "3") as (server, addresses):
        yield Row("kfake: a start in its process", "", f"{said['START_MS']} ms")
        _create_topics(addresses["KRAFTSIM_HTTP"])
        ports = [
            int(address.rpartition(":")[2])
            for address in (said["ADDRESS"], addresses["KRAFTSIM_BOOTSTRAP_SERVERS"].split(",")[0])
        ]
        for name, frame in FRAMES.items():
            yield _compared(name, frame, (ports[0], peer.pid), (ports[1], server.pid))


@contextmanager
def running_kfake() -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Builds and runs kfake; yields its process and what it prints."""
    PROGRAM.parent.mkdir(exist_ok=True)
    subprocess.run(["go", "build", "-o", PROGRAM, "."], cwd=SOURCE, check=True)
    with started([PROGRAM]) as process:
        assert process.stdout is not None
        lines = (process.stdout.readline().strip().partition("=") for _ in range(2))
        yield process, {key: value for key, _, value in lines}


def _create_topics(url: str) -> None:
    topics = [
        {"name": f"topic-{number}", "numPartitions": PARTITIONS, "replicationFactor": 3}
        for number in range(TOPICS)
    ]
    body = json.dumps({"topics": topics, "timeoutMs": 5000}).encode()
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(f"{url}/kafka/CreateTopics", body, headers)) as response:
        codes = {topic["errorCode"] for topic in json.load(response)["topics"]}
    if codes != {0}:
        raise RuntimeError(f"expected topics, got errors {codes}")


def _compared(name: str, frame: bytes, theirs: tuple[int, int], ours: tuple[int, int]) -> Row:
    """Measures both servers in turn; `theirs` and `ours` are their ports and process ids."""
    frames = [frame] * CONNECTIONS
    pairs = [
        tuple(load.run(port, frames, pid, seconds=SECONDS) for port, pid in (theirs, ours))
        for _ in range(RUNS)
    ]
    peer, figure = (
        f"{median(run.per_second for run in runs):,.0f}/s, "
        f"p99 {median(run.p99_us for run in runs):,.0f} us"
        for runs in zip(*pairs, strict=True)
    )
    ratio = median(us.per_second / them.per_second for them, us in pairs)
    return Row(f"{name}, {CONNECTIONS} connections", figure, peer, ratio, ">= 1, p99 no worse")
