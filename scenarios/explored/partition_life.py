"""A process of the only controller of two brokers, which are the replicas of one partition.

The brokers are no nodes of the search: every request that they may send, with what they may know,
is an event of the controller. So a search includes brokers that are slow, lost or wrong.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any, ClassVar

from kraftsim.broker_agent.agent import Agent
from kraftsim.broker_agent.directories.log_directories import simulated_directory
from kraftsim.broker_agent.image_history import ImageHistory
from kraftsim.broker_agent.metadata_fetch import LogPosition
from kraftsim.controller.core import rpc
from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.rpc.partitions import PREFERRED_ELECTION, UNCLEAN_ELECTION
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.topology import BrokerSpec, agent_config, unbound_port

from ..explore.controller_life import SESSION_MS, SETTINGS, ControllerLife
from ..explore.identities import FIRST_ID, Disk, config_of, directory_of
from ..explore.lone import Arrival
from ..explore.lone_broker import DISTINCT_BIRTHS, topology_of

BROKERS = (1, 2)
TOPIC = "orders"
ASKER = "a broker"
ISRS = ((1,), (2,), (1, 2))
CAUGHT_UP, BEHIND = "caught up", "behind"
PRESENT, OLDER, OLDER_MEMBERS = "present epoch", "older epoch", "older members"
CLEAN, UNCLEAN, PREFERRED = "clean", "unclean", "preferred"
REPLICAS = rpc.CreatableReplicaAssignment(partition_index=0, broker_ids=BROKERS)


class PartitionLife(ControllerLife):
    """One process of the controller.

    `contacts_ms` maps each broker to the time at which the controller last accepted a heartbeat of
    it, or became active while it was unfenced. `asked` is the last request.
    """

    settings: ClassVar[Settings] = replace(SETTINGS, min_insync_replicas=2)

    def __init__(self, config: NodeConfig, disk: Disk) -> None:
        super().__init__(config, disk)
        self.contacts_ms: dict[int, int] = {}
        self.asked: rpc.Request | None = None

    def _note_activation(self) -> None:
        if self.node.is_active and not self._was_active:
            brokers = self.node.latest.brokers
            self.contacts_ms = {
                number: self.now_ms for number, broker in brokers.items() if not broker.fenced
            }
        self._was_active = self.node.is_active

    def is_in_session(self, broker_id: int) -> bool:
        """True if the last contact with the broker is at most one session timeout ago."""
        contact_ms = self.contacts_ms.get(broker_id)
        return contact_ms is not None and contact_ms + SESSION_MS >= self.now_ms

    @property
    def partition(self) -> Partition:
        """The only partition, in the latest image."""
        (topic,) = self.node.latest.topics.values()
        partition: Partition = topic.partitions[0]
        return partition

    def ask(self, request: rpc.Request) -> Turn:
        """Handles a request."""
        self.asked = request
        return self.node.submit(request, Arrival(ASKER, request, False), self.now_ms, 0)

    # Events

    def hears(self, broker_id: int, position: str, epoch: str) -> Turn:
        """Handles a heartbeat: CAUGHT_UP or BEHIND, of the PRESENT epoch or of an OLDER one."""
        broker_epoch = self.epoch_of(broker_id) - (epoch == OLDER)
        turn = self._heartbeat(broker_id, broker_epoch, position == CAUGHT_UP)
        if epoch == PRESENT:
            self.contacts_ms[broker_id] = self.now_ms
        return turn

    def hears_a_request_to_stop(self, broker_id: int) -> Turn:
        """Handles a heartbeat with which a broker requests its controlled shutdown."""
        turn = self._heartbeat(broker_id, self.epoch_of(broker_id), True, want_shut_down=True)
        self.contacts_ms[broker_id] = self.now_ms
        return turn

    def hears_of_a_new_process(self, broker_id: int, shutdown: str) -> Turn:
        """Handles the registration of a new process, after a CLEAN or an UNCLEAN shutdown."""
        before = self.epoch_of(broker_id)
        previous = before if shutdown == CLEAN else -1
        return self.ask(registration(broker_id, births=before, previous=previous))

    def hears_a_proposal(self, broker_id: int, isr: tuple[int, ...], epochs: str) -> Turn:
        """Handles an ISR that a broker proposes.

        It knows the PRESENT epochs, or an OLDER one of the partition, or OLDER_MEMBERS.
        """
        partition, is_older = self.partition, epochs == OLDER_MEMBERS
        members = tuple(
            rpc.AlterPartitionBrokerState(
                broker_id=member, broker_epoch=self.epoch_of(member) - is_older
            )
            for member in isr
        )
        data = rpc.AlterPartitionData(
            partition_index=0,
            leader_epoch=partition.leader_epoch,
            new_isr=isr,
            new_isr_with_epochs=members,
            partition_epoch=partition.partition_epoch - (epochs == OLDER),
        )
        (topic_id,) = self.node.latest.topics
        topics = (rpc.AlterPartitionTopic(topic_id=topic_id, partitions=(data,)),)
        return self.ask(
            rpc.AlterPartitionRequest(
                broker_id=broker_id, broker_epoch=self.epoch_of(broker_id), topics=topics
            )
        )

    def hears_a_request_to_elect(self, election: str) -> Turn:
        """Handles an administrator's request for an election: PREFERRED or UNCLEAN."""
        wanted = rpc.ElectedTopicPartitions(topic=TOPIC, partitions=(0,))
        kind = UNCLEAN_ELECTION if election == UNCLEAN else PREFERRED_ELECTION
        return self.ask(rpc.ElectLeadersRequest(election_type=kind, topic_partitions=(wanted,)))

    def epoch_of(self, broker_id: int) -> int:
        """Returns the registered epoch of a broker."""
        epoch: int = self.node.latest.brokers[broker_id].broker_epoch
        return epoch

    def _heartbeat(
        self, broker_id: int, epoch: int, has_caught_up: bool, *, want_shut_down: bool = False
    ) -> Turn:
        """Handles a heartbeat; a broker that has begun to stop goes on asking for it."""
        offset = self.node.log.end_offset - 1 if has_caught_up else 0
        is_stopping = self.node.latest.brokers[broker_id].in_controlled_shutdown
        return self.ask(
            rpc.BrokerHeartbeatRequest(
                broker_id=broker_id,
                broker_epoch=epoch,
                current_metadata_offset=offset,
                want_fence=False,
                want_shut_down=want_shut_down or is_stopping,
            )
        )


