"""log.*: faults of the messages on the disks of brokers; an effect is a batch or a record.

Replicas share no bytes that a fault damages: the other replicas of a partition stay as they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.node_id import NodeId

from ..language.amounts import Amount
from ..language.constraints import Between, OneOf
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .disks import brokers_of
from .topics import Partition
from .verb import Verb, nothing

if TYPE_CHECKING:  # the logs are imported with the first message
    from kraftsim.broker_agent.log.log import Log

OFFSET_MAX = 2**63 - 1
PARTS = ("records", "length")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogVerb(Verb):
    """Base of verbs about the logs of brokers, all of them or those of a topic or partition."""

    on: Selector
    topic: str | None = None
    partition: Partition | None = None

    def logs(
        self, stage: Stage, nodes: Sequence[NodeId]
    ) -> Iterator[tuple[NodeId, PartitionKey, "Log"]]:
        """Yields the logs that the verb names of the brokers among the nodes."""
        topic_id = stage.world.committed.topic_ids.get(self.topic or "")
        for node, agent in brokers_of(stage, nodes):
            for key in sorted(agent.store.logs):
                is_named = self.topic is None or key[0] == topic_id
                if is_named and self.partition in (None, key[1]):
                    yield node, key, agent.store.logs[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrupt(LogVerb, word="log.corrupt"):
    """Damages a batch in the logs of brokers, a random one or that with the record at `offset`.

    With `part: records` its checksum is wrong: the broker serves it as it is, and consumers refuse
    it. With `part: length` a Fetch from it or from behind it is answered CORRUPT_MESSAGE (2). A
    broker that was killed cuts the log there when it starts, unless a roll has flushed the batch.
    """

    offset: Annotated[int, Between(0, OFFSET_MAX)] | None = None
    part: Annotated[str, OneOf(PARTS)] = "records"

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        from kraftsim.broker_agent.log.recovery import Part, damage

        stream, damaged = stage.stream(f"fault/{fault_id}"), 0
        for _, _, log in self.logs(stage, stage.targets(self.on)):
            bases = [base for base in log.base_offsets if base not in log.damaged]
            if self.offset is not None:
                index = log.index_of(self.offset)
                bases = [base for base in log.base_offsets[index : index + 1] if base in bases]
            if bases:
                damage(log, stream.choice(bases), Part(self.part))
                damaged += 1
        return lambda: damaged, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseTail(LogVerb, word="log.lose_tail"):
    """Kills brokers as a power cut does, which loses the end of their logs.

    By default what was not flushed is lost: what a replica got since its last segment was rolled,
    since `flush.messages` flushed it, and since its broker last ended in good order or recovered.
    With `records`, that many of its last records are lost, and the rest of their batches.
    """

    ends_process: ClassVar[bool] = True

    records: Annotated[int, Between(1, OFFSET_MAX)] | None = None
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        from kraftsim.broker_agent.log.recovery import lose_tail

        nodes = [node for node, _ in brokers_of(stage, stage.targets(self.on))]
        killed = [node for node in nodes if stage.processes.is_alive(node)]
        for node in nodes:
            stage.processes.crash(node)
        lost = sum(lose_tail(log, self.records) for _, _, log in self.logs(stage, nodes))

        def bring_back() -> None:
            for node in killed:
                stage.bring_back(node)

        return lambda: lost, bring_back
