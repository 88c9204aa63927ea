"""Starts the measured processes as a user would, and ends them."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools import native

CLUSTER_ID = "kraftsimBenchCluster01"


@contextmanager
def running(*words: str, is_native: bool = False) -> Iterator[subprocess.Popen[str]]:
    """Runs Python with the given arguments; terminates it at the end of the block.

    With `is_native` it imports the compiled copy of kraftsim (`tools/native.py`).
    """
    variables = native.environment() if is_native else os.environ
    environment = {k: v for k, v in variables.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with started([sys.executable, *words], environment) as process:
        yield process


@contextmanager
def started(
    command: Sequence[str | Path], environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Runs a program, whose output may be read; terminates it at the end of the block."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def up(
    *words: str, is_native: bool = False
) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Runs `kraftsim up` on free ports; yields the process and the addresses that it announces."""
    ports = ("--kafka-port", "0", "--controller-port", "0", "--http-port", "0")
    options = ("--cluster-id", CLUSTER_ID, *ports, *words)
    with running("-m", "kraftsim", "up", *options, is_native=is_native) as process:
        yield process, announced(process)


def announced(process: subprocess.Popen[str]) -> dict[str, str]:
    """Returns the addresses that a process prints at its start.

    Raises RuntimeError if the process exits before.
    """
    assert process.stdout is not None
    addresses: dict[str, str] = {}
    while "KRAFTSIM_CLUSTER_ID" not in addresses:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"it ended with {process.wait(10)} before it was ready")
        key, _, value = line.strip().partition("=")
        addresses[key] = value
    return addresses


def controller_port(addresses: dict[str, str]) -> int:
    """Returns the port of the controllers."""
    return int(addresses["KRAFTSIM_BOOTSTRAP_CONTROLLERS"].rpartition(":")[2])


@contextmanager
def properties(**settings: object) -> Iterator[str]:
    """Yields the path of a .properties file with the given settings."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.properties"
        lines = (f"{key.replace('_', '.')}={value}\n" for key, value in settings.items())
        path.write_text("".join(lines))
        yield str(path)


def elapsed_ms(since: float) -> float:
    """Returns the milliseconds since `since`, a time of `perf_counter`."""
    return (time.perf_counter() - since) * 1000
