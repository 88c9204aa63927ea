"""The smallest set of records that replays to an image, in the order of Kafka's snapshots.

Replay restores the image, but not the offset at which each record was first written (rules 9.46,
10.43). A broker's start time (KIP-436) is part of its registration record.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..feature_levels import DIRECTORY_ASSIGNMENT_FROM, METADATA_VERSION, elr_enabled
from ..log import records as r
from ..uuid import MIGRATING_DIRECTORY
from .broker import BrokerRegistration
from .image import KEPT, Image
from .partition import Partition, Topic

NO_BROKER = -1  # broker id of a snapshot's ProducerIdsRecord


def records_of(image: Image) -> Iterator[r.Record]:
    """Yields the records of an image.

    Features come first, because they decide the versions of all other records; brokers and
    controllers follow.
    """
    yield from _features(image)
    for broker in image.brokers.values():
        yield _registration(broker)
    yield from image.controllers.values()
    writing = _Writing(
        elr=elr_enabled(image.features),
        directories=image.metadata_version >= DIRECTORY_ASSIGNMENT_FROM,
    )
    for topic_id in image.topic_ids.values():
        yield from _topic(image.topics[topic_id], writing)
    yield from _configs(image)
    for entity, quotas in image.client_quotas.items():
        for key, value in quotas.items():
            yield r.ClientQuotaRecord(entity=entity, key=key, value=value, remove=False)
    if image.next_producer_id:
        yield r.ProducerIdsRecord(
            broker_id=NO_BROKER, broker_epoch=NO_BROKER, next_producer_id=image.next_producer_id
        )
    for kind in KEPT:
        yield from image.kept(kind).values()


def _features(image: Image) -> Iterator[r.Record]:
    names = sorted(image.features, key=lambda name: (name != METADATA_VERSION, name))
    for name in names:
        yield r.FeatureLevelRecord(name=name, feature_level=image.features[name])


def _registration(broker: BrokerRegistration) -> r.RegisterBrokerRecord:
    return r.RegisterBrokerRecord(
        broker_id=broker.broker_id,
        incarnation_id=broker.incarnation_id,
        broker_epoch=broker.broker_epoch,
        end_points=broker.listeners,
        features=broker.features,
        rack=broker.rack,
        fenced=broker.fenced,
        in_controlled_shutdown=broker.in_controlled_shutdown,
        log_dirs=broker.log_dirs,
        cordoned_log_dirs=broker.cordoned_log_dirs,
        start_time_ms=broker.start_time_ms,
    )


class _Writing(NamedTuple):
    """Which optional fields of partitions a snapshot has."""

    elr: bool
    directories: bool


def _topic(topic: Topic, writing: _Writing) -> Iterator[r.Record]:
    yield r.TopicRecord(name=topic.name, topic_id=topic.topic_id)
    for partition_id, partition in sorted(topic.partitions.items()):
        yield _partition(topic, partition_id, partition, writing)


def _partition(
    topic: Topic, partition_id: int, partition: Partition, writing: _Writing
) -> r.PartitionRecord:
    """Eligible and last known replicas are null if they are empty, or if ELR is disabled.

    A feature level of 0 disables ELR and leaves the replicas in the image. A partition that is
    older than directories gets a zero id for each replica (PartitionRegistration, rule 10.43).
    """
    directories = partition.directories
    if writing.directories and not directories:
        directories = (MIGRATING_DIRECTORY,) * len(partition.replicas)
    return r.PartitionRecord(
        partition_id=partition_id,
        topic_id=topic.topic_id,
        replicas=partition.replicas,
        isr=partition.isr,
        removing_replicas=partition.removing_replicas,
        adding_replicas=partition.adding_replicas,
        leader=partition.leader,
        leader_recovery_state=partition.leader_recovery_state,
        leader_epoch=partition.leader_epoch,
        partition_epoch=partition.partition_epoch,
        directories=directories,
        eligible_leader_replicas=(writing.elr and partition.elr) or None,
        last_known_elr=(writing.elr and partition.last_known_elr) or None,
    )


def _configs(image: Image) -> Iterator[r.Record]:
    for (resource_type, resource_name), values in image.configs.items():
        for name, value in values.items():
            yield r.ConfigRecord(
                resource_type=resource_type, resource_name=resource_name, name=name, value=value
            )
