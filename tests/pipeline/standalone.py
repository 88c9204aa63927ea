"""A standalone master and a worker of Spark's on loopback, whose Python does not know kraftsim."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
SITE = Path(pyspark.__file__).parent.parent
DEPLOY = "org.apache.spark.deploy"


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """The address of a master that has a worker with two cores."""
    with ExitStack() as running:
        master = _start(running, "master.Master", "--port", "0", "--webui-port", "0")
        address = _said(master, re.compile(r"(spark://127\.0\.0\.1:\d+)"))
        words = ["--cores", "2", "--memory", "2g", "--webui-port", "0", "--work-dir", str(folder)]
        worker = _start(running, "worker.Worker", *words, address)
        _said(worker, re.compile("Successfully registered with master"))
        yield address


def bare_python(folder: Path) -> Path:
    """Our interpreter and libraries without what is installed in place: no kraftsim."""
    path = folder / "python"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{SITE}:$PYTHONPATH" exec {sys.executable} -S "$@"\n')
    path.chmod(0o755)
    return path


def _start(running: ExitStack, what: str, *words: str) -> subprocess.Popen:
    process = running.enter_context(
        subprocess.Popen(
            [SPARK_CLASS, f"{DEPLOY}.{what}", "--host", "127.0.0.1", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    )
    running.callback(process.terminate)
    return process


def _said(process: subprocess.Popen, pattern: re.Pattern) -> str:
    """Blocks until it has said so; what it says later goes unread into the pipe's buffer."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if found := pattern.search(line):
            return found[found.lastindex or 0]
    raise AssertionError(f"expected {pattern.pattern}, got {''.join(said)}")
