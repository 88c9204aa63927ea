"""Absurd requests of every API that a controller's listener serves, as a raw client sends them."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TypeVar

from kraftsim.controller.core import rpc
from kraftsim.controller.core.message import Structure
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID

from .absurd import INT32_MAX, ODD_NAMES, STRANGERS, Absurd

S = TypeVar("S", bound=Structure)
Draw = Callable[[Absurd], object]

CONTROLLER_LISTENER = "CONTROLLER"
RESOURCE_TYPES = (-128, 0, 2, 4, 8, 16, 32, 127)
CONFIGS = ("retention.ms", "min.insync.replicas", "no.such.config", "", "advertised.listeners")
QUOTAS = ("producer_byte_rate", "request_percentage", "no.such.quota", "")
QUOTA_ENTITIES = ("user", "client-id", "ip", "", "no-such-entity")
RATES = (float("nan"), float("-inf"), -1.0, 0.0, 0.5, 1e308)
ACL_KINDS = (-128, 1, 2, 3, 12, 127)  # requests with 0, UNKNOWN, end the connection
# The parts of a fetch that get an absurd value; most of what a leader looks at is in the first.
FETCH_PARTS = (*(rpc.FetchPartition,) * 3, rpc.FetchTopic, rpc.FetchRequest)


def _one_of(*values: object) -> Draw:
    return lambda absurd: absurd.one_of(values)


def _of(kind: type[Structure]) -> Draw:
    return lambda absurd: _drawn(absurd, kind)


def _many(draw: Draw) -> Draw:
    return lambda absurd: absurd.many(lambda: draw(absurd))


def _sole(kind: type[Structure]) -> Draw:
    return lambda absurd: absurd.sole(lambda: _drawn(absurd, kind))


def _perhaps(draw: Draw, otherwise: object = None) -> Draw:
    return lambda absurd: draw(absurd) if absurd.flag() else otherwise


def _usually_0(absurd: Absurd) -> int:
    return absurd.one_of((0, 0, 0, absurd.int32()))


def _config(absurd: Absurd) -> str:
    return absurd.one_of((*CONFIGS, absurd.name()))


def _users(absurd: Absurd) -> object:
    users = absurd.many(lambda: rpc.UserName(name=absurd.name()))
    return users if absurd.flag() else None


def _reassigned(absurd: Absurd) -> rpc.ReassignablePartition:
    replicas = absurd.many(absurd.broker) if absurd.flag() else None
    return rpc.ReassignablePartition(partition_index=absurd.int32(), replicas=replicas)


_FIELDS_OF_DRAWS: tuple[tuple[Draw, str], ...] = (
    (
        Absurd.flag,
        "ack_when_committed allow_downgrade allow_replication_factor_change include_documentation"
        " include_cluster_authorized_operations include_fenced_brokers include_synonyms"
        " is_migrating_zk_broker pre_vote remove validate_only want_fence want_shut_down"
        " zk_migration_ready",
    ),
    (
        Absurd.int8,
        "config_operation election_type endpoint_type isolation_level leader_recovery_state"
        " mechanism upgrade_type",
    ),
    (
        Absurd.int16,
        "max_supported_version max_version_level min_supported_version replication_factor"
        " security_protocol",
    ),
    (
        Absurd.int32,
        "count max_bytes min_bytes num_partitions partition_epoch partition_index"
        " partition_max_bytes session_epoch session_id timeout_ms",
    ),
    (
        Absurd.int64,
        "current_metadata_offset end_offset fetch_offset high_watermark last_offset"
        " log_start_offset position",
    ),
    (
        Absurd.epoch,
        "current_leader_epoch epoch last_fetched_epoch last_offset_epoch leader_epoch"
        " replica_epoch",
    ),
    (Absurd.broker_epoch, "broker_epoch previous_broker_epoch"),
    (Absurd.stranger, "controller_id leader_id replica_id"),
    (Absurd.broker, "broker_id"),
    (Absurd.node, "candidate_id node_id voter_id"),
    (Absurd.uuid, "candidate_directory_id id replica_directory_id topic_id voter_directory_id"),
    (Absurd.unknown_uuid, "incarnation_id"),
    (Absurd.cluster_id, "cluster_id"),
    (Absurd.name, "client_software_name client_software_version host name resource_name topic"),
    (Absurd.text, "entity_name host_filter principal_filter rack resource_name_filter value"),
    (Absurd.metadata_topic, "topic_name"),
    (Absurd.feature, "feature"),
    (Absurd.data, "salt salted_password"),
    (
        _one_of(*ACL_KINDS),
        "operation pattern_type_filter permission_type resource_pattern_type resource_type_filter",
    ),
    (_many(Absurd.broker), "broker_ids new_isr"),
    (_many(Absurd.int32), "partition_indexes"),
    (_many(Absurd.node), "preferred_successors"),
    (_many(Absurd.uuid), "log_dirs offline_log_dirs"),
)

FIELDS: Mapping[str, Draw] = {
    **{name: draw for draw, names in _FIELDS_OF_DRAWS for name in names.split()},
    "configuration_keys": _perhaps(_many(_config)),
    "creations": _many(_of(rpc.AclCreation)),
    "deletions": _many(_of(rpc.ScramCredentialDeletion)),
    "directories": _many(_of(rpc.AssignedDirectory)),
    "entity": _many(_of(rpc.QuotaEntityData)),
    "entity_type": _one_of(*QUOTA_ENTITIES),
    "entries": _many(_of(rpc.AlterClientQuotasEntry)),
    "feature_updates": _many(_of(rpc.FeatureUpdate)),
    "features": _many(_of(rpc.BrokerFeature)),
    "filters": _many(_of(rpc.DeleteAclsFilter)),
    "iterations": lambda absurd: absurd.one_of((absurd.int32(), 4096)),
    "key": _one_of(*QUOTAS),
    "listeners": _many(_of(rpc.BrokerListener)),
    "max_wait_ms": _one_of(-1, 0, 500),
    "new_isr_with_epochs": _many(_of(rpc.AlterPartitionBrokerState)),
    "ops": _many(_of(rpc.QuotaOperation)),
    "partition": _usually_0,
    "preferred_candidates": _many(_of(rpc.PreferredCandidate)),
    "principal": _one_of("User:mallory", "", "nobody"),
    "replica_state": _of(rpc.FetchReplicaState),
    "resource_type": _one_of(*RESOURCE_TYPES),
    "snapshot_id": _of(rpc.SnapshotId),
    "topic_names": _many(lambda absurd: absurd.text() or ""),
    "topic_partitions": _perhaps(_many(_of(rpc.ElectedTopicPartitions))),
    "upsertions": _many(_of(rpc.ScramCredentialUpsertion)),
    "users": _users,
}
"""How a field of each name is drawn; a field of another name keeps its default."""

_VOTERS = {"listeners": _many(_of(rpc.QuorumEndpoint)), "voter_directory_id": Absurd.unknown_uuid}
_LEADER = {"partition_index": lambda _: 0, "leader_epoch": Absurd.epoch}
FIELDS_OF: Mapping[type[Structure], Mapping[str, Draw]] = {
    rpc.AclCreation: {"resource_type": _one_of(*ACL_KINDS), "host": _one_of("*", "", "127.0.0.1")},
    rpc.AddRaftVoterRequest: _VOTERS,
    rpc.AlterConfigsRequest: {"resources": _many(_of(rpc.AlterConfigsResource))},
    rpc.AlterConfigsResource: {"configs": _many(_of(rpc.LegacyConfig))},
    rpc.AlterPartitionData: {"leader_epoch": Absurd.int32},
    rpc.AlterPartitionReassignmentsRequest: {"topics": _many(_of(rpc.ReassignableTopic))},
    rpc.AlterPartitionRequest: {"topics": _many(_of(rpc.AlterPartitionTopic))},
    rpc.AlterPartitionTopic: {"partitions": _many(_of(rpc.AlterPartitionData))},
    rpc.AlterableConfig: {"name": _config},
    rpc.AssignedDirectory: {"topics": _many(_of(rpc.AssignedTopic))},
    rpc.AssignedTopic: {"partitions": _many(_of(rpc.AssignedPartition))},
    rpc.BeginQuorumEpochPartition: _LEADER,
    rpc.BeginQuorumEpochRequest: {"topics": _sole(rpc.BeginQuorumEpochTopic)},
    rpc.BeginQuorumEpochTopic: {"partitions": _sole(rpc.BeginQuorumEpochPartition)},
    rpc.BrokerFeature: {"name": Absurd.feature},
    rpc.BrokerListener: {"port": _one_of(0, 9092, 65535)},
    rpc.BrokerRegistrationRequest: {"cluster_id": lambda absurd: absurd.cluster_id() or ""},
    rpc.CreatableTopic: {
        "assignments": _perhaps(_many(_of(rpc.CreatableReplicaAssignment)), ()),
        "configs": _perhaps(_many(_of(rpc.CreatableTopicConfigEntry)), ()),
    },
    rpc.CreatePartitionsRequest: {"topics": _many(_of(rpc.CreatePartitionsTopic))},
    rpc.CreatePartitionsTopic: {
        "assignments": _perhaps(_many(_of(rpc.CreatePartitionsAssignment)))
    },
    rpc.CreateTopicsRequest: {"topics": _many(_of(rpc.CreatableTopic))},
    rpc.DeleteTopicState: {"name": Absurd.text, "topic_id": Absurd.unknown_uuid},
    rpc.DeleteTopicsRequest: {"topics": _many(_of(rpc.DeleteTopicState))},
    rpc.DescribeConfigsRequest: {"resources": _many(_of(rpc.DescribeConfigsResource))},
    rpc.DescribeQuorumRequest: {"topics": _sole(rpc.DescribeQuorumTopic)},
    rpc.DescribeQuorumTopic: {"partitions": _sole(rpc.DescribeQuorumPartition)},
    rpc.ElectedTopicPartitions: {"partitions": _many(Absurd.int32)},
    rpc.EndQuorumEpochPartition: _LEADER,
    rpc.EndQuorumEpochRequest: {"topics": _sole(rpc.EndQuorumEpochTopic)},
    rpc.EndQuorumEpochTopic: {"partitions": _sole(rpc.EndQuorumEpochPartition)},
    rpc.FetchPartition: {"partition": lambda absurd: absurd.one_of((0, absurd.int32()))},
    rpc.FetchReplicaState: {"replica_epoch": Absurd.broker_epoch},
    rpc.FetchRequest: {"topics": _sole(rpc.FetchTopic)},
    rpc.FetchSnapshotRequest: {"topics": _sole(rpc.SnapshotTopic)},
    rpc.FetchTopic: {"topic": Absurd.metadata_topic, "partitions": _sole(rpc.FetchPartition)},
    rpc.IncrementalAlterConfigsRequest: {
        "resources": _many(_of(rpc.IncrementalAlterConfigsResource))
    },
    rpc.IncrementalAlterConfigsResource: {"configs": _many(_of(rpc.AlterableConfig))},
    rpc.LegacyConfig: {"name": _config},
    rpc.ListPartitionReassignmentsRequest: {
        "topics": _perhaps(_many(_of(rpc.ListPartitionReassignmentsTopic)))
    },
    rpc.QuorumEndpoint: {
        "name": _one_of(CONTROLLER_LISTENER, *ODD_NAMES),
        "host": _one_of("", "127.0.0.1", "nowhere.invalid"),
        "port": _one_of(0, 1, 9093, 65535),
    },
    rpc.QuotaOperation: {"value": _one_of(*RATES)},
    rpc.ReassignableTopic: {"partitions": _many(_reassigned)},
    rpc.RemoveRaftVoterRequest: _VOTERS,
    rpc.SnapshotTopic: {"name": Absurd.metadata_topic, "partitions": _sole(rpc.SnapshotPartition)},
    rpc.UnregisterBrokerRequest: {"broker_id": Absurd.stranger},
    rpc.UpdateRaftVoterRequest: {"voter_id": Absurd.stranger, **_VOTERS},
    rpc.VotePartition: {"partition_index": _usually_0},
    rpc.VoteRequest: {"topics": _sole(rpc.VoteTopic)},
    rpc.VoteTopic: {"partitions": _sole(rpc.VotePartition)},
}
"""How the fields of one structure are drawn that mean something of their own in it."""


def _drawn(absurd: Absurd, kind: type[S]) -> S:
    """Returns a structure with drawn values, in the order of its fields."""
    values: dict[str, object] = {}
    own = FIELDS_OF.get(kind, {})
    for field in fields(kind):
        draw = own.get(field.name) or FIELDS.get(field.name)
        if draw is not None:
            values[field.name] = draw(absurd)
    return kind(**values)


def _fetch_of_an_observer(absurd: Absurd) -> rpc.FetchRequest:
    """Returns a fetch at the end of the active log, with one absurd value somewhere."""
    known, part = absurd.known, absurd.one_of(FETCH_PARTS)
    partition = rpc.FetchPartition(
        partition=0,
        current_leader_epoch=known.epoch,
        fetch_offset=known.log_end,
        last_fetched_epoch=known.epoch,
        partition_max_bytes=INT32_MAX,
    )
    if part is rpc.FetchPartition:
        partition = absurd.spoiled(partition, _drawn(absurd, rpc.FetchPartition))
    topic = rpc.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(partition,))
    if part is rpc.FetchTopic:
        topic = absurd.spoiled(topic, _drawn(absurd, rpc.FetchTopic))
    sender = rpc.FetchReplicaState(replica_id=absurd.one_of(STRANGERS))
    request = rpc.FetchRequest(
        cluster_id=known.cluster_id, replica_state=sender, max_wait_ms=0, topics=(topic,)
    )
    if part is rpc.FetchRequest:
        request = absurd.spoiled(request, _drawn(absurd, rpc.FetchRequest))
    return request


ABSURD: tuple[type[rpc.Request], ...] = (
    rpc.VoteRequest,
    rpc.BeginQuorumEpochRequest,
    rpc.EndQuorumEpochRequest,
    rpc.FetchRequest,
    rpc.FetchSnapshotRequest,
    rpc.DescribeQuorumRequest,
    rpc.AddRaftVoterRequest,
    rpc.RemoveRaftVoterRequest,
    rpc.UpdateRaftVoterRequest,
    rpc.IncrementalAlterConfigsRequest,
    rpc.AlterConfigsRequest,
    rpc.DescribeConfigsRequest,
    rpc.AlterClientQuotasRequest,
    rpc.AlterUserScramCredentialsRequest,
    rpc.DescribeUserScramCredentialsRequest,
    rpc.CreateAclsRequest,
    rpc.DeleteAclsRequest,
    rpc.DescribeAclsRequest,
    rpc.BrokerRegistrationRequest,
    rpc.BrokerHeartbeatRequest,
    rpc.UnregisterBrokerRequest,
    rpc.AlterPartitionRequest,
    rpc.CreateTopicsRequest,
    rpc.DeleteTopicsRequest,
    rpc.CreatePartitionsRequest,
    rpc.ElectLeadersRequest,
    rpc.AlterPartitionReassignmentsRequest,
    rpc.ListPartitionReassignmentsRequest,
    rpc.AssignReplicasToDirsRequest,
    rpc.AllocateProducerIdsRequest,
    rpc.UpdateFeaturesRequest,
    rpc.ControllerRegistrationRequest,
    rpc.UnregisterControllerRequest,
    rpc.DescribeClusterRequest,
    rpc.ApiVersionsRequest,
)
"""The requests that are drawn, of those that a controller serves."""

# Registrations are drawn six times as often as each other kind.
KINDS = (*ABSURD, *(rpc.BrokerRegistrationRequest,) * 5)


def absurd_request(absurd: Absurd) -> rpc.Request:
    """Returns a request of a drawn API with drawn fields."""
    kind = absurd.one_of(KINDS)
    if kind is rpc.FetchRequest and absurd.flag():
        return _fetch_of_an_observer(absurd)
    return _drawn(absurd, kind)
