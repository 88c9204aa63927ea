"""Conditions about the partitions of a topic in the committed metadata."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.node_id import numbers_of

from ..language.constraints import OneOf
from ..language.selectors import Selector
from ..stage.evaluation import Holds
from ..stage.stage import Stage

BROKERS = Selector("brokers")
TOPIC_STATES = ("led", "leaderless", "in_sync", "led_by_fenced", "relies_on", "placed_on")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicState:
    """A state of the topic's partitions.

    `led`: every partition has a leader; `leaderless`: a partition has none; `in_sync`: every
    ISR is complete; `led_by_fenced`: a leader is fenced or unregistered; `relies_on`: a leader
    or an ISR includes a broker `of` these; `placed_on`: a replica set does. A topic that does
    not exist is in no state.
    """

    topic: str
    state: Annotated[str, OneOf(TOPIC_STATES)]
    of: Selector = BROKERS

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that tells whether the condition holds now."""
        return lambda: self._holds(stage)

    def _holds(self, stage: Stage) -> bool:
        image = stage.world.committed
        topic_id = image.topic_ids.get(self.topic)
        if topic_id is None:
            return False
        quantifier: Callable[..., bool] = all if self.state in ("led", "in_sync") else any
        is_of_some = self.state in ("relies_on", "placed_on")
        brokers = set(numbers_of(stage.nodes(self.of))) if is_of_some else set()
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
