"""Silent sequences, side by side: hundreds of them share one wait until leases run out.

Brokers and topics of a sequence have ids and names of their own, so that every record can be given
to the sequence it belongs to. Replies are compared one by one; records once per phase, because a
released controller looks for leases that ran out every session/8 (rule 2.47), at times of its own.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from kraftsim.controller.core.log.batch import Batch
from tests.differential.generate.silent import IDS_EACH, keep_alive
from tests.differential.judge import Bench, Mismatch, Witness, differences
from tests.differential.sequence import Ask, Sequence, Silence, Step
from tests.differential.settings import SILENT_SESSION_MS as SESSION_MS

HEARTBEAT_INTERVAL_S = 2.0
APART_S = 0.003  # between two steps of one sequence: leases are told apart by milliseconds
FAREWELLS_APART_S = (
    1.2 * SESSION_MS / 8000
)  # leases are looked at every session/8: never two at once
LATE_MS = 500  # that a busy machine may add
ROUNDING_MS = 2  # of two clocks that count whole milliseconds
LONGEST_LEASE_MS = SESSION_MS * 9 // 8 + LATE_MS
FENCED = 1
NOBODY = -1
Phase = list[tuple[int, int, Step]]  # number of the sequence, place in it, step
Records = dict[int, list[dict[str, Any]]]


class SideBySide:
    """Runs the phases of all sequences together; a phase ends with a silence. `unsettled` are the
    sequences that a slow machine spoiled: the judge asked just when a lease may have ended or not,
    or the released controller looked for ended leases too late."""

    def __init__(self, bench: Bench, sequences: Mapping[int, Sequence]) -> None:
        self._bench = bench
        self._sequences = sequences
        self.unsettled: set[int] = set()
        self._contacts_ms: dict[int, int] = {}
        self._found: dict[int, list[Mismatch]] = {}
        self._kafka: Records = defaultdict(list)
        self._ours: Records = defaultdict(list)

    def judge(self) -> dict[int, list[Mismatch]]:
        """The first mismatches of each sequence that has any, by the sequence's number."""
        for phase in _phases(self._sequences):
            for steps in _rounds(phase):
                for number, place, step in steps:
                    self._expect_settled(number, _ids(number))
                    self._compare_replies(number, place, step)
                self._bench.kafka.side.wait(APART_S)
            self._keep_silence(phase)
            self._compare_records(phase)
        return {n: found for n, found in self._found.items() if n not in self.unsettled}

    def _compare_replies(self, number: int, place: int, step: Ask) -> None:
        asked_ms = wall_ms()
        kafka, ours = self._bench.observe(step)
        broker_id = step.body.get("brokerId")
        if not kafka.reply.get("errorCode"):
            self._note_contact(step.api, broker_id, asked_ms)
        self._keep(self._kafka, self._bench.kafka, kafka.batches, broker_id)
        self._keep(self._ours, self._bench.ours, ours.batches, broker_id)
        if kafka.reply != ours.reply and number not in self._found:
            found = differences({"reply": kafka.reply}, {"reply": ours.reply}, "")
            self._found[number] = [Mismatch(place, step.api, *one) for one in found]

    def _note_contact(self, api: str, broker_id: Any, now_ms: int) -> None:
        """Only a heartbeat renews a lease; who leaves or comes anew has none (1.32)."""
        if api == "BrokerHeartbeat":
            self._contacts_ms[broker_id] = now_ms
        elif api in ("BrokerRegistration", "UnregisterBroker"):
            self._contacts_ms.pop(broker_id, None)

    def _expect_settled(self, number: int, broker_ids: Iterable[int]) -> None:
        """A slow machine asks when one side may have ended a lease and the other has not."""
        now_ms = wall_ms()
        ages_ms = (now_ms - self._contacts_ms.get(broker_id, now_ms) for broker_id in broker_ids)
        if any(SESSION_MS - LATE_MS < age_ms < LONGEST_LEASE_MS for age_ms in ages_ms):
            self.unsettled.add(number)

    def _keep(
        self, records: Records, witness: Witness[Any], batches: list[Batch], sender: object = None
    ) -> None:
        """Give each record to its sequence; look when leases ended, but for the sender's own."""
        for batch in batches:
            for record in witness.spelled([batch]):
                number = owner(record)
                records[number].append(record)
                if record["data"].get("fenced") == FENCED and record["data"]["brokerId"] != sender:
                    self._check_lease(number, witness.side.name, record, batch.timestamp_ms)

    def _check_lease(self, number: int, side: str, record: dict[str, Any], at_ms: int) -> None:
        """A lease ends after the session, and at most a check of session/8 later (2.47)."""
        contact_ms = self._contacts_ms.get(record["data"]["brokerId"])
        if contact_ms is None:  # amended: the lease goes on, or begins anew in 3.9
            return
        after_ms = at_ms - contact_ms
        if side == self._bench.kafka.side.name and after_ms > LONGEST_LEASE_MS:
            self.unsettled.add(number)
        elif (
            not SESSION_MS - ROUNDING_MS <= after_ms <= LONGEST_LEASE_MS
            and number not in self._found
        ):
            expected = f"a fence {SESSION_MS} to {SESSION_MS * 9 // 8} ms after the last heartbeat"
            came = f"{after_ms} ms on the side of {side}"
            self._found[number] = [Mismatch(0, "silence", "time of the fence", expected, came)]

    def _keep_silence(self, phase: Phase) -> None:
        """Wait as long as the longest silence, heartbeats and farewells in between."""
        began_s = time.monotonic()
        for at_s, number, place, step in sorted(_timed(phase), key=lambda timed: timed[0]):
            self._wait_until(began_s + at_s)
            self._expect_settled(number, [step.body["brokerId"]])
            self._compare_replies(number, place, step)
        self._wait_until(began_s + _length_s(phase))
        self._bench.ours.side.follow_clock()
        self._keep(self._kafka, self._bench.kafka, self._bench.kafka.appended())
        self._keep(self._ours, self._bench.ours, self._bench.ours.appended())

    def _wait_until(self, at_s: float) -> None:
        if (left_s := at_s - time.monotonic()) > 0:
            self._bench.kafka.side.wait(left_s)

    def _compare_records(self, phase: Phase) -> None:
        last_places = {number: place for number, place, _ in phase}
        for number, place in last_places.items():
            kafka, ours = self._kafka.pop(number, []), self._ours.pop(number, [])
            if kafka != ours and number not in self._found:
                found = differences({"records": kafka}, {"records": ours}, "")
                self._found[number] = [Mismatch(place, "silence", *one) for one in found]


