"""Conditions about the partitions of a topic in the committed metadata."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.node_id import numbers_of

from ..language.constraints import OneOf
from ..language.selectors import Selector
from ..stage.stage import Holds, Stage

BROKERS = Selector("brokers")
OF_BROKERS = ("relies_on", "placed_on")
TOPIC_STATES = ("led", "leaderless", "in_sync", "led_by_fenced", "relies_on", "placed_on")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicState:
    """True if the topic exists and its partitions are in `state`.

    `led`: every partition has a leader; `leaderless`: a partition has no leader; `in_sync`:
    every ISR has all replicas; `led_by_fenced`: a leader is fenced or unregistered;
    `relies_on`: a broker `of` these leads a partition or is in an ISR; `placed_on`: a broker
    `of` these is in a replica set.
    """

    topic: str
    state: Annotated[str, OneOf(TOPIC_STATES)]
    of: Selector = BROKERS

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds.

        It is called after every event: unless it is about some brokers, which may have changed,
        it looks at the partitions only if more is committed than the last time.
        """
        if self.state in OF_BROKERS:
            return lambda: self._holds(stage)
        held, known = False, -1

        def holds() -> bool:
            nonlocal held, known
            end_offset = stage.world.committed_log.end_offset
            if end_offset != known:
                held, known = self._holds(stage), end_offset
            return held

        return holds

    def _holds(self, stage: Stage) -> bool:
        image = stage.world.committed
        topic_id = image.topic_ids.get(self.topic)
        if topic_id is None:
            return False
        quantifier: Callable[..., bool] = all if self.state in ("led", "in_sync") else any
        is_of_brokers = self.state in OF_BROKERS
        brokers = set(numbers_of(stage.nodes(self.of))) if is_of_brokers else set()
        partitions = image.topics[topic_id].partitions.values()
        return quantifier(self._is(image, partition, brokers) for partition in partitions)

    def _is(self, image: Image, partition: Partition, brokers: set[int]) -> bool:
        match self.state:
            case "led":
                return partition.leader >= 0
            case "leaderless":
                return partition.leader < 0
            case "in_sync":
                return set(partition.isr) == set(partition.replicas)
            case "led_by_fenced":
                leader = image.brokers.get(partition.leader)
                return partition.leader >= 0 and (leader is None or leader.fenced)
            case "relies_on":
                return not brokers.isdisjoint((partition.leader, *partition.isr))
            case _:
                return not brokers.isdisjoint(partition.replicas)
