"""Verbs of an admin: topics, brokers that leave for good, features.

An effect is a reply with the expected result: success, or the error `refused`. A request that is
refused with another error has no effect.
"""

from dataclasses import dataclass
from functools import partial

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.node_id import numbers_of

from ..conditions.occurrences import ADMIN_REFUSED, ErrorName, error_code_of
from ..language.amounts import Amount, Period
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .verb import Verb, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTopic(Verb, word="topic.create"):
    """Creates a topic."""

    name: str
    partitions: int = 1
    replication: int = 3
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        topic = rpc.CreatableTopic(
            name=self.name, num_partitions=self.partitions, replication_factor=self.replication
        )
        return send_requests(stage, rpc.CreateTopicsRequest(topics=(topic,)), refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decommission(Verb, word="broker.decommission"):
    """Unregisters brokers, and removes them from every replica set (KIP-631, DecommissionBroker).

    With `force`, also if that removes the last replica of a partition.
    """

    on: Selector
    force: bool = False
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        requests = [
            rpc.DecommissionBrokerRequest(broker_id=number, force=self.force)
            for number in numbers_of(stage.targets(self.on))
        ]
        return send_requests(stage, *requests, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unregister(Verb, word="broker.unregister"):
    """Unregisters brokers, as `kafka-cluster unregister` does."""

    on: Selector
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        brokers = numbers_of(stage.targets(self.on))
        requests = [rpc.UnregisterBrokerRequest(broker_id=broker) for broker in brokers]
        return send_requests(stage, *requests, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnregisterController(Verb, word="controller.unregister"):
    """Unregisters controllers, as `kafka-cluster unregister-controller` does from 4.4-IV2 on."""

    on: Selector
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        requests = [
            rpc.UnregisterControllerRequest(controller_id=node_id)
            for node_id in numbers_of(stage.controllers_of(self.on))
        ]
        return send_requests(stage, *requests, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Verb, word="note"):
    """Adds a text to the printed events and changes nothing."""

    text: str

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        return lambda: 1, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateFeature(Verb, word="features.update"):
    """Finalizes another level of one feature, as `kafka-features upgrade` does."""

    feature: str
    level: int
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        update = rpc.FeatureUpdate(feature=self.feature, max_version_level=self.level)
        request = rpc.UpdateFeaturesRequest(feature_updates=(update,))
        return send_requests(stage, request, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood(Verb, word="load.flood"):
    """Creates a topic of one partition at each interval `every`, each with a new name."""

    every: Period
    for_: Amount

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        created, is_over = [0], [False]

        def answered(reply: object) -> None:
            created[0] += not error_code_of(reply)

        def create_topic(number: int) -> None:
            if is_over[0]:
                return
            topic = rpc.CreatableTopic(
                name=f"flood-{number}", num_partitions=1, replication_factor=1
            )
            stage.world.dispatch(rpc.CreateTopicsRequest(topics=(topic,)), answered)
            stage.world.timeline.after(self.every.us, lambda: create_topic(number + 1))

        def end() -> None:
            is_over[0] = True

        create_topic(1)
        return lambda: created[0], end


def send_requests(
    stage: Stage, *requests: rpc.Request, refused: str | None
) -> tuple[Effects, Undo]:
    """Sends an admin's requests to the active controller; the journal gets a row per refusal.

    A reply counts as an effect if its error is `refused`; None expects success.
    """
    expected_code = 0 if refused is None else ErrorCode[refused]
    effects, journal = [0], stage.world.journal

    def answered(api_name: str, reply: object) -> None:
        code = error_code_of(reply)
        effects[0] += code == expected_code
        journal.causes.note_answered(api_name)
        if code:
            detail = {"asked": api_name, "error": ErrorCode(code).name}
            journal.write("scenario", ADMIN_REFUSED, detail=detail)

    for request in requests:
        api_name = type(request).__name__.removesuffix("Request")
        journal.causes.note_asked(api_name)
        stage.world.dispatch(request, partial(answered, api_name))
    return lambda: effects[0], nothing
