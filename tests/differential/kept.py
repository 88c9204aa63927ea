"""Sequences that once showed a difference, kept with the answers of the release that judged them.

A kept file is replayed without Java, in virtual time: ours must give the recorded answers.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.differential.judge import Bench, Mismatch, Witness, differences
from tests.differential.pair import CLUSTER_ID, started_pair
from tests.differential.sequence import Ask, Sequence, Step, read
from tests.differential.sides import OurSide
from tests.released.releases import RELEASES

_ANY_PORT = 9990  # where no answer names it
FOLDER = Path(__file__).parent / "kept"
Answer = dict[str, Any]


def record(path: Path) -> None:
    """Ask the release that the file names, and write its answers into the file."""
    document = json.loads(path.read_text("utf-8"))
    sequence = read(path)
    with started_pair(RELEASES[document["release"]], sequence.start) as pair:
        document["port"] = pair.bench.kafka.side.controller.port
        document["answers"] = list(_kafkas_answers(pair.bench, sequence))
    path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def _kafkas_answers(bench: Bench, sequence: Sequence) -> Iterator[Answer]:
    for step in sequence.every_step:
        if isinstance(step, Ask):
            observed, _ = bench.observe(step)
            yield observed.spelled()
        else:
            bench.kafka.side.wait(step.seconds)
            yield {"records": _appended(bench.kafka)}


def replay(path: Path) -> list[Mismatch]:
    """The first step in which ours gives another answer than the recorded one."""
    document = json.loads(path.read_text("utf-8"))
    sequence = read(path)
    clock = _Clock()
    side = OurSide(
        RELEASES[document["release"]].profile,
        cluster_id=CLUSTER_ID,
        port=document.get("port", _ANY_PORT),
        directory_id=bytes(range(16)),
        start=sequence.start,
        clock_s=clock.now_s,
    )
    ours = Witness(side)
    for place, step in enumerate(sequence.every_step):
        kafka, answer = document["answers"][place], _our_answer(ours, step, clock)
        if kafka != answer:
            return [Mismatch(place, _name(step), *one) for one in differences(kafka, answer, "")]
    return []


class _Clock:
    def __init__(self) -> None:
        self._now_s = 0.0

    def now_s(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        self._now_s += seconds


def _our_answer(ours: Witness[OurSide], step: Step, clock: _Clock) -> Answer:
    if isinstance(step, Ask):
        clock.advance(0.01)
        return json.loads(json.dumps(ours.observe(step).spelled()))
    clock.advance(step.seconds)
    ours.side.follow_clock()
    return {"records": _appended(ours)}


def _appended(witness: Witness[Any]) -> list[Answer]:
    """What was written in a silence."""
    return witness.spelled(witness.appended())


def _name(step: Step) -> str:
    return step.api if isinstance(step, Ask) else "silence"