def registration(broker_id: int, births: int, previous: int) -> rpc.BrokerRegistrationRequest:
    """Returns the request with which a process of a broker registers.

    `previous` is the broker epoch of a cleanly stopped process, -1 without one.
    """
    spec = BrokerSpec(broker_id=broker_id, port=unbound_port(broker_id))
    agent = Agent(
        agent_config(
            topology_of((FIRST_ID,)), spec, (simulated_directory(directory_of(broker_id)),)
        ),
        random=lambda: (births % DISTINCT_BIRTHS) / DISTINCT_BIRTHS,
        image_at=ImageHistory(MetadataLog()).at,
        position=LogPosition(),
    )
    agent.start(0)
    return replace(agent._registration(), previous_broker_epoch=previous)


def config() -> NodeConfig:
    """Returns the configuration of the controller; its metadata.version has the ELR."""
    return replace(config_of(FIRST_ID, (FIRST_ID,)), metadata_version=None)


def settled_disk() -> Disk:
    """Returns the disk of a controller with two unfenced brokers and the partition of both."""
    life = PartitionLife(config(), Disk())
    life.apply("restarts", (), 0)
    for number in BROKERS:
        life.apply("ask", (registration(number, births=0, previous=-1),), 0)
        life.apply("hears", (number, CAUGHT_UP, PRESENT), 0)
    topic = rpc.CreatableTopic(name=TOPIC, assignments=(REPLICAS,))
    life.apply("ask", (rpc.CreateTopicsRequest(topics=(topic,)),), 0)
    return life.disk


EVENTS: Mapping[str, tuple[tuple[Any, ...], ...]] = {
    "hears": tuple(product(BROKERS, (CAUGHT_UP, BEHIND), (PRESENT, OLDER))),
    "hears_a_request_to_stop": tuple(product(BROKERS)),
    "hears_of_a_new_process": tuple(product(BROKERS, (CLEAN, UNCLEAN))),
    "hears_a_proposal": tuple(product(BROKERS, ISRS, (PRESENT, OLDER, OLDER_MEMBERS))),
    "hears_a_request_to_elect": ((PREFERRED,), (UNCLEAN,)),
    "sees_half_a_session_pass": ((),),
    "looks_at_the_leases": ((),),
    "restarts": ((),),
}
"""The events of the controller, with all their arguments."""
