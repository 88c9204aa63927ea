"""Random histories of producers, consumers, failovers, restarts and retention, judged by an oracle.

Each promise of the oracle is broken once by a planted bug.
"""

import ast
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kraftsim.broker_agent.log import segments
from kraftsim.broker_agent.log.batch import Header
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.log.producers import Producers
from kraftsim.broker_agent.log.segments import Segment
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.log.validation import Accepted
from kraftsim.broker_agent.log.waits import FetchWaits
from kraftsim.broker_agent.messages.messages import Messages
from kraftsim.broker_agent.replica_store import ReplicaStore
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
)
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.rpc.stored_messages import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from kraftsim.simulation.world import World
from tests.batches import batch
from tests.broker_agent import log_oracle
from tests.broker_agent.log_oracle import GZIP, Kept, LogOracle, Wrong
from tests.worlds import ask, create_topic, partition, pass_time, world_of

SEEDS = range(3)
STEPS = 60
BROKERS = (1, 2, 3)
SEGMENT_BYTES, RETENTION_BYTES, RETENTION_MS = 1_048_576, 2_500_000, 600_000
BIG, EVERYTHING = 300_000, 2**31 - 1
TOPICS = {
    "plain": ({}, Kept(retention_ms=604_800_000)),
    "bytes": (
        {"retention.bytes": RETENTION_BYTES, "segment.bytes": SEGMENT_BYTES},
        Kept(retention_bytes=RETENTION_BYTES, retention_ms=604_800_000),
    ),
    "time": ({"retention.ms": RETENTION_MS}, Kept(retention_ms=RETENTION_MS)),
    "gzip": ({"compression.type": "gzip"}, Kept(codec=GZIP, retention_ms=604_800_000)),
    "stamped": (
        {"message.timestamp.type": "LogAppendTime"},
        Kept(is_stamped=True, retention_ms=604_800_000),
    ),
}


class History:
    """One partition of a topic on three brokers, and everything that its clients do."""

    def __init__(self, topic: str, seed: int) -> None:
        configs, kept = TOPICS[topic]
        self.random, self.oracle = Random(f"{topic}/{seed}"), LogOracle(kept)
        self.world = world_of(3, seed=seed + 1)
        create_topic(self.world, "t", BROKERS)
        for name, value in configs.items():
            config = AlterableConfig(name=name, config_operation=0, value=str(value))
            resource = IncrementalAlterConfigsResource(
                resource_type=2, resource_name="t", configs=(config,)
            )
            ask(self.world, IncrementalAlterConfigsRequest(resources=(resource,)))
        pass_time(self.world, 2)
        self.brokers = {broker_id: messages_of(self.world, broker_id) for broker_id in BROKERS}
        self.sequences = {1: 0, 2: 0}
        self.last: list[bytes] = []

    @property
    def wall_ms(self) -> int:
        return self.world.timeline.wall_ms

    def leader(self) -> Messages | None:
        broker_id = partition(self.world, "t").leader
        agent = self.world.agents.get(broker_id)
        return self.brokers[broker_id] if agent is not None and agent.is_running else None

    def produce(self) -> None:
        """A new batch, or again one of an idempotent producer whose answer may have been lost."""
        producer = self.random.choice((0, 1, 2))
        values = [
            b"%d" % self.random.randrange(10**9) * self.random.choice((1, 3))
            for _ in range(self.random.choice((1, 2, 5)))
        ]
        if self.oracle.kept.retention_bytes >= 0:
            values = [bytes(BIG)]
        if producer and self.last and self.random.random() < 0.4:
            self.send(self.random.choice(self.last[-2:]))
            return
        ids = (producer, 0, self.sequences[producer]) if producer else (-1, -1, -1)
        data = batch(*values, at_ms=self.wall_ms, producer=ids)
        if self.send(data) and producer:
            self.sequences[producer] += len(values)
            self.last.append(data)

    def send(self, data: bytes) -> bool:
        leader = self.leader()
        if leader is None:
            return False
        part = PartitionProduceData(index=0, records=data)
        topic_id = self.world.committed.topic_ids["t"]
        topic = TopicProduceData(name="t", topic_id=topic_id, partition_data=(part,))
        replies: list[Any] = []
        request = ProduceRequest(acks=-1, timeout_ms=1000, topic_data=(topic,))
        leader.produce(request, replies.append)
        answer = replies[0].responses[0].partition_responses[0]
        if answer.error_code == ErrorCode.NONE:
            self.oracle.acknowledged(data, answer.base_offset)
        return bool(answer.error_code == ErrorCode.NONE)

    def fetch(self) -> None:
        """Reads the whole log."""
        leader = self.leader()
        if leader is None:
            return
        data = self._fetched(leader, self.oracle.start)
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            start = self._start(leader)
            self.oracle.began(start, self.wall_ms)
            data = self._fetched(leader, start)
        assert data.error_code == ErrorCode.NONE, data
        self.oracle.began(data.log_start_offset, self.wall_ms)
        records, end = bytes_of(data), data.high_watermark
        while (reached := end_of(records, self.oracle.start)) < end:
            more = bytes_of(self._fetched(leader, reached))
            if not more:
                break
            records += more
        self.oracle.fetched(self.oracle.start, end, records)

    def _start(self, leader: Messages) -> int:
        topic = self.world.committed.topic_ids["t"]
        leader_id = partition(self.world, "t").leader
        return self.world.agents[leader_id].store.logs[topic, 0].start_offset

    def _fetched(self, leader: Messages, offset: int) -> Any:
        position = FetchPartition(
            partition=0,
            current_leader_epoch=-1,
            fetch_offset=offset,
            partition_max_bytes=EVERYTHING,
        )
        topic = FetchTopic(
            topic="t", topic_id=self.world.committed.topic_ids["t"], partitions=(position,)
        )
        replies: list[Any] = []
        request = FetchRequest(max_bytes=EVERYTHING, max_wait_ms=0, topics=(topic,))
        leader.fetch(request, replies.append)
        return replies[0].responses[0].partitions[0]

    def delete(self) -> None:
        leader, until = self.leader(), self.random.randint(self.oracle.start, self.oracle.end)
        if leader is None:
            return
        wanted = DeleteRecordsPartition(partition_index=0, offset=until)
        topic = DeleteRecordsTopic(name="t", partitions=(wanted,))
        reply: Any = leader.delete_records(DeleteRecordsRequest(topics=(topic,), timeout_ms=1000))
        if reply.topics[0].partitions[0].error_code == ErrorCode.NONE:
            self.oracle.deleted_before = max(self.oracle.deleted_before, until)

    def restart(self) -> None:
        broker_id = self.random.choice(BROKERS)
        agent = self.world.agents[broker_id]
        agent.kill()
        pass_time(self.world, self.random.choice((0.1, 15)))
        agent.start()
        pass_time(self.world, 15)

    def run(self) -> None:
        acts: list[tuple[int, Callable[[], None]]] = [
            (60, self.produce),
            (15, self.fetch),
            (3, self.delete),
            (8, self.restart),
            (14, lambda: pass_time(self.world, self.random.choice((1, 60, 400)))),
        ]
        for _ in range(STEPS):
            self.random.choices([act for _, act in acts], [weight for weight, _ in acts])[0]()
        pass_time(self.world, 700)
        self.fetch()


