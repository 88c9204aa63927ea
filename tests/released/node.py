"""A released node as a process: formatted, started, ended."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from tests.released.java import java_command, run_tool
from tests.released.releases import Release

STOP_LIMIT_S = 20.0


def format_storage(
    release: Release,
    config: Path,
    *,
    cluster_id: str,
    options: Sequence[str] = (),
    classes: Path | None = None,
) -> None:
    """Formats the log directories that the properties file names, as `kafka-storage.sh` does."""
    arguments = ["format", "-t", cluster_id, "-c", str(config), *options]
    run_tool(release, config.parent, "kafka.tools.StorageTool", arguments, classes=classes)


def start_node(
    release: Release,
    config: Path,
    log: BinaryIO,
    *,
    classes: Path | None = None,
    archives_classes: bool = False,
) -> subprocess.Popen[bytes]:
    """Starts the process of `kafka-server-start.sh`; `log` gets its warnings and errors."""
    java = java_command(
        release,
        config.parent,
        "kafka.Kafka",
        classes=classes,
        archives_classes=archives_classes,
    )
    command = [*java, str(config)]
    return subprocess.Popen(command, stdout=log, stderr=log)


def end(process: subprocess.Popen[bytes], limit_s: float = STOP_LIMIT_S) -> None:
    """Sends SIGTERM, and SIGKILL to a process that still runs after `limit_s`."""
    process.terminate()
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_LIMIT_S)
