"""`storage info` on the directories of a node prints what the released kafka-storage prints."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from kraftsim.cli.main import main
from tests.kraftsim.storage_directories import DIRECTORIES, made
from tests.released.java import TOOL_LIMIT_S, java_command
from tests.released.releases import RELEASES

pytestmark = pytest.mark.released


def kafka_info(folder: Path, properties: Path) -> tuple[int, str]:
    """Exit code and output of kafka-storage, without the traces of Java's exceptions."""
    command = java_command(RELEASES["4.3.1"], folder, "kafka.tools.StorageTool")
    done = subprocess.run(
        [*command, "info", "-c", str(properties)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=TOOL_LIMIT_S,
    )
    _, found, rest = done.stdout.partition("Found ")
    return done.returncode, found + rest


@pytest.mark.rule("6.10", "6.23")
@pytest.mark.parametrize("name", DIRECTORIES)
def test_it_prints_what_kafka_prints(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[Any]
) -> None:
    properties = made(tmp_path, DIRECTORIES[name])

    code = main(["storage", "info", "-c", str(properties)])

    assert (code, capsys.readouterr().out) == kafka_info(tmp_path, properties)
