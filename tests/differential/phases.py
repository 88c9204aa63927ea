"""The timetable of silent sequences: phases end with a silence, in which heartbeats are sent."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from tests.differential.generate.silent import IDS_EACH, keep_alive
from tests.differential.sequence import Ask, Sequence, Silence, Step
from tests.differential.settings import SILENT_SESSION_MS as SESSION_MS

HEARTBEAT_INTERVAL_S = 2.0
# Leases are looked at every session/8: never two at once.
FAREWELLS_APART_S = 1.2 * SESSION_MS / 8000
LATE_MAX_S = 0.2 * SESSION_MS / 8000  # later, and two leases may be looked at together
NOBODY = -1
Phase = list[tuple[int, int, Step]]  # number of the sequence, place of the step in it, step
Turn = tuple[int, int, Ask]


def phases(sequences: Mapping[int, Sequence]) -> Iterator[Phase]:
    """Yield the steps of all sequences up to their next silence, which ends the phase."""
    starts = dict.fromkeys(sequences, 0)
    while any(start < len(sequences[number].every_step) for number, start in starts.items()):
        phase: Phase = []
        for number, sequence in sequences.items():
            steps = sequence.every_step
            while starts[number] < len(steps):
                step = steps[starts[number]]
                phase.append((number, starts[number], step))
                starts[number] += 1
                if isinstance(step, Silence):
                    break
        yield phase


def rounds(phase: Phase) -> Iterator[list[Turn]]:
    """Yield the first request of every sequence, then the second of every sequence, and so on."""
    queues: dict[int, list[Turn]] = defaultdict(list)
    for number, place, step in phase:
        if isinstance(step, Ask):
            queues[number].append((number, place, step))
    for turns in zip_longest(*queues.values()):
        yield [turn for turn in turns if turn is not None]


def silences(phase: Phase) -> list[tuple[int, int, Silence]]:
    return [(n, place, step) for n, place, step in phase if isinstance(step, Silence)]


def turns_in_silence(phase: Phase) -> list[tuple[float, Turn]]:
    """Heartbeats and farewells with the seconds since the silence began, in order of time."""
    length_s = phase_length_s(phase)
    found = [
        (at_s, (number, place, ask))
        for number, place, silence in silences(phase)
        for at_s, ask in sent_in(silence, length_s)
    ]
    return sorted(found, key=lambda timed: timed[0])


def phase_length_s(phase: Phase) -> float:
    return max((length_s(silence) for _, _, silence in silences(phase)), default=0.0)


def length_s(silence: Silence) -> float:
    """The seconds of a silence are counted from its last farewell."""
    return silence.seconds + FAREWELLS_APART_S * len(silence.farewells)


def sent_in(silence: Silence, until_s: float) -> list[tuple[float, Ask]]:
    """The farewells of a silence that lasts `until_s` seconds, and heartbeats all along."""
    sent = [
        (nth * FAREWELLS_APART_S, keep_alive(broker_id, want_fence=want_fence))
        for nth, (broker_id, want_fence) in enumerate(silence.farewells, 1)
    ]
    sent += [
        (nth * HEARTBEAT_INTERVAL_S, keep_alive(broker_id))
        for nth in range(1 + int(until_s / HEARTBEAT_INTERVAL_S))
        for broker_id in silence.heartbeats
    ]
    return sorted(sent, key=lambda timed: timed[0])


def broker_ids(number: int) -> range:
    return range(number * IDS_EACH, (number + 1) * IDS_EACH)


def number_of(sequence: Sequence) -> int:
    """The number that a silent sequence was drawn with, from the id of its first broker."""
    asked = (step.body.get("brokerId") for step in sequence.steps if isinstance(step, Ask))
    return next((known // IDS_EACH for known in asked if isinstance(known, int)), 0)


def owner(record: dict[str, Any]) -> int:
    """The number of the sequence that a record belongs to, from its broker's id or topic's name;
    NOBODY for a record of the quorum's own, which only a failover writes."""
    data = record["data"]
    if "brokerId" in data:
        return int(data["brokerId"]) // IDS_EACH
    name = str(data.get("name") or data.get("topicId") or data.get("resourceName"))
    number = name.removeprefix("topic ").split(".")[0].removeprefix("s")
    return int(number) if number.isdecimal() else NOBODY
