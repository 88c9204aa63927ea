"""Silent sequences, side by side: hundreds of them share one wait until leases run out.

Brokers and topics of a sequence have ids and names of their own, so that every record can be given
to the sequence it belongs to. Replies are compared one by one; records once per phase, because a
released controller looks for leases that ran out every session/8 (rule 2.47), at times of its own.
"""

import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from kraftsim.controller.core.log.batch import Batch
from tests.differential.canonical import without_batches
from tests.differential.judge import Bench, Mismatch, OursRaised, Witness, differences
from tests.differential.leases import Leases, wall_ms
from tests.differential.phases import (
    LATE_MAX_S,
    NOBODY,
    Phase,
    Turn,
    broker_ids,
    owner,
    phase_length_s,
    phases,
    rounds,
    silences,
    turns_in_silence,
)
from tests.differential.sequence import Sequence

APART_S = 0.003  # between two steps of one sequence: leases are told apart by milliseconds
NOT_ACTIVE = {-1, 41}  # codes of a controller that resigns, or has resigned
Writer = tuple[int, str]  # place of a step, and its api, or "silence" for what a lease's end wrote
Records = dict[int, list[tuple[dict[str, Any], Writer]]]


class Disturbed(Exception):
    """The released controller resigned, or ours raised: the rest of the batch cannot be judged."""


