"""Asks both sides the same and compares: each reply field by field, then the records it led to."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.rpc import DescribeQuorumRequest, Request, Response
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import decode_response
from kraftsim.controller.wire.json.json_form import from_json
from tests.differential import canonical
from tests.differential.history import History
from tests.differential.sequence import Ask, Sequence, Step
from tests.differential.sides import OurSide, ReleasedSide, Side, outcome
from tests.differential.symbols import resolve

AnySide = TypeVar("AnySide", bound=Side)
KEYS = {api.name: api.key for api in APIS.values()}
SHOWN_CHARACTERS_MAX = 1_000  # of a value in a message
CHANGES_OF_THE_QUORUM = ("AddRaftVoter", "RemoveRaftVoter", "UpdateRaftVoter", "UpdateFeatures")
UNKNOWN_SERVER_ERROR = -1
PUBLISHED = ("DescribeCluster", "DescribeConfigs", "DescribeAcls", "DescribeQuorum")
ASKED_AGAIN_MAX = 50  # times in which a released controller publishes what it has committed
PUBLISHED_WITHIN_S = 0.02  # on a machine that has time; a busy one is asked again


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`path` such as "reply.topics[0].errorCode" or "records[2].data.isr".

    `records` is the number of records that ours wrote in the step.
    """

    step: int
    api: str
    path: str
    kafka: object
    ours: object
    records: int = 0

    def __str__(self) -> str:
        kafka, ours = (_cut(repr(value)) for value in (self.kafka, self.ours))
        return f"step {self.step} {self.api}: {self.path}: Kafka {kafka}, ours {ours}"


def _cut(text: str) -> str:
    """The beginning of a long text: a change of 10,000 partitions fills megabytes."""
    return text if len(text) <= SHOWN_CHARACTERS_MAX else text[:SHOWN_CHARACTERS_MAX] + "..."


class OursRaised(Exception):
    """Ours raised an exception where the released controller answered."""

    def __init__(self, error: Exception) -> None:
        *_, frame = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        super().__init__(f"{type(error).__name__}: {error} ({place}, in {frame.name})")

    def mismatch(self, place: int, api: str) -> Mismatch:
        return Mismatch(place, api, "an exception", "an answer", str(self))


class Witness(Generic[AnySide]):
    """One side with its history; `has_resigned` after a fault of its own, after which ours goes on.

    Its leader epoch is a later one then.
    """

    def __init__(self, side: AnySide) -> None:
        self.side = side
        self.has_resigned = False
        self.history = History(second_port=side.second_port)
        self.start = self.appended()

    def request(self, step: Ask) -> Request:
        message = APIS[KEYS[step.api]].request
        return cast(Request, from_json(message, resolve(step.body, self.history)))

    def observe(self, step: Ask) -> "Observed":
        key = KEYS[step.api]
        frame = self.side.ask(key, step.version, self.request(step))
        batches = self.appended()
        reply = canonical.reply(
            key, step.version, frame, self.history, is_of_all=is_of_all_topics(step)
        )
        response = None if frame is None else decode_response(key, step.version, frame)[1]
        records = self.spelled(batches, keeps_order=keeps_order(step))
        return Observed(reply, records, response, batches)

    def with_late_records(self, observed: "Observed") -> "Observed":
        """Add the control records that the quorum appends after the reply: a released one does so
        between two of its own requests."""
        for _ in range(2):
            self.side.ask(KEYS["DescribeQuorum"], 2, DescribeQuorumRequest(topics=()))
        batches = self.appended()
        late = Observed(observed.reply, self.spelled(batches), observed.response, batches)
        return observed.followed_by(late)

    def appended(self) -> list[Batch]:
        batches = self.side.appended()
        self.history.follow(batches)
        return batches

    def spelled(self, batches: list[Batch], *, keeps_order: bool = False) -> list[dict[str, Any]]:
        return canonical.records(batches, self.history, keeps_order=keeps_order)


@dataclass(frozen=True, slots=True)
class Observed:
    """The reply to a step and the records that it led to, in canonical form."""

    reply: dict[str, Any]
    records: list[dict[str, Any]]
    response: Response | None = field(compare=False)
    batches: list[Batch] = field(compare=False)

    def spelled(self) -> dict[str, Any]:
        return {"reply": self.reply, "records": self.records}

    def followed_by(self, later: "Observed") -> "Observed":
        """The later reply, and the records of both."""
        records, batches = self.records + later.records, self.batches + later.batches
        return replace(later, records=records, batches=batches)


