"""Lets a released Kafka read property files and name its configurations, in one process."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.released.java import TOOL_LIMIT_S, java_command
from tests.released.releases import Release

_PROGRAM = Path(__file__).with_name("ReadProperties.java")


def keys_of(release: Release) -> list[dict[str, Any]]:
    """Returns name, type, default and valid values of every configuration, in Kafka's order."""
    found: list[dict[str, Any]] = _answer(release, "keys", "")
    return found


def read_by(release: Release, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Returns for each text the `pairs` that Java reads, and the `message` of its refusal."""
    answers: list[dict[str, Any]] = _answer(release, "read", json.dumps(texts))
    return answers


def _answer(release: Release, verb: str, text: str) -> Any:
    """Runs the program from its source: the Java that runs Kafka compiles it."""
    with tempfile.TemporaryDirectory(prefix="kraftsim-properties-") as folder:
        command = [*java_command(release, Path(folder), str(_PROGRAM)), verb]
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=True, timeout=TOOL_LIMIT_S
        )
    return json.loads(done.stdout.splitlines()[-1])