class SideBySide:
    """Runs the phases of all sequences together; a phase ends with a silence.

    `unsettled` are the numbers of the sequences that were not judged: a slow machine asked just
    when a lease may have ended or not, or sent a farewell too late; the released controller looked
    for ended leases too late; or another sequence disturbed the batch (`disturbance` says how).
    """

    def __init__(self, bench: Bench, sequences: Mapping[int, Sequence]) -> None:
        self._bench = bench
        self._sequences = sequences
        self.unsettled: set[int] = set()
        self.disturbance = ""
        self.of_nobody: list[str] = []
        self._leases = Leases()
        self._doubtful: set[int] = set()  # a lease may have ended before or after other records
        self._found: dict[int, list[Mismatch]] = {}
        self._kafka: Records = defaultdict(list)
        self._ours: Records = defaultdict(list)
        self._places: dict[int, int] = {}

    def judge(self) -> dict[int, list[Mismatch]]:
        """Return the first mismatches of each sequence that has any, by its number."""
        try:
            for phase in phases(self._sequences):
                if self._sequences.keys() <= self._found.keys() | self.unsettled:
                    break
                self._ask(phase)
                self._keep_silence(phase)
                self._compare_records()
        except Disturbed as disturbed:
            self.disturbance = str(disturbed)
            self.unsettled |= self._sequences.keys() - self._found.keys()
        return {n: found for n, found in self._found.items() if n not in self.unsettled}

    def _ask(self, phase: Phase) -> None:
        for turns in rounds(phase):
            for turn in turns:
                self._expect_settled(turn[0], broker_ids(turn[0]))
                self._compare_replies(turn)
            self._bench.kafka.side.wait(APART_S)

    def _keep_silence(self, phase: Phase) -> None:
        """Wait as long as the longest silence, heartbeats and farewells in between."""
        self._places |= {number: place for number, place, _ in silences(phase)}
        began_s = time.monotonic()
        for at_s, turn in turns_in_silence(phase):
            self._wait_until(began_s + at_s)
            if time.monotonic() - began_s - at_s > LATE_MAX_S:
                self.unsettled.add(turn[0])
            self._expect_settled(turn[0], [turn[2].body["brokerId"]])
            self._compare_replies(turn)
        # The last farewell may have left late, and a lease may end late after it.
        self._wait_until(began_s + phase_length_s(phase) + LATE_MAX_S)
        try:
            self._bench.ours.side.follow_clock()
        except Exception as error:  # whatever ours raises is a difference: Kafka goes on
            raise Disturbed(f"ours raised in a silence: {OursRaised(error)}") from error
        self._keep(self._kafka, self._bench.kafka, self._bench.kafka.appended())
        self._keep(self._ours, self._bench.ours, self._bench.ours.appended())

    def _wait_until(self, at_s: float) -> None:
        if (left_s := at_s - time.monotonic()) > 0:
            self._bench.kafka.side.wait(left_s)

    def _compare_replies(self, turn: Turn) -> None:
        """What follows the first mismatch of a sequence is its consequence: it is not asked."""
        number, place, step = turn
        if number in self._found:
            return
        self._places[number] = place
        asked_ms = wall_ms()
        try:
            kafka, ours = self._bench.observe(step)
        except OursRaised as raised:
            self._found[number] = [raised.mismatch(place, step.api)]
            raise Disturbed(f"ours raised at {self._name(number)}: {raised}") from raised
        broker_id = step.body.get("brokerId")
        if not kafka.reply.get("errorCode"):
            self._leases.note_contact(step.api, broker_id, asked_ms)
        self._keep(self._kafka, self._bench.kafka, kafka.batches, turn)
        self._keep(self._ours, self._bench.ours, ours.batches, turn)
        if (kafka.batches or ours.batches) and not self._leases.are_settled(broker_ids(number)):
            self._doubtful.add(number)
        if kafka.reply != ours.reply:
            self._take_reply(turn, kafka.reply, ours.reply)

    def _take_reply(self, turn: Turn, kafka: dict[str, Any], ours: dict[str, Any]) -> None:
        """Only -1 names the sequence that makes Kafka resign: 41 meets whichever asks next."""
        number, place, step = turn
        codes = error_codes(kafka) & NOT_ACTIVE
        if 41 not in codes:
            found = differences({"reply": kafka}, {"reply": ours}, "")
            self._found[number] = [Mismatch(place, step.api, *difference) for difference in found]
        if codes:
            at = f"{self._name(number)}, step {place} {step.api}"
            raise Disturbed(f"Kafka answered {min(codes)} at {at}, ours did not: Kafka resigned")

    def _expect_settled(self, number: int, ids: Any) -> None:
        if not self._leases.are_settled(ids):
            self.unsettled.add(number)

    def _keep(
        self,
        records: Records,
        witness: Witness[Any],
        batches: list[Batch],
        turn: Turn | None = None,
    ) -> None:
        """Give each record to its sequence; look when leases ended, but for the sender's own."""
        for batch in batches:
            for record in without_batches(witness.spelled([batch])):
                number = owner(record)
                writer = self._writer(number, record, turn)
                records[number].append((record, writer))
                if writer[1] == "silence":
                    self._check_lease(number, witness.side.name, record, batch.timestamp_ms)

    def _writer(self, number: int, record: dict[str, Any], turn: Turn | None) -> Writer:
        """A broker that another broker's request fences has lost its lease."""
        place = self._places.get(number, 0)
        if turn is None or turn[0] != number:
            return place, "silence"
        is_ended = Leases.is_fence(record)
        has_other = is_ended and record["data"]["brokerId"] != turn[2].body.get("brokerId")
        return place, "silence" if has_other else turn[2].api

    def _check_lease(self, number: int, side: str, record: dict[str, Any], at_ms: int) -> None:
        verdict = self._leases.verdict(record, at_ms)
        if verdict is None:
            return
        if verdict.is_late and side == self._bench.kafka.side.name:
            self.unsettled.add(number)
        elif number not in self._found:
            place = self._places.get(number, 0)
            came = f"{verdict.after_ms} ms on the side of {side}"
            expected = verdict.expected
            self._found[number] = [Mismatch(place, "silence", "time of the fence", expected, came)]

    def _compare_records(self) -> None:
        for number in sorted(self._kafka.keys() | self._ours.keys()):
            theirs, own = self._kafka.pop(number, []), self._ours.pop(number, [])
            kafka, ours = [record for record, _ in theirs], [record for record, _ in own]
            if kafka == ours or number in self._found:
                continue
            if number in self._doubtful:
                self.unsettled.add(number)
                continue
            found = list(differences({"records": kafka}, {"records": ours}, ""))
            if number == NOBODY:
                self.of_nobody += [f"{path}: Kafka {a!r}, ours {b!r}" for path, a, b in found]
            else:
                place, api = first_difference(theirs, own)
                self._found[number] = [Mismatch(place, api, *difference) for difference in found]

    def _name(self, number: int) -> str:
        return self._sequences[number].name


def first_difference(
    kafka: list[tuple[dict[str, Any], Writer]], ours: list[tuple[dict[str, Any], Writer]]
) -> Writer:
    """Return the step that wrote the first record that only one of two lists has there."""
    for (record, writer), (other, _) in zip(kafka, ours, strict=False):
        if record != other:
            return writer
    shorter, longer = sorted((kafka, ours), key=len)
    return longer[len(shorter)][1]


def error_codes(reply: Any) -> set[int]:
    """Return every error code of a reply, at the top and of each topic, partition and result."""
    if isinstance(reply, list):
        return set().union(*(error_codes(item) for item in reply))
    if not isinstance(reply, dict):
        return set()
    codes = {reply["errorCode"]} if "errorCode" in reply else set()
    return codes.union(*(error_codes(item) for item in reply.values()))
