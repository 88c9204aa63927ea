"""Absurd requests of every API that a controller's listener serves, as a raw client sends them."""

from collections.abc import Callable, Mapping

from kraftsim.controller.core.rpc import (
    AllocateProducerIdsRequest,
    AlterPartitionBrokerState,
    AlterPartitionData,
    AlterPartitionReassignmentsRequest,
    AlterPartitionRequest,
    AlterPartitionTopic,
    ApiVersionsRequest,
    AssignedDirectory,
    AssignedPartition,
    AssignedTopic,
    AssignReplicasToDirsRequest,
    BrokerFeature,
    BrokerHeartbeatRequest,
    BrokerListener,
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfigEntry,
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DeleteTopicState,
    DescribeClusterRequest,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    FeatureUpdate,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopic,
    ReassignablePartition,
    ReassignableTopic,
    Request,
    UnregisterBrokerRequest,
    UnregisterControllerRequest,
    UpdateFeaturesRequest,
)

from .absurd import Absurd
from .absurd_quorum import OF_THE_QUORUM
from .absurd_tables import OF_TABLES


def _listeners(absurd: Absurd) -> tuple[BrokerListener, ...]:
    return absurd.many(
        lambda: BrokerListener(
            name=absurd.name(),
            host=absurd.name(),
            port=absurd.one_of((0, 9092, 65535)),
            security_protocol=absurd.int16(),
        )
    )


def _features(absurd: Absurd) -> tuple[BrokerFeature, ...]:
    return absurd.many(
        lambda: BrokerFeature(
            name=absurd.feature(),
            min_supported_version=absurd.int16(),
            max_supported_version=absurd.int16(),
        )
    )


def _registration(absurd: Absurd) -> BrokerRegistrationRequest:
    return BrokerRegistrationRequest(
        broker_id=absurd.broker(),
        cluster_id=absurd.cluster_id() or "",
        incarnation_id=absurd.unknown_uuid(),
        listeners=_listeners(absurd),
        features=_features(absurd),
        rack=absurd.text(),
        is_migrating_zk_broker=absurd.flag(),
        log_dirs=absurd.many(absurd.uuid),
        previous_broker_epoch=absurd.broker_epoch(),
    )


def _heartbeat(absurd: Absurd) -> BrokerHeartbeatRequest:
    return BrokerHeartbeatRequest(
        broker_id=absurd.broker(),
        broker_epoch=absurd.broker_epoch(),
        current_metadata_offset=absurd.int64(),
        want_fence=absurd.flag(),
        want_shut_down=absurd.flag(),
        offline_log_dirs=absurd.many(absurd.uuid),
    )


def _alter_partition(absurd: Absurd) -> AlterPartitionRequest:
    def member() -> AlterPartitionBrokerState:
        return AlterPartitionBrokerState(
            broker_id=absurd.broker(), broker_epoch=absurd.broker_epoch()
        )

    def partition() -> AlterPartitionData:
        return AlterPartitionData(
            partition_index=absurd.int32(),
            leader_epoch=absurd.int32(),
            new_isr=absurd.many(absurd.broker),
            new_isr_with_epochs=absurd.many(member),
            leader_recovery_state=absurd.int8(),
            partition_epoch=absurd.int32(),
        )

    def topic() -> AlterPartitionTopic:
        return AlterPartitionTopic(topic_id=absurd.uuid(), partitions=absurd.many(partition))

    return AlterPartitionRequest(
        broker_id=absurd.broker(),
        broker_epoch=absurd.broker_epoch(),
        topics=absurd.many(topic),
    )


def _create(absurd: Absurd) -> CreateTopicsRequest:
    def assignment() -> CreatableReplicaAssignment:
        return CreatableReplicaAssignment(
            partition_index=absurd.int32(), broker_ids=absurd.many(absurd.broker)
        )

    def config() -> CreatableTopicConfigEntry:
        return CreatableTopicConfigEntry(name=absurd.name(), value=absurd.text())

    def topic() -> CreatableTopic:
        return CreatableTopic(
            name=absurd.name(),
            num_partitions=absurd.int32(),
            replication_factor=absurd.int16(),
            assignments=absurd.many(assignment) if absurd.flag() else (),
            configs=absurd.many(config) if absurd.flag() else (),
        )

    return CreateTopicsRequest(
        topics=absurd.many(topic), timeout_ms=absurd.int32(), validate_only=absurd.flag()
    )


def _delete(absurd: Absurd) -> DeleteTopicsRequest:
    def topic() -> DeleteTopicState:
        return DeleteTopicState(name=absurd.text(), topic_id=absurd.unknown_uuid())

    return DeleteTopicsRequest(
        topics=absurd.many(topic),
        topic_names=absurd.many(lambda: absurd.text() or ""),
        timeout_ms=absurd.int32(),
    )


def _grow(absurd: Absurd) -> CreatePartitionsRequest:
    def assignment() -> CreatePartitionsAssignment:
        return CreatePartitionsAssignment(broker_ids=absurd.many(absurd.broker))

    def topic() -> CreatePartitionsTopic:
        return CreatePartitionsTopic(
            name=absurd.name(),
            count=absurd.int32(),
            assignments=absurd.many(assignment) if absurd.flag() else None,
        )

    return CreatePartitionsRequest(
        topics=absurd.many(topic), timeout_ms=absurd.int32(), validate_only=absurd.flag()
    )


