"""Does the steps of sequences at one side, and sees what clients can see once it has settled."""

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from tests.differential.listener.batches import encoded
from tests.differential.replicas import steps
from tests.differential.replicas.marks import Marks
from tests.differential.replicas.observed import Seen, observed, running_brokers
from tests.differential.replicas.settings import BROKER_IDS, FETCH_WAIT_S
from tests.differential.replicas.sides import Side
from tests.differential.replicas.steps import Ask, Configure, Elect, Fault, Reassign, Step, Write
from tests.differential.replicas.wire import API_VERSIONS, Brokers, Line

PRODUCE, CREATE_TOPICS, ELECT, CONFIGURE, REASSIGN = 0, 19, 43, 44, 45
TOPIC, SET, AT_MS = 2, 0, 1_700_000_000_000
KEPT_FOR_EVER = ("retention.ms", "-1")
SHORT_MS = 1000  # a write with a shorter timeout is answered before the fault goes on
POLL_S = 0.2
EQUAL_ANSWERS = 4  # of which each comes POLL_S after the one before
SETTLED_WITHIN_S = 180.0  # a busy machine starts a virtual machine
APPENDED_WITHIN_S, MOVED_WITHIN_S, MARKED_WITHIN_S = 3.0, 5.0, 10.0
PAUSED_MAX_S = 5.0  # less than replica.lag.time.max.ms
PAUSED_S = 2 * FETCH_WAIT_S  # so long that no Fetch of the paused broker waits at a leader
KNOWN_S = 3 * FETCH_WAIT_S  # so long that followers know a high watermark, and have stored it


@dataclass(slots=True)
class Waiting:
    """A write that was sent, until it has its `reply`."""

    topic: str
    write: Write
    line: Line
    target: int
    reply: Any = None

    def look(self) -> bool:
        """Reads what has come; True if there is a reply."""
        if self.reply is None:
            document = self.line.reply()
            if document is not None:
                self.reply = "open" if self.write.acks == 0 else _produced(document)
            elif self.line.is_closed:
                self.reply = "closed"
            if self.reply is not None:
                self.line.close()
        return self.reply is not None


def _produced(document: Any) -> list[int]:
    (topic,) = document["responses"]
    (partition,) = topic["partitionResponses"]
    return [partition["errorCode"], partition["baseOffset"]]


def _has_several_outcomes(ask: Ask, seen: Seen) -> bool:
    """True of a reassignment without a leader that adds a replica beside one that is behind.

    It ends as soon as the new replica is in the ISR (rule 4.36): if that one is the first to have
    caught up with the leader that returns, it leads.
    """
    if not isinstance(ask, Reassign) or ask.replicas is None or seen["leader"] != -1:
        return False
    new = set(ask.replicas) - set(seen["replicas"])
    behind = set(ask.replicas) - new - set(seen["isr"]) - set(seen["elr"])
    return bool(new and behind)


