"""Verbs of membership: brokers that join, releases of nodes, voters that join or leave."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from kraftsim.controller.core.node_id import NodeId, numbers_of
from kraftsim.controller.core.profile import PROFILES
from kraftsim.controller.core.rpc import AddRaftVoterRequest, QuorumEndpoint, RemoveRaftVoterRequest
from kraftsim.simulation.topology import BROKERS_MAX, LOG_DIRS_MAX, BrokerSpec, unbound_port

from ..conditions.occurrences import ErrorName
from ..language.constraints import Between, OneOf
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .admin import send_requests
from .verb import Verb, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class AddBrokers(Verb, word="broker.add"):
    """Adds brokers with the next free ids.

    With `cluster_id` the disks of the new brokers are formatted for another cluster; with
    `release` the new brokers run another release.
    """

    count: Annotated[int, Between(1, BROKERS_MAX)] = 1
    rack: str | None = None
    cluster_id: str | None = None
    log_dirs: Annotated[int, Between(1, LOG_DIRS_MAX)] = 1
    release: Annotated[str, OneOf(tuple(PROFILES))] | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        first = max(stage.world.agents, default=0) + 1
        for broker_id in range(first, first + self.count):
            stage.world.add_broker(self._spec(broker_id))
        return lambda: self.count, nothing

    def _spec(self, broker_id: int) -> BrokerSpec:
        return BrokerSpec(
            broker_id=broker_id,
            port=unbound_port(broker_id),
            rack=self.rack,
            cluster_id=self.cluster_id,
            log_dirs=self.log_dirs,
            profile=None if self.release is None else PROFILES[self.release],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Install(Verb, word="broker.install"):
    """Installs another release, older or newer; a process runs it from its next start on."""

    on: Selector
    release: Annotated[str, OneOf(tuple(PROFILES))]

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        hosts = stage.world.hosts
        brokers = [target for target in stage.targets(self.on) if target in hosts]
        return _install(stage, brokers, self.release)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallController(Verb, word="controller.install"):
    """Installs another release, older or newer; a process runs it from its next start on.

    A process whose release does not know the finalized metadata.version ends (rule 5.65).
    """

    on: Selector
    release: Annotated[str, OneOf(tuple(PROFILES))]

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        return _install(stage, stage.controllers_of(self.on), self.release)


def _install(stage: Stage, nodes: Sequence[NodeId], release: str) -> tuple[Effects, Undo]:
    for node in nodes:
        stage.processes.install(node, PROFILES[release])
    return lambda: len(nodes), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveVoter(Verb, word="quorum.remove"):
    """Removes a controller from the voters (KIP-853); its process continues as an observer."""

    on: Selector
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        controllers = stage.world.controllers
        requests = [
            RemoveRaftVoterRequest(
                voter_id=number, voter_directory_id=controllers[number].node.config.directory_id
            )
            for number in numbers_of(stage.controllers_of(self.on))
        ]
        return send_requests(stage, *requests, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddVoter(Verb, word="quorum.add"):
    """Adds a controller to the voters (KIP-853), as `kafka-metadata-quorum add-controller` does.

    With `waits` set to false the response does not wait until the change is committed.
    """

    on: Selector
    waits: bool = True
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        requests = [
            self._request(stage, number) for number in numbers_of(stage.controllers_of(self.on))
        ]
        return send_requests(stage, *requests, refused=self.refused)

    def _request(self, stage: Stage, controller_id: int) -> AddRaftVoterRequest:
        identity = stage.world.controllers[controller_id].node.config.identity
        place = identity.endpoint
        listener = QuorumEndpoint(name=place.name, host=place.host, port=place.port)
        return AddRaftVoterRequest(
            cluster_id=identity.cluster_id,
            timeout_ms=stage.world.topology.settings.controller_quorum_request_timeout_ms,
            voter_id=controller_id,
            voter_directory_id=identity.key.directory_id,
            listeners=(listener,),
            ack_when_committed=self.waits,
        )
