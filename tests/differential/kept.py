"""Sequences that once showed a difference, kept with the answers of the release that judged them.

A kept file is replayed without Java, in virtual time: ours must give the recorded answers.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.differential.files import document_of, read
from tests.differential.judge import Bench, Mismatch, Observed, Witness, differences
from tests.differential.pair import CLUSTER_ID, started_pair
from tests.differential.phases import length_s as silence_length_s
from tests.differential.phases import sent_in
from tests.differential.sequence import Ask, Sequence, Silence, Step
from tests.differential.settings import OUR_SETTINGS
from tests.differential.sides import OurSide
from tests.released.releases import RELEASES

_ANY_PORT = 9990  # where no answer names it
STEP_S = 0.01  # of virtual time before each request
FOLDER = Path(__file__).parent / "kept"
Answer = dict[str, Any]


def record(path: Path) -> None:
    """Ask the release that the file names, and write its answers into the file."""
    document, sequence = document_of(path), read(path)
    release, session_ms = RELEASES[document["release"]], _session_ms(document)
    with started_pair(release, sequence.start, session_timeout_ms=session_ms) as pair:
        document["port"] = pair.bench.kafka.side.controller.port
        document["answers"] = [_kafkas_answer(pair.bench, step) for step in sequence.every_step]
    path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def _kafkas_answer(bench: Bench, step: Step) -> Answer:
    """Ours is asked the same, as `Bench` asks both."""
    kafka = bench.kafka
    if isinstance(step, Ask):
        return bench.observe(step)[0].spelled()
    began_s = time.monotonic()

    def wait_until(at_s: float) -> None:
        kafka.side.wait(max(0.0, began_s + at_s - time.monotonic()))

    return _answer_to_silence(kafka, step, wait_until, lambda ask: bench.observe(ask)[0])


def replay(path: Path) -> list[Mismatch]:
    """Return the mismatches of the first step in which ours answers otherwise than recorded."""
    document, sequence = document_of(path), read(path)
    steps, recorded = sequence.every_step, document["answers"]
    for place, answer in enumerate(_answers_of_ours(document, sequence)):
        if recorded[place] != answer:
            found = differences(recorded[place], answer, "")
            return [Mismatch(place, _name(steps[place]), *difference) for difference in found]
    return []


def answers_of_ours(path: Path) -> Iterator[Answer]:
    """Yield what ours answers to each step of a file, in virtual time."""
    return _answers_of_ours(document_of(path), read(path))


def _answers_of_ours(document: Answer, sequence: Sequence) -> Iterator[Answer]:
    clock = _Clock()
    side = OurSide(
        RELEASES[document["release"]].profile,
        cluster_id=CLUSTER_ID,
        port=document.get("port", _ANY_PORT),
        directory_id=bytes(range(16)),
        start=sequence.start,
        session_timeout_ms=_session_ms(document),
        clock_s=clock.now_s,
    )
    ours = Witness(side)
    for step in sequence.every_step:
        yield _our_answer(ours, step, clock)


def _session_ms(document: dict[str, Any]) -> int:
    session_ms: int = document.get("session_timeout_ms", OUR_SETTINGS.broker_session_timeout_ms)
    return session_ms


class _Clock:
    def __init__(self) -> None:
        self._now_s = 0.0

    def now_s(self) -> float:
        return self._now_s

    def advance_to(self, at_s: float) -> None:
        self._now_s = max(self._now_s, at_s)


def _our_answer(ours: Witness[OurSide], step: Step, clock: _Clock) -> Answer:
    if isinstance(step, Ask):
        clock.advance_to(clock.now_s() + STEP_S)
        return _plain(ours.observe(step).spelled())
    began_s = clock.now_s()

    def wait_until(at_s: float) -> None:
        clock.advance_to(began_s + at_s)
        ours.side.follow_clock()

    return _plain(_answer_to_silence(ours, step, wait_until, ours.observe))


def _answer_to_silence(
    witness: Witness[Any],
    silence: Silence,
    wait_until: Callable[[float], None],
    observe: Callable[[Ask], Observed],
) -> Answer:
    """The replies to heartbeats and farewells, if there are any, and every record."""
    replies, records = [], []
    length_s = silence_length_s(silence)
    for at_s, ask in sent_in(silence, length_s):
        wait_until(at_s)
        observed = observe(ask)
        replies.append(observed.reply)
        records += observed.records
    wait_until(length_s)
    records += witness.spelled(witness.appended())
    return ({"replies": replies} if replies else {}) | {"records": records}


def _plain(answer: Answer) -> Answer:
    plain: Answer = json.loads(json.dumps(answer))
    return plain


def _name(step: Step) -> str:
    return step.api if isinstance(step, Ask) else "silence"
