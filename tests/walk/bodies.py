"""A stage, and valid requests of every API that a controller answers on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kraftsim.controller.core.uuid import uuid_text
from tests.builders import ALL_OF_4_4, CLUSTER_ID, directory_of, uuid_of
from tests.differential.sequence import Ask, Body
from tests.other_controllers import OTHER_CONTROLLER_ID

TOPIC, OTHER = "t1", "t2"
DIRECTORY, OTHER_DIRECTORY = uuid_text(directory_of(1)), uuid_text(directory_of(1, 1))
QUORUM_TOPIC = "__cluster_metadata"
ENDPOINT = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 9990}
ACL = {
    "resourceType": 2,
    "resourceName": TOPIC,
    "resourcePatternType": 3,
    "principal": "User:alice",
    "host": "*",
    "operation": 3,
    "permissionType": 3,
}
ACL_FILTER = {
    "resourceTypeFilter": 2,
    "resourceNameFilter": TOPIC,
    "patternTypeFilter": 3,
    "principalFilter": "User:alice",
    "hostFilter": "*",
    "operation": 3,
    "permissionType": 3,
}


@dataclass(frozen=True, slots=True)
class Case:
    """A valid request between the requests `before` and `after`."""

    api: str
    body: Body
    before: tuple[Ask, ...] = ()
    after: tuple[Ask, ...] = ()
    settings: Mapping[str, int] = field(default_factory=dict)


def ask(api: str, **body: Any) -> Ask:
    return Ask(api, 0, body)


def _topic(name: str, **fields: Any) -> Body:
    return {"name": name} | fields


def epoch(broker_id: int) -> Body:
    return {"$epoch": [broker_id, -1, 0]}


def _registration(broker_id: int, **fields: Any) -> Body:
    return {
        "brokerId": broker_id,
        "clusterId": CLUSTER_ID,
        "incarnationId": uuid_text(uuid_of(f"{broker_id}-second")),
        "listeners": [
            {"name": "PLAINTEXT", "host": "broker.test", "port": 9092, "securityProtocol": 0}
        ],
        "features": [
            {
                "name": feature.name,
                "minSupportedVersion": feature.min_supported_version,
                "maxSupportedVersion": feature.max_supported_version,
            }
            for feature in ALL_OF_4_4
        ],
        "rack": "a",
        "logDirs": [uuid_text(directory_of(broker_id))],
        "previousBrokerEpoch": -1,
    } | fields


def _heartbeat(broker_id: int, **fields: Any) -> Body:
    return {
        "brokerId": broker_id,
        "brokerEpoch": epoch(broker_id),
        "currentMetadataOffset": {"$end": -1},
        "wantFence": False,
        "wantShutDown": False,
    } | fields


def _partition(**fields: Any) -> Body:
    return {
        "partitionIndex": 0,
        "leaderEpoch": {"$leader_epoch": [TOPIC, 0, 0]},
        "leaderRecoveryState": 0,
        "partitionEpoch": {"$partition_epoch": [TOPIC, 0, 0]},
    } | fields


def _alter(**fields: Any) -> Body:
    topics = [{"topicId": {"$topic": TOPIC}, "partitions": [_partition(**fields)]}]
    return {"brokerId": 1, "brokerEpoch": epoch(1), "topics": topics}


def _configs(kind: int, resource: str, **config: Any) -> Body:
    return {"resources": [{"resourceType": kind, "resourceName": resource, "configs": [config]}]}


QUOTA = {
    "entity": [{"entityType": "user", "entityName": "alice"}],
    "ops": [{"key": "producer_byte_rate", "value": 5.0, "remove": False}],
}
CREDENTIAL = {
    "name": "alice",
    "mechanism": 1,
    "iterations": 4096,
    "salt": "c2FsdA==",
    "saltedPassword": "c2VjcmV0",
}
_SET_QUOTA = ask("AlterClientQuotas", entries=[QUOTA], validateOnly=False)
_REASSIGN = ask(
    "AlterPartitionReassignments",
    topics=[{"name": TOPIC, "partitions": [{"partitionIndex": 0, "replicas": [1, 2, 4]}]}],
)
_LEAVES_ISR = ask("AlterPartition", **_alter(newIsrWithEpochs=[{"brokerId": 1, "brokerEpoch": -1}]))
_FENCES = tuple(ask("BrokerHeartbeat", **_heartbeat(b, wantFence=True)) for b in (2, 3, 1))
_REGISTERED = ask(
    "ControllerRegistration",
    controllerId=OTHER_CONTROLLER_ID,
    incarnationId=OTHER_DIRECTORY,
    zkMigrationReady=False,
    listeners=[ENDPOINT | {"securityProtocol": 0}],
    features=_registration(1)["features"],
)

CASES: tuple[Case, ...] = (
    Case("BrokerRegistration", _registration(5)),
    Case("BrokerRegistration", _registration(4, incarnationId=uuid_text(uuid_of("4-first")))),
    Case("BrokerRegistration", _registration(4)),
    Case("BrokerHeartbeat", _heartbeat(1)),
    Case("BrokerHeartbeat", _heartbeat(4)),
    Case("BrokerHeartbeat", _heartbeat(1, offlineLogDirs=[], cordonedLogDirs=[])),
    Case("UnregisterBroker", {"brokerId": 4}),
    Case("DecommissionBroker", {"brokerId": 4}),
    Case("DecommissionBroker", {"brokerId": 1}),
    Case("CreateTopics", {"topics": [_topic("a", numPartitions=2, replicationFactor=2)]}),
    Case(
        "CreateTopics",
        {
            "topics": [
                _topic(
                    "a",
                    assignments=[{"partitionIndex": 0, "brokerIds": [1, 2]}],
                    configs=[{"name": "retention.ms", "value": "5"}],
                )
            ]
        },
    ),
    Case("DeleteTopics", {"topicNames": [TOPIC]}),
    Case("DeleteTopics", {"topics": [{"name": TOPIC}]}),
    Case("DeleteTopics", {"topics": [{"name": None, "topicId": {"$topic": TOPIC}}]}),
    Case("DescribeAcls", ACL_FILTER, (ask("CreateAcls", creations=[ACL]),)),
    Case("CreateAcls", {"creations": [ACL]}),
    Case("DeleteAcls", {"filters": [ACL_FILTER]}, (ask("CreateAcls", creations=[ACL]),)),
    Case("CreatePartitions", {"topics": [{"name": TOPIC, "count": 4}]}),
    Case(
        "CreatePartitions",
        {"topics": [{"name": TOPIC, "count": 3, "assignments": [{"brokerIds": [1, 2, 3]}]}]},
    ),
    Case(
        "ElectLeaders",
        {"electionType": 0, "topicPartitions": [{"topic": TOPIC, "partitions": [0]}]},
    ),
    Case(
        "ElectLeaders",
        {"electionType": 1, "topicPartitions": [{"topic": OTHER, "partitions": [0]}]},
        _FENCES,
    ),
    Case("AlterPartitionReassignments", _REASSIGN.body),
    Case("ListPartitionReassignments", {"topics": None}, (_REASSIGN,)),
    Case(
        "ListPartitionReassignments",
        {"topics": [{"name": TOPIC, "partitionIndexes": [0]}]},
        (_REASSIGN,),
    ),
    Case("DescribeCluster", {"endpointType": 2}, (_REGISTERED,)),
    Case("AlterPartition", _alter(newIsrWithEpochs=[{"brokerId": 1, "brokerEpoch": epoch(1)}])),
    Case("AlterPartition", _alter(newIsr=[1, 2])),
    Case(
        "AlterPartition",
        _alter(newIsrWithEpochs=[{"brokerId": b, "brokerEpoch": -1} for b in (1, 2)])
        | {"brokerEpoch": epoch(1)},
        (_LEAVES_ISR,),
    ),
    Case(
        "DescribeQuorum",
        {"topics": [{"topicName": QUORUM_TOPIC, "partitions": [{"partitionIndex": 0}]}]},
    ),
    Case(
        "UpdateFeatures",
        {"featureUpdates": [{"feature": "group.version", "maxVersionLevel": 0, "upgradeType": 2}]},
    ),
    Case(
        "UpdateFeatures",
        {
            "featureUpdates": [
                {"feature": "metadata.version", "maxVersionLevel": 25, "upgradeType": 3}
            ]
        },
    ),
    Case(
        "UpdateFeatures", {"featureUpdates": [{"feature": "group.version", "maxVersionLevel": 0}]}
    ),
    Case("AllocateProducerIds", {"brokerId": 1, "brokerEpoch": epoch(1)}),
    Case("ControllerRegistration", _REGISTERED.body),
    Case(
        "AssignReplicasToDirs",
        {
            "brokerId": 1,
            "brokerEpoch": epoch(1),
            "directories": [
                {
                    "id": OTHER_DIRECTORY,
                    "topics": [
                        {"topicId": {"$topic": TOPIC}, "partitions": [{"partitionIndex": 0}]}
                    ],
                }
            ],
        },
    ),
    Case("UnregisterController", {"controllerId": OTHER_CONTROLLER_ID}, (_REGISTERED,)),
    Case(
        "DescribeConfigs",
        {
            "resources": [
                {"resourceType": 2, "resourceName": TOPIC, "configurationKeys": ["retention.ms"]}
            ]
        },
    ),
    Case("DescribeConfigs", {"resources": [{"resourceType": 2, "resourceName": TOPIC}]}),
    Case("AlterConfigs", _configs(2, TOPIC, name="retention.ms", value="5")),
    Case(
        "IncrementalAlterConfigs",
        _configs(2, TOPIC, name="retention.ms", configOperation=0, value="5"),
    ),
    Case("AlterClientQuotas", {"entries": [QUOTA]}),
    Case("AlterClientQuotas", {"entries": [QUOTA]}, (_SET_QUOTA,)),
    Case("AlterUserScramCredentials", {"upsertions": [CREDENTIAL]}),
    Case(
        "AlterUserScramCredentials",
        {"deletions": [{"name": "alice", "mechanism": 1}]},
        (ask("AlterUserScramCredentials", upsertions=[CREDENTIAL]),),
    ),
    Case("ApiVersions", {"clientSoftwareName": "a", "clientSoftwareVersion": "1"}),
)
