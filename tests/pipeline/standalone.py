"""Spark as a cluster on loopback: a standalone master and its worker, or a Connect server, whose
Python does not know kraftsim."""

import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
import pytest

from tests.pipeline.campaigns import environment

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
SITE = Path(pyspark.__file__).parent.parent
NAMESPACE = ["unshare", "--map-root-user", "--mount"]
DEPLOY = "org.apache.spark.deploy"
CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def place(name, folder):
    """The words for a master of Spark's, and the environment; workers of a standalone one do not
    have us installed."""
    if name.startswith("local"):
        yield ["--master", name], environment()
        return
    python = bare_python(folder)
    importing = subprocess.run([python, "-c", "import kraftsim"], cwd=folder, capture_output=True)
    assert b"No module named 'kraftsim'" in importing.stderr
    if name == "connect":
        with connect(python) as address:
            yield ["--remote", address], environment()
        return
    with standalone(folder) as master:
        settings = ["--conf", "spark.cores.max=2", "--conf", "spark.executor.memory=1g"]
        env = environment(PYSPARK_PYTHON=str(python), PYSPARK_DRIVER_PYTHON=sys.executable)
        yield ["--master", master, *settings], env


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """The address of a master that has a worker with two cores."""
    with ExitStack() as running:
        master = _start(running, "master.Master", "--port", "0", "--webui-port", "0")
        address = _said(running, master, re.compile(r"(spark://127\.0\.0\.1:\d+)"))
        words = ["--cores", "2", "--memory", "2g", "--webui-port", "0", "--work-dir", str(folder)]
        worker = _start(running, "worker.Worker", *words, address)
        _said(running, worker, re.compile("Successfully registered with master"))
        yield address


@contextmanager
def place_without_shared_folder(folder: Path, hidden: Path):
    """The words for a master with two workers, neither of which sees `hidden`, and the environment.

    Each worker has a mount namespace of its own, in which an empty file system lies over `hidden`.
    """
    if subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode:
        pytest.skip("expected mount namespaces, which this system does not permit")
    python = bare_python(folder)
    with ExitStack() as running:
        master = _start(running, "master.Master", "--port", "0", "--webui-port", "0")
        address = _said(running, master, re.compile(r"(spark://127\.0\.0\.1:\d+)"))
        words = ["--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(folder)]
        for _ in range(2):
            hide = [*NAMESPACE, "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(hidden)]
            worker = _start(running, "worker.Worker", *words, address, within=hide)
            _said(running, worker, re.compile("Successfully registered with master"))
        settings = ["--conf", "spark.executor.memory=512m"]
        env = environment(PYSPARK_PYTHON=str(python), PYSPARK_DRIVER_PYTHON=sys.executable)
        yield ["--master", address, *settings], env


@contextmanager
def connect(python: Path) -> Iterator[str]:
    """The address of a Connect server with two cores, whose workers are that Python."""
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
    }
    words = [f"{key}={value}" for key, value in settings.items()]
    command = [SPARK_CLASS, f"{DEPLOY}.SparkSubmit", "--class", CONNECT, "--master", "local[2,4]"]
    command += [word for setting in words for word in ("--conf", setting)]
    with ExitStack() as running:
        server = _started(running, [*command, "spark-internal"], PYSPARK_PYTHON=str(python))
        port = _said(running, server, re.compile(r"Spark Connect server started at: \S+:(\d+)"))
        yield f"sc://127.0.0.1:{port}"


def bare_python(folder: Path) -> Path:
    """Our interpreter and libraries without what is installed in place: no kraftsim."""
    path = folder / "python"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{SITE}:$PYTHONPATH" exec {sys.executable} -S "$@"\n')
    path.chmod(0o755)
    return path


def _start(running: ExitStack, what: str, *words: str, within: Sequence[str] = ()):
    command = [SPARK_CLASS, f"{DEPLOY}.{what}", "--host", "127.0.0.1", *words]
    return _started(running, [*within, *command])


def _started(running: ExitStack, command: list, **environment: str) -> subprocess.Popen:
    return running.enter_context(
        subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", **environment},
        )
    )


def _said(running: ExitStack, process: subprocess.Popen, pattern: re.Pattern) -> str:
    """Blocks until it has said so; what it says later is read by nobody, but read."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if found := pattern.search(line):
            _drain(running, process)
            return found[found.lastindex or 0]
    raise AssertionError(f"expected {pattern.pattern}, got {''.join(said)}")


def _drain(running: ExitStack, process: subprocess.Popen) -> None:
    """Or its pipe would be full some day, and the process stand still."""
    reader = threading.Thread(target=deque, args=(process.stderr, 0), daemon=True)
    reader.start()
    running.callback(reader.join)
    running.callback(process.terminate)
