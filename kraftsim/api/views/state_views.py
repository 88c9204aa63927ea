"""JSON views of the committed state. No function of this module changes the state."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import cast

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.leading.replica_states import replica_states
from kraftsim.controller.core.camel_case import lower_camel
from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, PartitionKey, Topic
from kraftsim.controller.core.log.records import Endpoint
from kraftsim.controller.core.rpc import DescribeQuorumResponse, ReplicaState
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.world import World

from ...service.request_journal import RefusedVersions
from ..administration.documents import PartitionDocument, TopicDocument
from ..documents import (
    BrokerDocument,
    ClusterDocument,
    ControllerDocument,
    EventDocument,
    ListenerDocument,
    QuorumDocument,
    ReplicaDocument,
)


def cluster_view(world: World, data_plane: DataPlane, refused: RefusedVersions) -> ClusterDocument:
    """Returns the committed state of the cluster in numbers, and the active controller or -1."""
    image, node = world.committed, world.controller.node
    return {
        "clusterId": node.config.cluster_id,
        "controllerId": node.leader_id if node.is_active else -1,
        "controllerEpoch": node.epoch,
        "profile": node.profile.name,
        "metadataVersion": image.metadata_version,
        "finalizedFeatures": dict(sorted(image.finalized.items())),
        "highWatermark": world.committed_log.end_offset,
        "logEndOffset": node.log.end_offset,
        "brokers": len(image.brokers),
        "fencedBrokers": sum(broker.fenced for broker in image.brokers.values()),
        "topics": len(image.topics),
        "leaderlessPartitions": len(image.index.leaderless()),
        "dataPlaneRequestsRefused": data_plane.refused.total(),
        "produceRequestsLost": data_plane.lost_produce_requests,
        "refusedVersions": refused.documents(),
    }


def quorum_view(world: World, described: DescribeQuorumResponse) -> QuorumDocument:
    """Returns the quorum as DescribeQuorum describes it (KIP-836).

    Adds the time of the last update of the high watermark, which KIP-836 specifies and Kafka never
    shipped.
    """
    partition = described.topics[0].partitions[0]
    endpoints = {
        node.node_id: f"{node.listeners[0].host}:{node.listeners[0].port}"
        for node in described.nodes
    }
    return {
        "leaderId": partition.leader_id,
        "leaderEpoch": partition.leader_epoch,
        "highWatermark": partition.high_watermark,
        "highWatermarkUpdateTimeMs": world.controller.node.high_watermark_moved_wall_ms,
        "voters": [_replica_view(voter, endpoints) for voter in partition.current_voters],
        "observers": [_replica_view(observer, endpoints) for observer in partition.observers],
    }


def _replica_view(state: ReplicaState, endpoints: Mapping[int, str]) -> ReplicaDocument:
    return {
        "nodeId": state.replica_id,
        "directoryId": uuid_text(state.replica_directory_id),
        "endpoint": endpoints.get(state.replica_id),
        "logEndOffset": state.log_end_offset,
        "lastFetchTimestamp": state.last_fetch_timestamp,
        "lastCaughtUpTimestamp": state.last_caught_up_timestamp,
    }


def controllers_view(world: World) -> list[ControllerDocument]:
    """Returns the view of every controller, as `controller_view` does."""
    return [controller_view(world, node_id) for node_id in world.controllers]


def controller_view(world: World, node_id: int) -> ControllerDocument:
    """Returns the process, the Raft role and the log offsets of one controller."""
    process = world.controllers[node_id]
    node = process.node
    return {
        "nodeId": node_id,
        "state": process.state.value,
        "profile": node.profile.name,
        "role": type(node.quorum.role).__name__.upper() if process.is_alive else None,
        "active": process.is_alive and node.is_active,
        "leaderId": node.leader_id,
        "epoch": node.epoch,
        "highWatermark": node.high_watermark,
        "logEndOffset": node.log.end_offset,
    }


def broker_view(image: Image, agents: Mapping[int, HostedAgent], broker_id: int) -> BrokerDocument:
    """Returns the registration of one broker and, if it is simulated, the state of its process."""
    broker, agent = image.brokers.get(broker_id), agents.get(broker_id)
    document: BrokerDocument = {"brokerId": broker_id, "registered": broker is not None}
    if broker is not None:
        document = _registration_view(broker)
        document["leaderships"] = len(image.index.led(broker_id))
    if agent is not None:
        document["agent"] = {
            "state": agent.state.value,
            "profile": agent.agent.config.profile.name,
            "metadataOffset": agent.agent.metadata_offset,
            "lastError": agent.agent.last_error or agent.agent.failure,
        }
    return document


def _registration_view(broker: BrokerRegistration) -> BrokerDocument:
    return {
        "brokerId": broker.broker_id,
        "registered": True,
        "brokerEpoch": broker.broker_epoch,
        "incarnationId": uuid_text(broker.incarnation_id),
        "fenced": broker.fenced,
        "inControlledShutdown": broker.in_controlled_shutdown,
        "rack": broker.rack,
        "listeners": [_listener_view(listener) for listener in broker.listeners],
        "startTimeMs": broker.start_time_ms,
        "logDirs": [uuid_text(directory) for directory in broker.log_dirs],
    }


def _listener_view(listener: Endpoint) -> ListenerDocument:
    return {
        "name": listener.name,
        "host": listener.host,
        "port": listener.port,
        "securityProtocol": listener.security_protocol,
    }


def topic_view(topic: Topic, agents: Mapping[int, HostedAgent]) -> TopicDocument:
    """Returns a topic with its partitions, in order of their indices, and their leaders' logs."""
    return {
        "name": topic.name,
        "topicId": uuid_text(topic.topic_id),
        "partitions": [
            _partition_view((topic.topic_id, index), partition, agents)
            for index, partition in sorted(topic.partitions.items())
        ],
    }