def _elect(absurd: Absurd) -> ElectLeadersRequest:
    def topic() -> ElectedTopicPartitions:
        return ElectedTopicPartitions(topic=absurd.name(), partitions=absurd.many(absurd.int32))

    return ElectLeadersRequest(
        election_type=absurd.int8(),
        topic_partitions=absurd.many(topic) if absurd.flag() else None,
        timeout_ms=absurd.int32(),
    )


def _reassign(absurd: Absurd) -> AlterPartitionReassignmentsRequest:
    def partition() -> ReassignablePartition:
        replicas = absurd.many(absurd.broker) if absurd.flag() else None
        return ReassignablePartition(partition_index=absurd.int32(), replicas=replicas)

    def topic() -> ReassignableTopic:
        return ReassignableTopic(name=absurd.name(), partitions=absurd.many(partition))

    return AlterPartitionReassignmentsRequest(
        timeout_ms=absurd.int32(),
        allow_replication_factor_change=absurd.flag(),
        topics=absurd.many(topic),
    )


def _list_reassignments(absurd: Absurd) -> ListPartitionReassignmentsRequest:
    def topic() -> ListPartitionReassignmentsTopic:
        return ListPartitionReassignmentsTopic(
            name=absurd.name(), partition_indexes=absurd.many(absurd.int32)
        )

    return ListPartitionReassignmentsRequest(
        timeout_ms=absurd.int32(), topics=absurd.many(topic) if absurd.flag() else None
    )


def _assign_directories(absurd: Absurd) -> AssignReplicasToDirsRequest:
    def partition() -> AssignedPartition:
        return AssignedPartition(partition_index=absurd.int32())

    def topic() -> AssignedTopic:
        return AssignedTopic(topic_id=absurd.uuid(), partitions=absurd.many(partition))

    def directory() -> AssignedDirectory:
        return AssignedDirectory(id=absurd.uuid(), topics=absurd.many(topic))

    return AssignReplicasToDirsRequest(
        broker_id=absurd.broker(),
        broker_epoch=absurd.broker_epoch(),
        directories=absurd.many(directory),
    )


def _update_features(absurd: Absurd) -> UpdateFeaturesRequest:
    def update() -> FeatureUpdate:
        return FeatureUpdate(
            feature=absurd.feature(),
            max_version_level=absurd.int16(),
            allow_downgrade=absurd.flag(),
            upgrade_type=absurd.int8(),
        )

    return UpdateFeaturesRequest(
        timeout_ms=absurd.int32(),
        feature_updates=absurd.many(update),
        validate_only=absurd.flag(),
    )


def _controller_registration(absurd: Absurd) -> ControllerRegistrationRequest:
    return ControllerRegistrationRequest(
        controller_id=absurd.stranger(),
        incarnation_id=absurd.unknown_uuid(),
        zk_migration_ready=absurd.flag(),
        listeners=_listeners(absurd),
        features=_features(absurd),
    )


def _describe_cluster(absurd: Absurd) -> DescribeClusterRequest:
    return DescribeClusterRequest(
        include_cluster_authorized_operations=absurd.flag(),
        endpoint_type=absurd.int8(),
        include_fenced_brokers=absurd.flag(),
    )


def _producer_ids(absurd: Absurd) -> AllocateProducerIdsRequest:
    return AllocateProducerIdsRequest(broker_id=absurd.broker(), broker_epoch=absurd.broker_epoch())


def _api_versions(absurd: Absurd) -> ApiVersionsRequest:
    return ApiVersionsRequest(
        client_software_name=absurd.name(),
        client_software_version=absurd.name(),
        cluster_id=absurd.cluster_id(),
        node_id=absurd.node(),
    )


ABSURD: Mapping[type[Request], Callable[[Absurd], Request]] = {
    **OF_THE_QUORUM,
    **OF_TABLES,
    BrokerRegistrationRequest: _registration,
    BrokerHeartbeatRequest: _heartbeat,
    UnregisterBrokerRequest: lambda absurd: UnregisterBrokerRequest(broker_id=absurd.stranger()),
    AlterPartitionRequest: _alter_partition,
    CreateTopicsRequest: _create,
    DeleteTopicsRequest: _delete,
    CreatePartitionsRequest: _grow,
    ElectLeadersRequest: _elect,
    AlterPartitionReassignmentsRequest: _reassign,
    ListPartitionReassignmentsRequest: _list_reassignments,
    AssignReplicasToDirsRequest: _assign_directories,
    AllocateProducerIdsRequest: _producer_ids,
    UpdateFeaturesRequest: _update_features,
    ControllerRegistrationRequest: _controller_registration,
    UnregisterControllerRequest: lambda absurd: UnregisterControllerRequest(
        controller_id=absurd.stranger()
    ),
    DescribeClusterRequest: _describe_cluster,
    ApiVersionsRequest: _api_versions,
}
"""How a request of each type is drawn, of those that a controller serves."""

# Registrations are drawn six times as often as each other kind.
KINDS = (*ABSURD, *(BrokerRegistrationRequest,) * 5)


def absurd_request(absurd: Absurd) -> Request:
    """Returns a request of a drawn API with drawn fields."""
    return ABSURD[absurd.one_of(KINDS)](absurd)
