"""Properties of messages, S50 to S56: of what clients sent, were told and read, and of replicas."""

from itertools import pairwise

from kraftsim.simulation.message import Exchange
from kraftsim.simulation.world import World

from ..oracles.committed import OfTheCommittedLog
from ..oracles.property import Broken, Property
from ..oracles.replica_logs import OfReplicas, ReplicaLog
from ..oracles.shadow import Fact, Key
from ..oracles.written_messages import (
    CHANGES,
    DELETIONS,
    DUPLICATES,
    LOSSES,
    REPEATS,
    WrittenMessages,
)


class OfMessages(OfTheCommittedLog):
    """A property of messages; `messages` has been called before it."""

    messages: WrittenMessages

    def exchanged(self, exchange: Exchange) -> None:
        self.exercised = self.messages.checked[self.name]
        found = self.messages.broken.get(self.name)
        if found is not None:
            raise Broken(found)


class OffsetsNeverRepeat(OfMessages):
    """Compares the batches that are acknowledged and served with an offset in one leader epoch."""

    number = "S50"
    name = REPEATS
    claim = "Within a leader epoch an offset is given to one batch, which never changes."


class AsProduced(OfMessages):
    """Compares each batch that is served with that of the producer; `log.corrupt` damages some."""

    number = "S51"
    name = CHANGES
    claim = "A fetched batch is the produced one, but for the fields that Kafka writes over."


class NoDuplicates(OfMessages):
    """Compares acknowledgements of repeated batches, and looks for two copies in one reading."""

    number = "S52"
    name = DUPLICATES
    claim = "A batch that an idempotent producer sends again is stored once."


class RetentionKeeps(OfMessages):
    """Judges each rise of the log start; not with `clock.*`, which moves the clocks of brokers."""

    number = "S53"
    name = DELETIONS
    claim = "Retention deletes only batches that are old, or exceed the bytes of their topic."


class AcknowledgedStay(OfMessages):
    """Compares what is served with what was acknowledged.

    A fault of disks, and an unclean election, may lose messages.
    """

    number = "S54"
    name = LOSSES
    claim = "An acknowledged batch keeps its offset until retention deletes it."


class ReplicasAgree(OfReplicas):
    """Compares each batch once that two replicas both know to be committed."""

    number = "S55"
    name = "replicas-agree"
    claim = "Below the smaller high watermark two replicas of a partition have the same batches."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._compared: dict[tuple[Key, int, int], int] = {}  # up to which offset

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        for (one, log), (other, its) in pairwise(sorted(logs.items())):
            end = min(log.high_watermark, its.high_watermark)
            start = max(self._compared.get((key, one, other), 0), log.start, its.start)
            if end <= start:
                continue
            self.exercised += 1
            self._compared[key, one, other] = end
            if log.between(start, end) != its.between(start, end):
                raise Broken(
                    f"{key}: brokers {one} and {other} have other batches between the offsets "
                    f"{start} and {end}, which are committed"
                )


class InSyncReplicasHaveIt(OfReplicas):
    """Compares the ends of logs in the ISR with the high watermark of the leader."""

    number = "S56"
    name = "in-sync-replicas-have-it"
    claim = "Each member of an ISR has everything below the high watermark of its leader."

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        leader = logs.get(fact["leader"])
        if leader is None or leader.led != fact["leader_epoch"]:
            return
        for member in fact["isr"]:
            if member not in self.world.agents:
                continue
            self.exercised += 1
            end = logs[member].end if member in logs else 0
            if end < leader.high_watermark:
                raise Broken(
                    f"{key}: broker {member} of the ISR {fact['isr']} ends at {end}, and the high "
                    f"watermark of leader {fact['leader']} is {leader.high_watermark}"
                )


CLASSES: tuple[type[Property], ...] = (
    OffsetsNeverRepeat,
    AsProduced,
    NoDuplicates,
    RetentionKeeps,
    AcknowledgedStay,
    ReplicasAgree,
    InSyncReplicasHaveIt,
)