@contextmanager
def witnesses(sides: Mapping[str, Side]) -> Iterator[dict[str, "Witness"]]:
    """A witness of each side, whose connections are closed with the block."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(closing(Witness(side))) for name, side in sides.items()}


class Witness:
    """One side, and the topics of the sequences that are judged there at a time.

    `late` says what this machine was too slow for; empty if every step was in time.
    """

    def __init__(self, side: Side) -> None:
        self._side = side
        self._brokers = Brokers(dict(side.ports), side.pass_time)
        self._marks = Marks(self._brokers)
        self._running = set(BROKER_IDS)
        self._topics: list[str] = []
        self._seen: dict[str, Seen] = {}
        self._written: Counter[str] = Counter()
        self._writes: list[Waiting] = []
        self._codes: dict[str, list[int]] = {}
        self.late = ""

    def close(self) -> None:
        self._brokers.close()

    def begin(self, sequences: Sequence[steps.Sequence], topics: Sequence[str]) -> dict[str, Seen]:
        """Creates a topic for each sequence, and returns what is seen of it.

        Topics are not deleted: a controller of 4.3.1 resigns for ever when a broker of the ELR of a
        deleted topic registers again (`stale-elr` of docs/differences.toml).
        """
        self._topics = list(topics)
        self._written.clear()
        self.late = ""
        created = [
            {
                "name": topic,
                "numPartitions": -1,
                "replicationFactor": -1,
                "assignments": [{"partitionIndex": 0, "brokerIds": list(sequence.replicas)}],
                "configs": [
                    {"name": name, "value": value}
                    for name, value in (*sequence.configs, KEPT_FOR_EVER)
                ],
            }
            for sequence, topic in zip(sequences, topics, strict=True)
        ]
        self._until(self._are_brokers_settled, SETTLED_WITHIN_S)
        body = {"topics": created, "timeoutMs": 30_000, "validateOnly": False}
        found = self._brokers.ask(min(self._running), CREATE_TOPICS, 7, body)
        self._codes = {topic["name"]: [topic["errorCode"]] for topic in found["topics"]}
        return self.settled()

    # Steps

    def perform(self, drawn: Sequence[Step]) -> None:
        """Does the step of each sequence; they share its fault."""
        self._codes = {topic: [] for topic in self._topics}
        fault, began_s = drawn[0].fault, self._side.now_s()
        if fault is not None and fault.paused is not None:
            self._act("pause", fault.paused)
            self._side.pass_time(PAUSED_S)
        for topic, step in zip(self._topics, drawn, strict=True):
            if step.ask is not None and not _has_several_outcomes(step.ask, self._seen[topic]):
                self._codes[topic] = self._ask(topic, step.ask)
        for turn in range(max(len(step.writes) for step in drawn)):
            turns = zip(self._topics, drawn, strict=True)
            self._write([(topic, s.writes[turn]) for topic, s in turns if turn < len(s.writes)])
        short = [waiting for waiting in self._writes if waiting.write.timeout_ms < SHORT_MS]
        self._await(lambda: all([waiting.look() for waiting in short]), "a reply to a write")
        if fault is not None:
            self._side.pass_time(KNOWN_S)
            self._do(fault, began_s)

    def _do(self, fault: Fault, began_s: float) -> None:
        """What happens after the writes of a step that began then."""
        for verb, broker_id in fault.acts:
            self._act(verb, broker_id)
        if fault.paused is not None and self._side.now_s() - began_s > PAUSED_MAX_S:
            self.late = f"a step with a paused broker took more than {PAUSED_MAX_S:.0f} s"

    def _act(self, verb: str, broker_id: int) -> None:
        self._brokers.forget(broker_id)
        if verb == "start":
            self._until(lambda: not self._is_running(broker_id), SETTLED_WITHIN_S)
        if verb in ("start", "resume"):
            self._running.add(broker_id)
        else:
            self._running.discard(broker_id)
        getattr(self._side, verb)(broker_id)
        if verb == "end":  # what is done next finds other leaders
            self._await(lambda: not self._leads(broker_id), "other leaders", MOVED_WITHIN_S)

    def _leads(self, broker_id: int) -> bool:
        seen = self._look()
        return any(seen[topic]["leader"] == broker_id for topic in self._topics)

    def _ask(self, topic: str, ask: Ask) -> list[int]:
        asked = min(self._running)
        match ask:
            case Reassign(replicas):
                moved = {"partitionIndex": 0, "replicas": replicas and list(replicas)}
                topics = [{"name": topic, "partitions": [moved]}]
                body: Any = {"timeoutMs": 5000, "topics": topics}
                found = self._brokers.ask(asked, REASSIGN, 0, body)
                results = [part for of in found["responses"] for part in of["partitions"]]
            case Elect(is_unclean):
                body = {"electionType": int(is_unclean), "timeoutMs": 5000}
                body |= {"topicPartitions": [{"topic": topic, "partitions": [0]}]}
                found = self._brokers.ask(asked, ELECT, 2, body)
                results = [
                    part for of in found["replicaElectionResults"] for part in of["partitionResult"]
                ]
            case Configure(name, value):
                change = {"name": name, "configOperation": SET, "value": value}
                resource = {"resourceType": TOPIC, "resourceName": topic, "configs": [change]}
                body = {"resources": [resource], "validateOnly": False}
                found = self._brokers.ask(asked, CONFIGURE, 1, body)
                results = found["responses"]
        return [found.get("errorCode", 0), *(result["errorCode"] for result in results)]

    def _write(self, writes: list[tuple[str, Write]]) -> None:
        """Sends a write to each topic; returns when each is answered or in its leader's log."""
        before = self._leaders_bytes()
        sent = [self._send(topic, write) for topic, write in writes]
        self._writes += sent

        def is_there() -> bool:
            sizes = self._leaders_bytes()
            return all(
                [
                    waiting.look() or sizes.get(waiting.topic) != before.get(waiting.topic)
                    for waiting in sent
                ]
            )

        self._await(is_there, "the leaders to append a write or to refuse it")

    def _send(self, topic: str, write: Write) -> Waiting:
        """Sends it to the leader, or to another broker where the leader does not run."""
        leader = self._seen[topic]["leader"]
        target = leader if leader in self._running else min(self._running)
        self._written[topic] += 1
        key = self._written[topic]
        batch = {"values": [10] * write.records, "keys": [key] * write.records, "at": AT_MS}
        records = {"index": 0, "records": _base64(encoded([batch]))}
        body = {
            "transactionalId": None,
            "acks": write.acks,
            "timeoutMs": write.timeout_ms,
            "topicData": [{"name": topic, "partitionData": [records]}],
        }
        line = self._brokers.open(target)
        line.send(PRODUCE, 11, body, answers=write.acks != 0)
        if write.acks == 0:
            line.send(API_VERSIONS, 0, {})
        return Waiting(topic, write, line, target)

    def _leaders_bytes(self) -> dict[str, int]:
        """The size of each topic's log at the leader that was seen last."""
        logs = self._look()
        found = {}
        for topic in self._topics:
            log = logs[topic]["logs"].get(str(self._seen[topic]["leader"]), {})
            found[topic] = log.get("bytes", -1)
        return found

    # What is seen

    def settled(self) -> dict[str, Seen]:
        """What is seen once nothing changes any more.

        Raises RuntimeError if other brokers run than the steps have left running.
        """
        limit_s = self._side.now_s() + SETTLED_WITHIN_S
        while (found := self._stable()) is None:
            if self._side.now_s() > limit_s:
                found = self._unsettled()
                break
            self._side.pass_time(POLL_S)
        self._seen = found
        return self.state()

    def _stable(self) -> dict[str, Seen] | None:
        """What is seen, if it is the same for a while, and each broker has all metadata."""
        first = self._quiet()
        if first is None or not self._have_all_metadata():
            return None
        for _ in range(EQUAL_ANSWERS - 1):
            self._side.pass_time(POLL_S)
            if self._quiet() != first:
                return None
        return first

    def _quiet(self) -> dict[str, Seen] | None:
        """What is seen, if the brokers are as the steps say and nothing waits for anything."""
        with suppress(OSError):
            if self._are_brokers_settled() and all([write.look() for write in self._writes]):
                seen = self._look()
                return seen if all(map(self._is_quiet, seen.values())) else None
        return None

    def _unsettled(self) -> dict[str, Seen]:
        if not self._are_brokers_settled():
            who, wanted = type(self._side).__name__, sorted(self._running)
            raise RuntimeError(f"{who}: expected the brokers {wanted} to run and to answer")
        self.late = f"it has not settled within {SETTLED_WITHIN_S:.0f} s"
        return self._look()

    def state(self) -> dict[str, Seen]:
        """What was seen last, with the replies to the requests of the step."""
        return {
            topic: seen
            | {"codes": self._codes[topic]}
            | {"writes": [w.reply for w in self._writes if w.topic == topic]}
            for topic, seen in self._seen.items()
        }

    def forget_writes(self) -> None:
        for waiting in self._writes:
            waiting.line.close()
        self._writes.clear()

    def _are_brokers_settled(self) -> bool:
        """True if each broker that should run knows all of them as not fenced, and no other."""
        wanted = sorted(self._running)
        return all(running_brokers(self._brokers, asked) == wanted for asked in wanted)

    def _is_running(self, broker_id: int) -> bool:
        return broker_id in running_brokers(self._brokers, min(self._running))

    def _have_all_metadata(self) -> bool:
        """False if a broker has not applied what was committed before, after a while.

        A broker shows a configuration before its replicas have what was committed with it. It
        applies one change after the other: it has applied the first of two marks once it shows the
        second.
        """
        with suppress(OSError):
            return all(self._is_marked(self._marks.set(min(self._running))) for _ in range(2))
        return False

    def _is_marked(self, mark: str) -> bool:
        return self._until(
            lambda: all(self._marks.is_shown(broker, mark) for broker in self._running),
            MARKED_WITHIN_S,
        )

    def _look(self) -> dict[str, Seen]:
        return observed(self._brokers, self._topics, self._running)

    def _is_quiet(self, seen: Seen) -> bool:
        """True if every replica that runs is in the ISR with all that the leader has."""
        if seen["leader"] not in self._running:
            return bool(seen["leader"] == -1)
        running = self._running & set(seen["replicas"])
        logs = [seen["logs"].get(str(broker_id), {}) for broker_id in running]
        ends = {(log.get("bytes"), log.get("highWatermark")) for log in logs}
        return running <= set(seen["isr"]) and len(ends) == 1

    def _await(
        self, is_so: Callable[[], bool], what: str, limit_s: float = APPENDED_WITHIN_S
    ) -> None:
        if not self._until(is_so, limit_s):
            self.late = f"expected {what} within {limit_s:.0f} s"

    def _until(self, is_so: Callable[[], bool], limit_s: float) -> bool:
        """Returns True when it is so, False after that time."""
        end_s = self._side.now_s() + limit_s
        while self._side.now_s() < end_s:
            with suppress(OSError):
                if is_so():
                    return True
            self._side.pass_time(POLL_S / 4)
        return False


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")
