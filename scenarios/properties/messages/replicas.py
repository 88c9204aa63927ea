"""Properties of the logs of replicas, S55 to S60: what is committed, whole, and told."""

from itertools import pairwise
from typing import ClassVar, NamedTuple

from kraftsim.simulation.world import World

from ...oracles.breach_words import words
from ...oracles.log_configs import min_isr
from ...oracles.property import Broken, Property
from ...oracles.replica_logs import OfReplicas, ReplicaLog
from ...oracles.shadow import Fact, Key
from ...oracles.told_truncations import Told, ToldTruncations
from ...oracles.written_messages import CORRUPT, fields_of


class ReplicasAgree(OfReplicas):
    """Compares each batch once that two replicas both know to be committed.

    After an unclean election only members of the ISR are compared: others may not have learned yet
    that what they know to be committed is lost.
    """

    number = "S55"
    name = "replicas-agree"
    claim = "Below the smaller high watermark two replicas of a partition have the same batches."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._compared: dict[tuple[Key, int, int], int] = {}  # up to which offset

    def forget(self, key: Key) -> None:
        self._compared = {place: end for place, end in self._compared.items() if place[0] != key}

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        compared = fact["isr"] if key in self.declared else logs
        found = [
            (broker_id, logs[broker_id]) for broker_id in sorted(compared) if broker_id in logs
        ]
        for (one, log), (other, its) in pairwise(found):
            end = min(log.high_watermark, its.high_watermark)
            start = max(self._compared.get((key, one, other), 0), log.start, its.start)
            if end <= start:
                continue
            self.exercised += 1
            self._compared[key, one, other] = end
            if log.between(start, end) != its.between(start, end):
                raise Broken(
                    f"{words(key)}: brokers {one} and {other} have other batches between the "
                    f"offsets {start} and {end}, which are committed"
                )


class InSyncReplicasHaveIt(OfReplicas):
    """Compares the ends of logs in the ISR with the largest high watermark that a leader has had.

    That of a new leader may be lower, until its followers have fetched (B6.23). If the leader
    itself has less, records are lost, which is for S54.
    """

    number = "S56"
    name = "in-sync-replicas-have-it"
    claim = "Each member of an ISR has everything that a leader has known to be committed."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._committed: dict[Key, int] = {}

    def forget(self, key: Key) -> None:
        self._committed.pop(key, None)

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        leader = logs.get(fact["leader"])
        if leader is None or leader.led != fact["leader_epoch"]:
            return
        committed = max(self._committed.get(key, 0), leader.high_watermark)
        self._committed[key] = committed = min(committed, leader.end)
        for member in fact["isr"]:
            if member not in self.world.agents:
                continue
            self.exercised += 1
            end = logs[member].end if member in logs else 0
            if end < committed:
                raise Broken(
                    f"{words(key)}: broker {member} of the ISR {words(fact['isr'])} ends at {end}, "
                    f"and leader {fact['leader']}, or a leader before it, knew all below "
                    f"{committed} as committed"
                )


class Reign(NamedTuple):
    """A leader of a partition, and the leader epoch in which it leads."""

    leader: int
    epoch: int


class HighWatermarkNeverFalls(OfReplicas):
    """Compares the high watermarks of a leader within its epoch (B6.30).

    That of a follower may fall: it is the one that its leader told last (B5.20).
    """

    number = "S57"
    name = "high-watermark-never-falls"
    claim = "Within a leader epoch the high watermark of the leader never falls."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._seen: dict[Key, tuple[Reign, int]] = {}

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        reign = Reign(fact["leader"], fact["leader_epoch"])
        leader = logs.get(reign.leader)
        if leader is None or leader.led != reign.epoch:
            return
        before, mark = self._seen.get(key, (reign, leader.high_watermark))
        self._seen[key] = (reign, leader.high_watermark)
        self.exercised += before == reign
        if before == reign and leader.high_watermark < mark:
            raise Broken(
                f"{words(key)}: the high watermark of leader {reign.leader} in epoch "
                f"{reign.epoch} was {mark}, and is {leader.high_watermark}"
            )


class Look(NamedTuple):
    """The high watermark of a leader, and how many of which replicas must have what is below it."""

    reign: Reign
    mark: int
    needed: int
    replicas: tuple[int, ...]


class EnoughReplicasHaveIt(OfReplicas):
    """Counts the replicas that have all below the high watermark, each time that it has risen.

    KIP-966 lets it stand still while fewer than min ISR replicas are in sync. A leader learns later
    than the log of another min ISR, so the least one of its epoch counts; whether the replicas
    changed before or after a rise between two looks is not known.
    """

    number = "S58"
    name = "enough-replicas-have-it"
    claim = "What is committed was on at least min ISR replicas as it was committed."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._seen: dict[Key, Look] = {}
        self._default = world.topology.settings.min_insync_replicas

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        leader = logs.get(fact["leader"])
        if leader is None or leader.led != fact["leader_epoch"]:
            return
        replicas, mark = tuple(fact["replicas"]), leader.high_watermark
        topic = self.shadow.facts["Topic", key[1]]["name"]
        nodes = (*self.world.controllers, *replicas)
        needed = min_isr(self.shadow, topic, nodes, self._default, len(replicas))
        reign = Reign(fact["leader"], fact["leader_epoch"])
        before = self._seen.get(key)
        if before is None or before.reign != reign:
            self._seen[key] = Look(reign, mark, needed, replicas)
            return
        needed = min(needed, before.needed)
        self._seen[key] = Look(reign, mark, needed, replicas)
        if mark <= before.mark or replicas != before.replicas:
            return
        self.exercised += 1
        holders = [broker_id for broker_id, log in logs.items() if log.end >= mark]
        if len(holders) < needed:
            raise Broken(
                f"{words(key)}: the high watermark of leader {fact['leader']} rose to {mark}, "
                f"which only the replicas {words(holders)} have; min ISR is {needed}"
            )


