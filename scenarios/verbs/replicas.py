"""replica.*: faults of the fetchers of followers; an effect is a partition that is not fetched."""

from dataclasses import dataclass

from kraftsim.broker_agent.replication.followers import StoppedFetcher

from ..language.amounts import Amount
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .logs import brokers_of
from .topics import Partition
from .verb import Verb


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
        topic_ids = stage.world.committed.topic_ids
        topic_id = None if self.topic is None else topic_ids.get(self.topic, b"")
        stopped = [
            (agent, StoppedFetcher(topic_id, self.partition, agent.clock.now_ms))
            for _, agent in brokers_of(stage, stage.targets(self.on))
        ]
        for agent, fetcher in stopped:
            agent.stopped_fetchers.append(fetcher)

        def start_again() -> None:
            for agent, fetcher in stopped:
                agent.stopped_fetchers.remove(fetcher)

        return lambda: sum(len(fetcher.hit) for _, fetcher in stopped), start_again
