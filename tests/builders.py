"""A controller under test, in domain verbs: so that each test tells one story, top to bottom.

Everything in here drives the real core on virtual time; nothing is mocked, nothing sleeps.
"""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import (
    FENCE,
    IN_CONTROLLED_SHUTDOWN,
    UNFENCE,
    BrokerRegistrationChangeRecord,
    NoOpRecord,
    PartitionChangeRecord,
)
from kraftsim.controller.core.profile import DEFAULT_PROFILE, Profile
from kraftsim.controller.core.rpc import (
    AlterPartitionBrokerState,
    AlterPartitionData,
    AlterPartitionRequest,
    AlterPartitionTopic,
    BrokerFeature,
    BrokerHeartbeatRequest,
    BrokerListener,
    BrokerRegistrationRequest,
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfigEntry,
    CreateTopicsRequest,
    DecommissionBrokerRequest,
    DeleteTopicsRequest,
    FetchPartition,
    FetchRequest,
    FetchTopic,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, Uuid
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.hosted import HostedNode
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.snapshot import SnapshotFormat, by_reference
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import Timeline
from tests.other_controllers import CONTROLLER_ID, nobody_else, won_again

CLUSTER_ID = "abcdefghijklmnopqrst4A"
WALL_START_MS = 1_700_000_000_000
PLAINTEXT = "PLAINTEXT"
Ids = tuple[int, ...]


def uuid_of(name: str) -> Uuid:
    """A uuid that can be told from others by looking at it."""
    return name.encode().rjust(16, b".")


def directory_of(broker_id: int, number: int = 0) -> Uuid:
    return uuid_of(f"dir-{broker_id}-{number}")


def listener(name: str = PLAINTEXT, *, port: int = 9092, **fields: Any) -> BrokerListener:
    return BrokerListener(name=name, **({"host": "broker.test", "port": port} | fields))


def feature(name: str, low: int, high: int) -> BrokerFeature:
    return BrokerFeature(name=name, min_supported_version=low, max_supported_version=high)


ALL_OF_4_4 = (
    feature("metadata.version", 7, 33),
    feature("eligible.leader.replicas.version", 0, 1),
    feature("group.version", 0, 1),
    feature("kraft.version", 0, 1),
    feature("share.version", 0, 2),
    feature("streams.version", 0, 1),
    feature("transaction.version", 0, 2),
)


def ms(duration: str) -> int:
    """Milliseconds of "9s" or "1125ms"."""
    if duration.endswith("ms"):
        return int(duration[:-2])
    return round(float(duration.removesuffix("s")) * 1000)


def make_node(
    profile: Profile = DEFAULT_PROFILE,
    *,
    metadata_version: int | None = None,
    kraft_version: int = 1,
    seed: int = 1,
    snapshot_format: SnapshotFormat | None = None,
    static: Mapping[str, str] | None = None,
    **settings: Any,
) -> Node:
    settings_in_force = replace(profile.settings, **settings)
    config = NodeConfig(
        node_id=CONTROLLER_ID,
        cluster_id=CLUSTER_ID,
        host="controller.test",
        port=9990,
        directory_id=uuid_of("controller"),
        kraft_version=kraft_version,
        metadata_version=metadata_version,
        static=static or {},
    )
    entropy = random.Random(seed).random
    return Node(
        config,
        profile=profile,
        settings=settings_in_force,
        random=entropy,
        snapshot_format=snapshot_format or by_reference(),
    )


def registration(
    broker_id: int,
    incarnation: str = "first",
    *,
    listeners: tuple[BrokerListener, ...] | None = None,
    log_dirs: tuple[Uuid, ...] | None = None,
    **fields: Any,
) -> BrokerRegistrationRequest:
    return BrokerRegistrationRequest(
        broker_id=broker_id,
        incarnation_id=uuid_of(f"{broker_id}-{incarnation}"),
        listeners=(listener(),) if listeners is None else listeners,
        log_dirs=(directory_of(broker_id),) if log_dirs is None else log_dirs,
        **({"cluster_id": CLUSTER_ID} | fields),
    )


def topic(
    name: str,
    *assignment: tuple[int, ...],
    configs: dict[str, str | None] | None = None,
    **fields: Any,
) -> CreatableTopic:
    """A topic with these replica lists, or (without any) one that is placed automatically."""
    return CreatableTopic(
        name=name,
        assignments=tuple(
            CreatableReplicaAssignment(partition_index=i, broker_ids=tuple(replicas))
            for i, replicas in enumerate(assignment)
        ),
        configs=tuple(
            CreatableTopicConfigEntry(name=key, value=value)
            for key, value in (configs or {}).items()
        ),
        **fields,
    )


def fetch(
    *,
    offset: int,
    epoch: int = 1,
    last_epoch: int = 1,
    max_wait_ms: int = 500,
    high_watermark: int | None = None,
    cluster_id: str | None = CLUSTER_ID,
    topic_id: Uuid = METADATA_TOPIC_ID,
    partition: int = 0,
) -> FetchRequest:
    known = {} if high_watermark is None else {"high_watermark": high_watermark}
    wanted = FetchPartition(
        partition=partition,
        current_leader_epoch=epoch,
        fetch_offset=offset,
        last_fetched_epoch=last_epoch,
        **known,
    )
    return FetchRequest(
        cluster_id=cluster_id,
        max_wait_ms=max_wait_ms,
        topics=(FetchTopic(topic_id=topic_id, partitions=(wanted,)),),
    )


class ControllerUnderTest:
    """One active controller on a timeline of its own, and the verbs that are used on it."""

    def __init__(self, profile: Profile = DEFAULT_PROFILE, **options: Any) -> None:
        self.timeline = Timeline(wall_start_ms=WALL_START_MS)
        self.node = make_node(profile, **options)
        self.hosted = HostedNode(self.node, Clock(self.timeline), nobody_else)
        self.hosted.start()

    def fail_over(self) -> None:
        """Leadership is lost and won again at once: facts stay, guesses go."""
        for event in won_again(self.node):
            self.hosted.step(event)

    # Asking

    def ask(self, request: Any) -> Any:
        """The one reply to `request`, an ApiError where it is refused."""
        replies: list[Any] = []
        self.hosted.submit(request, replies.append)
        self.timeline.run_until(self.timeline.now_us)  # work that the step has put off
        assert len(replies) == 1, f"expected one reply to {request}, got {replies}"
        return replies[0]

    def accepted(self, request: Any) -> Any:
        reply = self.ask(request)
        assert not isinstance(reply, ApiError), reply
        return reply

    def refused(self, request: Any) -> ErrorCode:
        reply = self.ask(request)
        assert isinstance(reply, ApiError), reply
        return reply.code

    # Brokers

    def register(self, broker_id: int, incarnation: str = "first", **fields: Any) -> Any:
        return self.ask(registration(broker_id, incarnation, **fields))

    def registered(self, *broker_ids: int, **fields: Any) -> None:
        for broker_id in broker_ids:
            self.accepted(registration(broker_id, **fields))

    def unfenced(self, *broker_ids: int, **fields: Any) -> None:
        """Registered, caught up, serving."""
        self.registered(*broker_ids, **fields)
        for broker_id in broker_ids:
            assert not self.heartbeat(broker_id).is_fenced

    def heartbeat_request(
        self,
        broker_id: int,
        *,
        epoch: int | None = None,
        offset: int | None = None,
        want_fence: bool = False,
        want_shut_down: bool = False,
        **fields: Any,
    ) -> BrokerHeartbeatRequest:
        """By default with the current epoch, having applied the whole log."""
        return BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=self.broker(broker_id).broker_epoch if epoch is None else epoch,
            current_metadata_offset=self.end - 1 if offset is None else offset,
            want_fence=want_fence,
            want_shut_down=want_shut_down,
            **fields,
        )

    def heartbeat(self, broker_id: int, **fields: Any) -> Any:
        return self.ask(self.heartbeat_request(broker_id, **fields))

    def fenced(self, *broker_ids: int) -> None:
        for broker_id in broker_ids:
            assert self.heartbeat(broker_id, want_fence=True).is_fenced

    def fenced_in_time(self, broker_id: int) -> None:
        """The reply to a large fence waits until every batch of it is loaded."""
        replies: list[Any] = []
        request = self.heartbeat_request(broker_id, want_fence=True)
        self.hosted.submit(request, replies.append)
        assert replies == []
        self.run_for("0ms")
        assert [True] == [reply.is_fenced for reply in replies]

    def unregister(self, broker_id: int) -> Any:
        return self.ask(UnregisterBrokerRequest(broker_id=broker_id))

    def decommission(self, broker_id: int, *, force: bool = False) -> Any:
        return self.ask(DecommissionBrokerRequest(broker_id=broker_id, force=force))

    # Topics

    def create_topic(self, name: str, *assignment: tuple[int, ...], **fields: Any) -> Any:
        request = CreateTopicsRequest(topics=(topic(name, *assignment, **fields),))
        return self.ask(request).topics[0]

    def created(self, name: str, *assignment: tuple[int, ...], **fields: Any) -> Any:
        result = self.create_topic(name, *assignment, **fields)
        assert result.error_code == 0, result
        return result

    def delete_topic(self, name: str) -> Any:
        return self.ask(DeleteTopicsRequest(topic_names=(name,))).responses[0]

    def alter_partition(
        self, name: str, isr: Ids, *, index: int = 0, sender: int | None = None, **fields: Any
    ) -> Any:
        """The leader proposes `isr`, with everything else as it stands unless said otherwise."""
        partition = self.partition(name, index)
        sender = partition.leader if sender is None else sender
        epochs = {"leader_epoch": partition.leader_epoch} | {
            "partition_epoch": partition.partition_epoch
        }
        members = tuple(AlterPartitionBrokerState(broker_id=b) for b in isr)
        proposed = {"partition_index": index, "new_isr_with_epochs": members} | epochs | fields
        request = AlterPartitionRequest(
            broker_id=sender,
            broker_epoch=self.broker(sender).broker_epoch,
            topics=(
                AlterPartitionTopic(
                    topic_id=self.topic_id(name), partitions=(AlterPartitionData(**proposed),)
                ),
            ),
        )
        return self.accepted(request).topics[0].partitions[0]

    # Time

    def run_for(self, duration: str) -> None:
        self.timeline.run_until(self.timeline.now_us + ms(duration) * 1000)

    def at_ms(self, at_ms: int) -> None:
        self.timeline.run_until(at_ms * 1000)

    def keep_alive(self, *broker_ids: int, during: str, every: str = "2s") -> None:
        """Time passes; these brokers heartbeat and the others are silent."""
        end_us = self.timeline.now_us + ms(during) * 1000
        while self.timeline.now_us < end_us:
            self.timeline.run_until(min(self.timeline.now_us + ms(every) * 1000, end_us))
            for broker_id in broker_ids:
                self.heartbeat(broker_id)

    # What there is to see

    @property
    def image(self) -> Image:
        return self.node.latest

    @property
    def end(self) -> int:
        return self.node.log.end_offset

    def broker(self, broker_id: int) -> BrokerRegistration:
        found: BrokerRegistration = self.image.brokers[broker_id]
        return found

    def is_fenced(self, broker_id: int) -> bool:
        return self.broker(broker_id).fenced

    def topic_id(self, name: str) -> Uuid:
        found: Uuid = self.image.topic_ids[name]
        return found

    def partition(self, name: str, partition_id: int = 0) -> Partition:
        return self.image.partition((self.topic_id(name), partition_id))

    def leadership(self, name: str, partition_id: int = 0) -> tuple[int, tuple[int, ...]]:
        partition = self.partition(name, partition_id)
        return partition.leader, partition.isr

    def batches_since(self, mark: int) -> list[Batch]:
        """Those that hold anything but an idle controller's NoOp."""
        return [b for b in self.node.log.read(mark) if b.records != (NoOpRecord(),)]

    def records_since(self, mark: int) -> list[Any]:
        return [record for batch in self.batches_since(mark) for record in batch.records]

    def writes(self, action: Any) -> list[Any]:
        """The records that `action()` leads to."""
        mark = self.end
        action()
        return self.records_since(mark)

    def everything(self) -> tuple[Any, ...]:
        """Facts, guesses and log: what a refused request must leave as it is."""
        leases = self.node.leases
        guesses = {
            broker_id: (replace(liveness), leases.contact_ms(broker_id))
            for broker_id, liveness in leases.liveness.items()
        }
        return self.image.copy(), self.node.committed.copy(), guesses, self.end

    # Records as they are expected

    def change(self, name: str, partition_id: int = 0, **fields: Any) -> PartitionChangeRecord:
        topic_id = self.topic_id(name)
        return PartitionChangeRecord(topic_id=topic_id, partition_id=partition_id, **fields)

    def fence_record(self, broker_id: int) -> BrokerRegistrationChangeRecord:
        return self.registration_change(broker_id, fenced=FENCE)

    def unfence_record(self, broker_id: int) -> BrokerRegistrationChangeRecord:
        return self.registration_change(broker_id, fenced=UNFENCE)

    def shutdown_record(self, broker_id: int) -> BrokerRegistrationChangeRecord:
        return self.registration_change(broker_id, in_controlled_shutdown=IN_CONTROLLED_SHUTDOWN)

    def registration_change(self, broker_id: int, **fields: Any) -> BrokerRegistrationChangeRecord:
        epoch = self.broker(broker_id).broker_epoch
        return BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=epoch, **fields)