def messages_of(world: World, broker_id: int) -> Messages:
    """What a broker's listener asks; time and metadata are those of the world."""
    agent = world.agents[broker_id]
    return Messages(
        agent,
        "PLAINTEXT",
        FetchWaits(),
        wall_ms=lambda now_ms: world.timeline.wall_ms,
        poll_clock=lambda: world.timeline,
        forward=lambda request, reply_to: None,
        random=lambda: 0.5,
    )


def bytes_of(data: Any) -> bytes:
    return b"".join(of.encoded[0] for of in data.records or ())


def end_of(records: bytes, start: int) -> int:
    found = log_oracle.split(records)
    if not found:
        return start
    last = log_oracle.fields_of(found[-1])
    return last.base_offset + last.count


@pytest.mark.rule("B3.2", "B3.28", "B8.15", "B5.22", "B7.33")
@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_history_breaks_a_promise(topic: str, seed: int) -> None:
    history = History(topic, seed)

    history.run()

    assert history.oracle.end > 0
    assert history.oracle.got


# Bugs that the oracle finds


def run_all(topic: str) -> None:
    for seed in SEEDS:
        History(topic, seed).run()


def an_end_that_is_computed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that starts takes the base offset of the last batch for the end (KAFKA-17076)."""
    begin = ReplicaStore.begin

    def buggy(store: ReplicaStore, *, is_clean: bool) -> None:
        begin(store, is_clean=is_clean)
        for log in store.logs.values():
            if log.batches:
                log.end_offset = log.high_watermark = log.base_offsets[-1]

    monkeypatch.setattr(ReplicaStore, "begin", buggy)


def a_broker_that_sets_timestamps(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Accepted.at

    def buggy(accepted: Accepted, offset: int, epoch: int) -> tuple[bytes, Header]:
        later = accepted._replace(max_timestamp=accepted.max_timestamp + 1)
        return place(later, offset, epoch)

    monkeypatch.setattr(Accepted, "at", buggy)


def producers_that_only_the_leader_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A follower keeps no producers: a duplicate is appended after a failover (KIP-98)."""
    append_fetched = Log.append_fetched

    def buggy(log: Log, *arguments: Any) -> None:
        append_fetched(log, *arguments)
        log.producers = Producers()

    monkeypatch.setattr(Log, "append_fetched", buggy)


def retention_that_keeps_less_than_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    expired = segments.expired

    def buggy(all_: list[Segment], start: int, now_ms: int, settings: LogSettings) -> int:
        count = expired(all_, start, now_ms, settings)
        is_bounded = settings.retention_bytes >= 0
        return min(count + 1, len(all_) - 1) if is_bounded and len(all_) > 1 else count

    monkeypatch.setattr("kraftsim.broker_agent.log.log.expired", buggy)


def retention_in_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    age_ms = Segment.age_ms
    monkeypatch.setattr(Segment, "age_ms", lambda segment, now_ms: age_ms(segment, now_ms) * 1000)


BUGS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], str, str]] = {
    "repeated offsets": (an_end_that_is_computed_anew, "plain", "expected (an )?offset"),
    "changed bytes": (a_broker_that_sets_timestamps, "plain", "expected the batch that was sent"),
    "duplicates": (producers_that_only_the_leader_knows, "plain", "expected its first offset"),
    "bytes of retention": (retention_that_keeps_less_than_its_bytes, "bytes", "must keep it"),
    "time of retention": (retention_in_seconds, "time", "must keep it"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, topic, text = BUGS[name]
    plant(monkeypatch)

    with pytest.raises(Wrong, match=text):
        run_all(topic)


def test_the_oracle_imports_nothing_that_it_judges() -> None:
    tree = ast.parse(Path(log_oracle.__file__).read_text("utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert imported <= {"zlib", "dataclasses", "struct", "typing", "crc32c"}
