"""Absurd requests of every API that a controller's listener serves, as a raw client sends them."""

from collections.abc import Callable, Mapping

from kraftsim.controller.core import rpc

from .absurd import Absurd
from .absurd_quorum import OF_THE_QUORUM
from .absurd_tables import OF_TABLES


def _listeners(absurd: Absurd) -> tuple[rpc.BrokerListener, ...]:
    return absurd.many(
        lambda: rpc.BrokerListener(
            name=absurd.name(),
            host=absurd.name(),
            port=absurd.one_of((0, 9092, 65535)),
            security_protocol=absurd.int16(),
        )
    )


def _features(absurd: Absurd) -> tuple[rpc.BrokerFeature, ...]:
    return absurd.many(
        lambda: rpc.BrokerFeature(
            name=absurd.feature(),
            min_supported_version=absurd.int16(),
            max_supported_version=absurd.int16(),
        )
    )


def _registration(absurd: Absurd) -> rpc.BrokerRegistrationRequest:
    return rpc.BrokerRegistrationRequest(
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


def _heartbeat(absurd: Absurd) -> rpc.BrokerHeartbeatRequest:
    return rpc.BrokerHeartbeatRequest(
        broker_id=absurd.broker(),
        broker_epoch=absurd.broker_epoch(),
        current_metadata_offset=absurd.int64(),
        want_fence=absurd.flag(),
        want_shut_down=absurd.flag(),
        offline_log_dirs=absurd.many(absurd.uuid),
    )


def _alter_partition(absurd: Absurd) -> rpc.AlterPartitionRequest:
    def member() -> rpc.AlterPartitionBrokerState:
        return rpc.AlterPartitionBrokerState(
            broker_id=absurd.broker(), broker_epoch=absurd.broker_epoch()
        )

    def partition() -> rpc.AlterPartitionData:
        return rpc.AlterPartitionData(
            partition_index=absurd.int32(),
            leader_epoch=absurd.int32(),
            new_isr=absurd.many(absurd.broker),
            new_isr_with_epochs=absurd.many(member),
            leader_recovery_state=absurd.int8(),
            partition_epoch=absurd.int32(),
        )

    def topic() -> rpc.AlterPartitionTopic:
        return rpc.AlterPartitionTopic(topic_id=absurd.uuid(), partitions=absurd.many(partition))

    return rpc.AlterPartitionRequest(
        broker_id=absurd.broker(),
        broker_epoch=absurd.broker_epoch(),
        topics=absurd.many(topic),
    )


def _create(absurd: Absurd) -> rpc.CreateTopicsRequest:
    def assignment() -> rpc.CreatableReplicaAssignment:
        return rpc.CreatableReplicaAssignment(
            partition_index=absurd.int32(), broker_ids=absurd.many(absurd.broker)
        )

    def config() -> rpc.CreatableTopicConfigEntry:
        return rpc.CreatableTopicConfigEntry(name=absurd.name(), value=absurd.text())

    def topic() -> rpc.CreatableTopic:
        return rpc.CreatableTopic(
            name=absurd.name(),
            num_partitions=absurd.int32(),
            replication_factor=absurd.int16(),
            assignments=absurd.many(assignment) if absurd.flag() else (),
            configs=absurd.many(config) if absurd.flag() else (),
        )

    return rpc.CreateTopicsRequest(
        topics=absurd.many(topic), timeout_ms=absurd.int32(), validate_only=absurd.flag()
    )


def _delete(absurd: Absurd) -> rpc.DeleteTopicsRequest:
    def topic() -> rpc.DeleteTopicState:
        return rpc.DeleteTopicState(name=absurd.text(), topic_id=absurd.unknown_uuid())

    return rpc.DeleteTopicsRequest(
        topics=absurd.many(topic),
        topic_names=absurd.many(lambda: absurd.text() or ""),
        timeout_ms=absurd.int32(),
    )


def _grow(absurd: Absurd) -> rpc.CreatePartitionsRequest:
    def assignment() -> rpc.CreatePartitionsAssignment:
        return rpc.CreatePartitionsAssignment(broker_ids=absurd.many(absurd.broker))

    def topic() -> rpc.CreatePartitionsTopic:
        return rpc.CreatePartitionsTopic(
            name=absurd.name(),
            count=absurd.int32(),
            assignments=absurd.many(assignment) if absurd.flag() else None,
        )

    return rpc.CreatePartitionsRequest(
        topics=absurd.many(topic), timeout_ms=absurd.int32(), validate_only=absurd.flag()
    )


def _elect(absurd: Absurd) -> rpc.ElectLeadersRequest:
    def topic() -> rpc.ElectedTopicPartitions:
        return rpc.ElectedTopicPartitions(topic=absurd.name(), partitions=absurd.many(absurd.int32))

    return rpc.ElectLeadersRequest(
        election_type=absurd.int8(),
        topic_partitions=absurd.many(topic) if absurd.flag() else None,
        timeout_ms=absurd.int32(),
    )


def _reassign(absurd: Absurd) -> rpc.AlterPartitionReassignmentsRequest:
    def partition() -> rpc.ReassignablePartition:
        replicas = absurd.many(absurd.broker) if absurd.flag() else None
        return rpc.ReassignablePartition(partition_index=absurd.int32(), replicas=replicas)

    def topic() -> rpc.ReassignableTopic:
        return rpc.ReassignableTopic(name=absurd.name(), partitions=absurd.many(partition))

    return rpc.AlterPartitionReassignmentsRequest(
        timeout_ms=absurd.int32(),
        allow_replication_factor_change=absurd.flag(),
        topics=absurd.many(topic),
    )


def _list_reassignments(absurd: Absurd) -> rpc.ListPartitionReassignmentsRequest:
    def topic() -> rpc.ListPartitionReassignmentsTopic:
        return rpc.ListPartitionReassignmentsTopic(
            name=absurd.name(), partition_indexes=absurd.many(absurd.int32)
        )

    return rpc.ListPartitionReassignmentsRequest(
        timeout_ms=absurd.int32(), topics=absurd.many(topic) if absurd.flag() else None
    )


def _assign_directories(absurd: Absurd) -> rpc.AssignReplicasToDirsRequest:
    def partition() -> rpc.AssignedPartition:
        return rpc.AssignedPartition(partition_index=absurd.int32())

    def topic() -> rpc.AssignedTopic:
        return rpc.AssignedTopic(topic_id=absurd.uuid(), partitions=absurd.many(partition))

    def directory() -> rpc.AssignedDirectory:
        return rpc.AssignedDirectory(id=absurd.uuid(), topics=absurd.many(topic))

    return rpc.AssignReplicasToDirsRequest(
        broker_id=absurd.broker(),
        broker_epoch=absurd.broker_epoch(),
        directories=absurd.many(directory),
    )


def _update_features(absurd: Absurd) -> rpc.UpdateFeaturesRequest:
    def update() -> rpc.FeatureUpdate:
        return rpc.FeatureUpdate(
            feature=absurd.feature(),
            max_version_level=absurd.int16(),
            allow_downgrade=absurd.flag(),
            upgrade_type=absurd.int8(),
        )

    return rpc.UpdateFeaturesRequest(
        timeout_ms=absurd.int32(),
        feature_updates=absurd.many(update),
        validate_only=absurd.flag(),
    )


def _controller_registration(absurd: Absurd) -> rpc.ControllerRegistrationRequest:
    return rpc.ControllerRegistrationRequest(
        controller_id=absurd.stranger(),
        incarnation_id=absurd.unknown_uuid(),
        zk_migration_ready=absurd.flag(),
        listeners=_listeners(absurd),
        features=_features(absurd),
    )


def _describe_cluster(absurd: Absurd) -> rpc.DescribeClusterRequest:
    return rpc.DescribeClusterRequest(
        include_cluster_authorized_operations=absurd.flag(),
        endpoint_type=absurd.int8(),
        include_fenced_brokers=absurd.flag(),
    )


def _producer_ids(absurd: Absurd) -> rpc.AllocateProducerIdsRequest:
    return rpc.AllocateProducerIdsRequest(
        broker_id=absurd.broker(), broker_epoch=absurd.broker_epoch()
    )


def _api_versions(absurd: Absurd) -> rpc.ApiVersionsRequest:
    return rpc.ApiVersionsRequest(
        client_software_name=absurd.name(),
        client_software_version=absurd.name(),
        cluster_id=absurd.cluster_id(),
        node_id=absurd.node(),
    )


ABSURD: Mapping[type[rpc.Request], Callable[[Absurd], rpc.Request]] = {
    **OF_THE_QUORUM,
    **OF_TABLES,
    rpc.BrokerRegistrationRequest: _registration,
    rpc.BrokerHeartbeatRequest: _heartbeat,
    rpc.UnregisterBrokerRequest: lambda absurd: rpc.UnregisterBrokerRequest(
        broker_id=absurd.stranger()
    ),
    rpc.AlterPartitionRequest: _alter_partition,
    rpc.CreateTopicsRequest: _create,
    rpc.DeleteTopicsRequest: _delete,
    rpc.CreatePartitionsRequest: _grow,
    rpc.ElectLeadersRequest: _elect,
    rpc.AlterPartitionReassignmentsRequest: _reassign,
    rpc.ListPartitionReassignmentsRequest: _list_reassignments,
    rpc.AssignReplicasToDirsRequest: _assign_directories,
    rpc.AllocateProducerIdsRequest: _producer_ids,
    rpc.UpdateFeaturesRequest: _update_features,
    rpc.ControllerRegistrationRequest: _controller_registration,
    rpc.UnregisterControllerRequest: lambda absurd: rpc.UnregisterControllerRequest(
        controller_id=absurd.stranger()
    ),
    rpc.DescribeClusterRequest: _describe_cluster,
    rpc.ApiVersionsRequest: _api_versions,
}
"""How a request of each type is drawn, of those that a controller serves."""

# Registrations are drawn six times as often as each other kind.
KINDS = (*ABSURD, *(rpc.BrokerRegistrationRequest,) * 5)


def absurd_request(absurd: Absurd) -> rpc.Request:
    """Returns a request of a drawn API with drawn fields."""
    return ABSURD[absurd.one_of(KINDS)](absurd)
