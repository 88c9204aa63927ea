"""What people do to a cluster: topics, brokers that leave for good, leadership handed over."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreateTopicsRequest,
    DecommissionBrokerRequest,
    Request,
    UnregisterBrokerRequest,
)

from ..selectors import Selector
from .verb import Effects, Undo, Verb, nothing

if TYPE_CHECKING:
    from ..stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTopic(Verb, word="topic.create"):
    name: str
    partitions: int = 1
    replication: int = 3

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        topic = CreatableTopic(
            name=self.name,
            num_partitions=self.partitions,
            replication_factor=self.replication,
        )
        return _asked(stage, CreateTopicsRequest(topics=(topic,)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decommission(Verb, word="broker.decommission"):
    on: Selector
    force: bool = False

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        (broker_id,) = stage.nodes(self.on)
        return _asked(stage, DecommissionBrokerRequest(broker_id=broker_id, force=self.force))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unregister(Verb, word="broker.unregister"):
    on: Selector

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        (broker_id,) = stage.nodes(self.on)
        return _asked(stage, UnregisterBrokerRequest(broker_id=broker_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer(Verb, word="quorum.transfer"):
    """The active controller gives leadership up, to one that it names."""

    to: Selector

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        (successor,), active = stage.nodes(self.to)[:1], stage.world.active
        if active is None:
            return lambda: 0, nothing
        active.hosted.resign(successor)
        return lambda: 1, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Verb, word="note"):
    """Says something in the story, and does nothing."""

    text: str

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        return lambda: 1, nothing


def _asked(stage: "Stage", request: Request) -> tuple[Effects, Undo]:
    """An admin asks the active controller; its effect is that it was answered."""
    answers: list[object] = []
    stage.world.dispatch(request, answers.append)
    return lambda: len(answers), nothing