class LogsAreWhole(OfReplicas):
    """Looks at each batch of a replica once: at its offsets, and at the leader epoch that it has.

    `log.corrupt` damages both.
    """

    number = "S59"
    name = "logs-are-whole"
    claim = (
        "The batches of a replica follow each other up to its end, its high watermark is between "
        "its log start and its end, and its leader epochs begin where its batches say."
    )
    losing: ClassVar[frozenset[str]] = frozenset({CORRUPT})

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._looked: dict[tuple[Key, int], tuple[int, bytes]] = {}  # the last batch of a log

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        for broker_id, log in logs.items():
            self.exercised += 1
            found = _marks(log) or _end(log) or self._batches((key, broker_id), log)
            if found is not None:
                raise Broken(f"{words(key)}, broker {broker_id}: {found}")

    def _batches(self, place: tuple[Key, int], log: ReplicaLog) -> str | None:
        base, batch = self._looked.get(place, (-1, b""))
        start = base if base >= 0 and log.has(base, batch) else log.start
        fresh = [fields_of(data) for data in log.between(start, log.end)]
        if log.batches:
            self._looked[place] = (log.base_offsets[-1], log.batches[-1])
        for fields, following in pairwise(fresh):
            if fields.end_offset != following.base_offset:
                return (
                    f"the batch after offset {fields.base_offset} is that at "
                    f"{following.base_offset}"
                )
        for fields in fresh:
            epoch = log.epoch_at(fields.base_offset)
            # A log start that a killed broker had not saved comes back without its epochs (B8.44).
            if epoch not in (-1, fields.leader_epoch):
                return (
                    f"offset {fields.base_offset} is of leader epoch {fields.leader_epoch}, and "
                    f"the epochs {words(log.epochs)} say {epoch}"
                )
        return None


def _marks(log: ReplicaLog) -> str | None:
    if log.start <= log.high_watermark <= log.end:
        return None
    return f"log start {log.start}, high watermark {log.high_watermark}, end {log.end}"


def _end(log: ReplicaLog) -> str | None:
    """Returns what is wrong at the end of a log.

    An epoch without a record begins there if the replica was elected and wrote nothing (B5.30).
    """
    if not log.batches and log.start != log.end:
        return f"the end is {log.end}, the log start {log.start}, and there is no batch"
    if log.batches:
        last = fields_of(log.batches[-1])
        if last.end_offset != log.end:
            return f"the end is {log.end}, and the last batch begins at {last.base_offset}"
    if log.epochs and log.end > log.start:
        epoch, start = log.epochs[-1]
        if start > log.end or (start == log.end and epoch != log.led):
            return f"the end is {log.end}, and leader epoch {epoch} began at {start}"
    return None


class TruncationsAreTold(OfReplicas):
    """Compares the logs of a replica at two looks with the rows `records_truncated` in between."""

    number = "S60"
    name = "truncations-are-told"
    claim = (
        "A broker that gives up records tells from which offset on, and how many of those that it "
        "knew to be committed."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._told = ToldTruncations(world)
        self._seen: dict[tuple[Key, int], tuple[int, bytes, int]] = {}

    def partition_settled(self, key: Key, before: Fact | None, after: Fact) -> None:
        super().partition_settled(key, before, after)
        for broker_id in {*(() if before is None else before["replicas"])} - {*after["replicas"]}:
            self._seen.pop((key, broker_id), None)  # a replica that was removed may be deleted

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        name = f"{self.shadow.facts['Topic', key[1]]['name']}-{key[2]}"
        for broker_id, log in logs.items():
            told = self._told.take(broker_id, name)
            found = self._untold((key, broker_id), log, told)
            if found is not None:
                raise Broken(f"{words(key)}: broker {broker_id} {found}, and told {words(told)}")

    def _untold(self, place: tuple[Key, int], log: ReplicaLog, told: list[Told]) -> str | None:
        before = self._seen.pop(place, None)
        if log.batches:
            self._seen[place] = (log.base_offsets[-1], log.batches[-1], log.high_watermark)
        if before is None or before[0] < log.start or log.has(*before[:2]):
            return None
        self.exercised += 1
        base, _, mark = before
        if all(row.start > base for row in told):
            return f"gave up the batch at offset {base}"
        if base < mark and not any(row.committed for row in told):
            return f"gave up the batch at offset {base}, below its high watermark {mark}"
        return None


CLASSES: tuple[type[Property], ...] = (
    ReplicasAgree,
    InSyncReplicasHaveIt,
    HighWatermarkNeverFalls,
    EnoughReplicasHaveIt,
    LogsAreWhole,
    TruncationsAreTold,
)
