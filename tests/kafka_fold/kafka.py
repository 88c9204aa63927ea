"""A released Kafka that folds what runs wrote: one process for many questions."""

import json
import subprocess
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.kafka_fold.chaos import RELEASE, Written
from tests.released.java import java_command

PROGRAM = Path(__file__).with_name("KafkaFold.java")
END_LIMIT_S = 10


@dataclass(frozen=True, slots=True)
class Kafka:
    """The process; `log` is the file of its log."""

    _process: "subprocess.Popen[str]"
    log: Path

    def findings(self, written: Written) -> list[str]:
        """Returns what Kafka refuses of a run, and where its states differ from ours."""
        self.ask(written)
        return self.answer()

    def each(self, runs: Iterable[Written]) -> Iterator[tuple[str, list[str]]]:
        """Yields the name and the findings of each run; the next run is lived meanwhile."""
        asked: str | None = None
        for written in runs:
            if asked is not None:
                yield asked, self.answer()
            self.ask(written)
            asked = written.name
        if asked is not None:
            yield asked, self.answer()

    def ask(self, written: Written) -> None:
        """Sends the question about a run."""
        assert self._process.stdin is not None
        self._process.stdin.write(question(written) + "\n")
        self._process.stdin.flush()

    def answer(self) -> list[str]:
        """Returns the findings of the last question; raises RuntimeError if the process ended."""
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"Kafka ended: {self.log.read_text('utf-8', 'replace')[-4000:]}")
        found: list[str] = json.loads(answer)
        return found


def question(written: Written) -> str:
    """Returns the question of KafkaFold.java about a run."""
    states = [asdict(state) | {"data": _text(state.data)} for state in written.states.values()]
    return json.dumps({"log": _text(written.log_bytes), "states": states})


def _text(data: bytes) -> str:
    return b64encode(data).decode()


@contextmanager
def kafka(folder: Path) -> Iterator[Kafka]:
    """A process that folds; it ends with the block. `folder` gets its log."""
    log = folder / "fold.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            java_command(RELEASE, folder, str(PROGRAM)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdin is not None
    try:
        yield Kafka(process, log)
    finally:
        process.stdin.close()  # the program ends with its questions
        try:
            process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
