"""The read side: committed state as JSON documents (design 4.3). Nothing here changes anything."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.controller.core.image import Image
from kraftsim.controller.core.partition import Partition, Topic
from kraftsim.controller.core.records import Endpoint
from kraftsim.controller.core.registration import BrokerRegistration
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.node import Node
from kraftsim.scenarios.journal import EventRow

Document = dict[str, object]


def cluster_view(node: Node) -> Document:
    image = node.committed
    return {
        "clusterId": node.config.cluster_id,
        "controllerId": node.leader_id if node.is_active else -1,
        "controllerEpoch": node.epoch,
        "profile": node.profile.name,
        "metadataVersion": image.metadata_version,
        "finalizedFeatures": dict(sorted(image.finalized.items())),
        "highWatermark": node.high_watermark,
        "logEndOffset": node.log.end_offset,
        "brokers": len(image.brokers),
        "fencedBrokers": sum(broker.fenced for broker in image.brokers.values()),
        "topics": len(image.topics),
        "leaderlessPartitions": len(image.index.leaderless()),
    }


def brokers_view(image: Image, agents: Mapping[int, HostedAgent]) -> Document:
    """Registered brokers, and simulated ones that are not registered (yet, or any more)."""
    return {
        "brokers": [broker_view(image, agents, one) for one in sorted({*image.brokers, *agents})]
    }


def broker_view(image: Image, agents: Mapping[int, HostedAgent], broker_id: int) -> Document:
    broker, agent = image.brokers.get(broker_id), agents.get(broker_id)
    document: Document = {"brokerId": broker_id, "registered": broker is not None}
    if broker is not None:
        document |= _registration_view(broker)
        document["leaderships"] = len(image.index.led(broker_id))
    if agent is not None:
        document["agent"] = {
            "state": agent.state,
            "metadataOffset": agent.agent.metadata_offset,
            "lastError": agent.agent.last_error or agent.agent.failure,
        }
    return document


def _registration_view(broker: BrokerRegistration) -> Document:
    return {
        "brokerEpoch": broker.broker_epoch,
        "incarnationId": uuid_text(broker.incarnation_id),
        "fenced": broker.fenced,
        "inControlledShutdown": broker.in_controlled_shutdown,
        "rack": broker.rack,
        "listeners": [_listener_view(listener) for listener in broker.listeners],
        "startTimeMs": broker.start_time_ms,
        "logDirs": [uuid_text(directory) for directory in broker.log_dirs],
    }


def _listener_view(listener: Endpoint) -> Document:
    return {
        "name": listener.name,
        "host": listener.host,
        "port": listener.port,
        "securityProtocol": listener.security_protocol,
    }


def topics_view(image: Image) -> Document:
    topics = (image.topics[topic_id] for topic_id in image.topic_ids.values())
    return {"topics": [_topic_view(topic) for topic in topics]}


def _topic_view(topic: Topic) -> Document:
    return {
        "name": topic.name,
        "topicId": uuid_text(topic.topic_id),
        "partitions": [
            _partition_view(index, partition)
            for index, partition in sorted(topic.partitions.items())
        ],
    }


def _partition_view(index: int, partition: Partition) -> Document:
    return {
        "partition": index,
        "leader": partition.leader,
        "leaderEpoch": partition.leader_epoch,
        "partitionEpoch": partition.partition_epoch,
        "replicas": list(partition.replicas),
        "isr": list(partition.isr),
        "eligibleLeaderReplicas": list(partition.elr),
        "lastKnownElr": list(partition.last_known_elr),
    }


def log_view(node: Node, start: int, limit: int) -> Document:
    """Committed records from `start` on, at most `limit`, as Kafka's own decoder prints them."""
    records: list[Document] = []
    for record in _committed_records(node, start):
        if len(records) == limit:
            break
        records.append(record)
    following = records[-1]["offset"] if records else start - 1
    assert isinstance(following, int), following
    return {"records": records, "nextOffset": following + 1, "highWatermark": node.high_watermark}


def _committed_records(node: Node, start: int) -> Iterable[Document]:
    from kraftsim.controller.wire.json_form import control_record_json, record_json

    for batch in node.log.read(start):
        if batch.base_offset >= node.high_watermark:
            return
        for position, record in enumerate(batch.records):
            offset = batch.base_offset + position
            if offset >= start:
                spelled = (
                    control_record_json(record)
                    if batch.is_control
                    else record_json(record, batch.versions[position])
                )
                yield {
                    "offset": offset,
                    "epoch": batch.epoch,
                    "timestamp": batch.timestamp_ms,
                    "control": batch.is_control,
                    **spelled,
                }


def event_view(row: EventRow) -> Document:
    return asdict(row)