def _length_s(phase: Phase) -> float:
    """The longest silence, counted from its last farewell."""
    silences = [step for _, _, step in phase if isinstance(step, Silence)]
    lengths = (step.seconds + FAREWELLS_APART_S * len(step.farewells) for step in silences)
    return max(lengths, default=0.0)


def _timed(phase: Phase) -> Iterator[tuple[float, int, int, Ask]]:
    """(seconds since the silence began, number, place, heartbeat)."""
    for number, place, step in phase:
        if isinstance(step, Silence):
            for nth, (broker_id, want_fence) in enumerate(step.farewells, 1):
                farewell = keep_alive(broker_id, want_fence=want_fence)
                yield nth * FAREWELLS_APART_S, number, place, farewell
            for nth in range(1 + int(_length_s(phase) / HEARTBEAT_INTERVAL_S)):
                for broker_id in step.heartbeats:
                    yield nth * HEARTBEAT_INTERVAL_S, number, place, keep_alive(broker_id)


def _phases(sequences: Mapping[int, Sequence]) -> Iterator[Phase]:
    """(number, place, step) of all sequences, up to and with the silence that ends the phase."""
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


def _rounds(phase: Phase) -> Iterator[list[tuple[int, int, Ask]]]:
    """The first request of every sequence, then the second of every sequence, and so on."""
    queues: dict[int, list[tuple[int, int, Ask]]] = defaultdict(list)
    for number, place, step in phase:
        if isinstance(step, Ask):
            queues[number].append((number, place, step))
    for steps in zip_longest(*queues.values()):
        yield [step for step in steps if step is not None]


def _ids(number: int) -> range:
    return range(number * IDS_EACH, (number + 1) * IDS_EACH)


def wall_ms() -> int:
    return int(time.time() * 1000)


def owner(record: dict[str, Any]) -> int:
    """The number of the sequence that a record belongs to, from its broker's id or topic's name;
    NOBODY for a record of the quorum's own, which only a failover writes."""
    data = record["data"]
    if "brokerId" in data:
        return int(data["brokerId"]) // IDS_EACH
    name = str(data.get("name") or data.get("topicId") or data.get("resourceName"))
    number = name.removeprefix("topic ").split(".")[0].removeprefix("s")
    return int(number) if number.isdecimal() else NOBODY