@dataclass(frozen=True, slots=True)
class Bench:
    """Both sides, asked in turn."""

    kafka: Witness[ReleasedSide]
    ours: Witness[OurSide]

    def judge(self, sequence: Sequence) -> list[Mismatch]:
        """The mismatches of the first step that has any; an empty list if both behave alike."""
        for place, step in enumerate(sequence.every_step):
            assert isinstance(step, Ask), "a silence is kept side by side with others"
            mismatches = self.compare(place, step)
            if mismatches:
                return mismatches
        return []

    def is_reconciled(self, sequence: Sequence, step: int) -> bool:
        """Do the rest of a sequence that showed a mismatch at `step`; are both alike afterwards?"""
        if not sequence.cleanup:
            return False
        for rest in sequence.every_step[step + 1 : -len(sequence.cleanup)]:
            self._try(rest)
        return all([self._try(rest) for rest in sequence.cleanup])

    def _try(self, step: Step) -> bool:
        try:
            return not isinstance(step, Ask) or not self.compare(0, step)
        except KeyError:  # one side knows a topic that the other does not
            return False

    def observe(self, step: Ask) -> tuple["Observed", "Observed"]:
        """What the released controller makes of the step, and what ours does."""
        kafka = self.kafka.observe(step)
        if step.api in CHANGES_OF_THE_QUORUM:
            kafka = self.kafka.with_late_records(kafka)
            self.kafka.side.await_commit()
        try:
            return kafka, self._ours(step, kafka)
        except Exception as error:  # whatever ours raises is a difference: Kafka answered
            raise OursRaised(error) from error

    def _ours(self, step: Ask, kafka: "Observed") -> "Observed":
        if step.api in ("CreateTopics", "CreatePartitions"):
            records = [record for batch in kafka.batches for record in batch.records]
            wanted = outcome(kafka.response, records)
            self.ours.side.adopt_placement(self.ours.request(step), wanted)
        return self.ours.observe(step)

    def compare(self, place: int, step: Ask) -> list[Mismatch]:
        try:
            kafka, ours = self.observe(step)
        except OursRaised as raised:
            return [raised.mismatch(place, step.api)]
        if step.api in PUBLISHED:
            kafka = self._published(step, kafka, ours)
        kafka = self._with_late_records(kafka, ours)
        if kafka == ours:
            if kafka.reply.get("errorCode") == UNKNOWN_SERVER_ERROR:
                self.kafka.side.await_active()  # a fault of its own makes it resign
                self.kafka.appended()  # the record of its next term
                self.kafka.has_resigned = True
            return []
        # Records of a request that neither answers have a path of their own.
        is_unanswered = "connection" in ours.reply and kafka.reply == ours.reply
        written_to = "records without a reply" if is_unanswered else "records"
        found = (
            *differences(kafka.reply, ours.reply, "reply"),
            *differences(kafka.records, ours.records, written_to),
        )
        written = len(ours.records)
        return [Mismatch(place, step.api, *difference, written) for difference in found]

    def _with_late_records(self, kafka: Observed, ours: Observed) -> Observed:
        """Wait for what a controller that resigns appends after its reply, on a busy machine."""
        for _ in range(ASKED_AGAIN_MAX):
            if kafka.records == ours.records:
                break
            kafka = self.kafka.with_late_records(kafka)
        return kafka

    def _published(self, step: Ask, kafka: Observed, ours: Observed) -> Observed:
        """Ask a released controller again while its description differs from ours: a thread of its
        own publishes registrations and configurations some time after the reply to them, and the
        second controller fetches after that reply."""
        for _ in range(ASKED_AGAIN_MAX):
            if kafka == ours:
                break
            self.kafka.side.wait(PUBLISHED_WITHIN_S)
            kafka = kafka.followed_by(self.kafka.observe(step))
        return kafka


def is_of_all_topics(step: Ask) -> bool:
    """True for a request whose list of topics is null."""
    return None in (step.body.get("topics", ()), step.body.get("topicPartitions", ()))


def keeps_order(step: Ask) -> bool:
    """True if partition changes stand in the order of the request."""
    in_order = ("AlterPartition", "AlterPartitionReassignments", "ElectLeaders")
    return step.api in in_order and not is_of_all_topics(step)


def differences(kafka: Any, ours: Any, path: str) -> Iterator[tuple[str, object, object]]:
    if isinstance(kafka, dict) and isinstance(ours, dict):
        for name in [*kafka, *(name for name in ours if name not in kafka)]:
            below = f"{path}.{name}" if path else name
            yield from differences(kafka.get(name, _NOTHING), ours.get(name, _NOTHING), below)
    elif isinstance(kafka, list) and isinstance(ours, list) and len(kafka) == len(ours):
        for index, (theirs, own) in enumerate(zip(kafka, ours, strict=True)):
            yield from differences(theirs, own, f"{path}[{index}]")
    elif kafka != ours:
        yield path, kafka, ours


_NOTHING = "nothing"
