"""Turns responses of the wire into results."""

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.uuid import ZERO_UUID, uuid_text

from . import results
from .errors import AdminError

Endpoints = dict[int, tuple[results.Endpoint, ...]]


def cluster_of(response: rpc.DescribeClusterResponse) -> results.ClusterDescription:
    """Returns the brokers; `controller_id` is left out: it is any live broker (rule 5.16)."""
    brokers = (
        results.Broker(
            id=broker.broker_id,
            host=broker.host,
            port=broker.port,
            rack=broker.rack,
            is_fenced=broker.is_fenced,
            start_time_ms=broker.start_time_ms or None,
        )
        for broker in response.brokers
    )
    ordered = tuple(sorted(brokers, key=lambda broker: broker.id))
    return results.ClusterDescription(cluster_id=response.cluster_id, brokers=ordered)


def controllers_of(response: rpc.DescribeClusterResponse) -> results.ControllersDescription:
    """Returns the controllers."""
    controllers = (
        results.Controller(id=node.broker_id, host=node.host, port=node.port)
        for node in response.brokers
    )
    return results.ControllersDescription(
        cluster_id=response.cluster_id,
        leader_id=_known(response.controller_id),
        controllers=tuple(sorted(controllers, key=lambda controller: controller.id)),
    )


def quorum_of(response: rpc.DescribeQuorumResponse) -> results.QuorumDescription:
    """Returns the quorum of the metadata log, the only partition that was requested.

    Raises AdminError if the response lacks it.
    """
    partitions = [partition for topic in response.topics for partition in topic.partitions]
    if not partitions:
        text = "the response has no partition of the metadata log"
        raise AdminError(ErrorCode.UNKNOWN_SERVER_ERROR, text)
    described = partitions[0]
    endpoints: Endpoints = {
        node.node_id: tuple(results.Endpoint(at.name, at.host, at.port) for at in node.listeners)
        for node in response.nodes
    }
    return results.QuorumDescription(
        leader_id=described.leader_id,
        leader_epoch=described.leader_epoch,
        high_watermark=described.high_watermark,
        voters=_replicas(described.current_voters, endpoints),
        observers=_replicas(described.observers, {}),
    )


def _replicas(
    states: tuple[rpc.ReplicaState, ...], endpoints: Endpoints
) -> tuple[results.Replica, ...]:
    replicas = (
        results.Replica(
            id=state.replica_id,
            directory_id=_directory(state.replica_directory_id),
            log_end_offset=state.log_end_offset,
            last_fetch_time_ms=_known(state.last_fetch_timestamp),
            last_caught_up_time_ms=_known(state.last_caught_up_timestamp),
            endpoints=endpoints.get(state.replica_id, ()),
        )
        for state in states
    )
    return tuple(sorted(replicas, key=lambda replica: replica.id))


def features_of(response: rpc.ApiVersionsResponse) -> results.FeaturesDescription:
    """Returns the features."""
    return results.FeaturesDescription(
        finalized_epoch=_known(response.finalized_features_epoch),
        finalized={key.name: key.max_version_level for key in response.finalized_features},
        supported={
            key.name: results.LevelRange(key.min_version, key.max_version)
            for key in response.supported_features
        },
    )


def _known(number: int) -> int | None:
    """Returns None for -1, which Kafka sends for an unknown number."""
    return None if number == -1 else number


def _directory(directory_id: bytes) -> str | None:
    return None if directory_id == ZERO_UUID else uuid_text(directory_id)
