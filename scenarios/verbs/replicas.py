"""replica.*: faults of the fetchers of followers; an effect is a partition that is not fetched."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from kraftsim.broker_agent.replication.followers import FetcherFault, SlowFetcher, StoppedFetcher
from kraftsim.controller.core.uuid import Uuid

from ..language.amounts import Amount
from ..language.constraints import Between
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .disks import brokers_of
from .topics import Partition
from .verb import Verb

BYTES_PER_SECOND_MAX = 2**40
Fault = TypeVar("Fault", bound=FetcherFault)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReplica(Verb, word="replica.stop"):
    """Stops the fetchers of brokers: their replicas of a topic or partition, or all, copy nothing.

    The brokers go on otherwise, and heartbeat. A replica that lacks something leaves the ISR after
    `replica.lag.time.max.ms`; one of an idle partition stays in it.
    """

    on: Selector
    topic: str | None = None
    partition: Partition | None = None
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        topic_id = _topic_id(stage, self.topic)
        return _begun(
            (
                agent.fetcher_faults.stopped,
                StoppedFetcher(topic_id, self.partition, agent.clock.now_ms),
            )
            for _, agent in brokers_of(stage, stage.targets(self.on))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowReplica(Verb, word="replica.slow"):
    """Slows the fetchers of brokers: so many bytes a second of each partition they copy.

    A replica stays in the ISR while it keeps up. One that is written faster falls behind: it leaves
    the ISR once it has not had everything for `replica.lag.time.max.ms`. A reassignment to a slow
    broker is over when it has copied everything. What it has got when the fault ends takes its time
    to its end, and one fetcher takes everything from a leader in another process.
    """

    on: Selector
    topic: str | None = None
    partition: Partition | None = None
    bytes_per_second: Annotated[int, Between(1, BYTES_PER_SECOND_MAX)] = 1_000
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        topic_id = _topic_id(stage, self.topic)
        return _begun(
            (
                agent.fetcher_faults.slow,
                SlowFetcher(topic_id, self.partition, self.bytes_per_second),
            )
            for _, agent in brokers_of(stage, stage.targets(self.on))
        )


def _begun(faults: Iterable[tuple[list[Fault], Fault]]) -> tuple[Effects, Undo]:
    """Adds each fault to those of its broker."""
    added = list(faults)
    for others, fault in added:
        others.append(fault)

    def end() -> None:
        for others, fault in added:
            others.remove(fault)

    return lambda: sum(len(fault.hit) for _, fault in added), end


def _topic_id(stage: Stage, topic: str | None) -> Uuid | None:
    """Returns the id of a topic; one that no partition has if the topic is unknown."""
    return None if topic is None else stage.world.committed.topic_ids.get(topic, b"")