def _partition_view(
    key: PartitionKey, partition: Partition, agents: Mapping[int, HostedAgent]
) -> PartitionDocument:
    leader = agents.get(partition.leader)
    log = None if leader is None else leader.store.logs.get(key)
    nothing = None if leader is None else 0  # of a simulated leader that has had no message
    states = replica_states(leader, key, partition)
    return {
        "partition": key[1],
        "leader": partition.leader,
        "leaderEpoch": partition.leader_epoch,
        "partitionEpoch": partition.partition_epoch,
        "replicas": list(partition.replicas),
        "isr": list(partition.isr),
        "eligibleLeaderReplicas": list(partition.elr),
        "lastKnownElr": list(partition.last_known_elr),
        "logStartOffset": nothing if log is None else log.start_offset,
        "highWatermark": nothing if log is None else log.high_watermark,
        "logEndOffset": nothing if log is None else log.end_offset,
        "logSizeBytes": nothing if log is None else log.size,
        "logStartTimeMs": None if log is None else log.start_time_ms,
        "replicaLags": [state.lag for state in states],
        "replicaLastFetchTimesMs": [_wall_ms(leader, state.last_fetch_ms) for state in states],
        "replicaLastCaughtUpTimesMs": [
            _wall_ms(leader, state.last_caught_up_ms) for state in states
        ],
    }


def _wall_ms(leader: HostedAgent | None, at_ms: int | None) -> int | None:
    """Returns what the wall clock of a leader showed at a time of its monotonic clock."""
    return None if leader is None or at_ms is None else at_ms + leader.clock.wall_offset_ms


_EVENT_FIELDS = tuple((lower_camel(field.name), field.name) for field in fields(EventRow))
_camel = cache(lower_camel)  # the names of details are few


def event_view(row: EventRow, time_ms: int) -> EventDocument:
    """Returns a row of the journal; `time_ms` is what the wall clock showed then."""
    document = {name: getattr(row, field) for name, field in _EVENT_FIELDS}
    document["detail"] = {_camel(name): value for name, value in row.detail.items()}
    document["timeMs"] = time_ms
    return cast(EventDocument, document)
