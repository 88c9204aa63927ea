"""topic.write: clients that write messages to a topic and read them; an effect is a record."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ..language.amounts import Amount, Period
from ..language.constraints import Between, OneOf
from ..stage.stage import Effects, Stage, Undo
from .topics import Partition
from .verb import Verb

if TYPE_CHECKING:  # the logs are imported with the first message
    from kraftsim.simulation.clients.partition_client import PartitionClient

RECORDS_MAX = 10_000
SIZE_MAX = 1_000_000
ALL, LEADER = "all", "leader"  # acks=-1 and acks=1
AT_ONCE = Amount(fixed_us=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteTopic(Verb, word="topic.write"):
    """Writes a batch of `records` to each partition at each interval `every`, and reads the topic.

    The producer of a partition is idempotent and waits for the ISR (`acks: all`), or for the leader
    alone (`acks: leader`, Kafka's 1); a value has `size` bytes. Each response to Produce is lost
    with probability `lost`, and the producer sends the batch again. A consumer reads on after each
    batch, from the log start if the leader changed. Both know the leader from metadata that are as
    old as `refresh` at most (metadata.max.age.ms), or until an error. An effect is an acknowledged
    record.
    """

    name: str
    partition: Partition | None = None
    records: Annotated[int, Between(1, RECORDS_MAX)] = 1
    size: Annotated[int, Between(1, SIZE_MAX)] = 100
    every: Period
    acks: Annotated[str, OneOf((ALL, LEADER))] = ALL
    refresh: Amount = AT_ONCE
    lost: Annotated[float, Between(0, 1)] = 0.0
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        clients, is_over = self._clients(stage, fault_id), [False]

        def act() -> None:
            if is_over[0]:
                return
            for client in clients:
                client.write()
                client.read()
            stage.world.timeline.after(self.every.us, act)

        def end() -> None:
            is_over[0] = True
            for client in clients:
                client.read()

        act()
        return lambda: sum(client.acknowledged for client in clients), end

    def _clients(self, stage: Stage, fault_id: str) -> "list[PartitionClient]":
        from kraftsim.simulation.clients.listeners import Listeners
        from kraftsim.simulation.clients.partition_client import PartitionClient

        listeners, draw = Listeners(stage.world), stage.stream(f"fault/{fault_id}")
        topic_id = stage.world.committed.topic_ids.get(self.name)
        topic = None if topic_id is None else stage.world.committed.topics[topic_id]
        known = [] if topic is None else sorted(topic.partitions)
        return [
            PartitionClient(
                stage.world,
                listeners,
                self.name,
                index,
                records=self.records,
                size=self.size,
                waits_for_isr=self.acks == ALL,
                refresh_us=self.refresh.us,
                loses=lambda: draw.random() < self.lost,
            )
            for index in known
            if self.partition in (None, index)
        ]
