"""Kafka's command line tools of a release, all in one Java virtual machine."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.released.java import java_command
from tests.released.releases import Release

_PROGRAM = Path(__file__).with_name("RunTools.java")
_ANSWER = '{"exit"'  # what a log line does not begin with
_STOP_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Printed:
    """What a tool has printed, and its exit code."""

    exit_code: int
    stdout: str
    stderr: str


class Tools:
    """Runs one tool at a time, in the virtual machine of `process`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, main_class: str, words: Sequence[str], *, stdin: str = "") -> Printed:
        """Returns when the tool has ended; its requests have time-outs."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None, "piped"
        assert answers is not None, "piped"
        command = {"main": main_class, "words": list(words), "in": stdin}
        asked.write(json.dumps(command) + "\n")
        asked.flush()
        for line in answers:
            if line.startswith(_ANSWER):
                answer = json.loads(line)
                return Printed(answer["exit"], answer["stdout"], answer["stderr"])
        raise RuntimeError(f"the virtual machine ended within {main_class} {list(words)}")


@contextmanager
def released_tools(release: Release, folder: Path) -> Iterator[Tools]:
    """The tools of the release; the virtual machine ends with the block."""
    command = java_command(release, folder, str(_PROGRAM))
    with (
        (folder / "tools.log").open("w") as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        try:
            yield Tools(process)
        finally:
            process.stdin and process.stdin.close()
            process.wait(_STOP_LIMIT_S)
