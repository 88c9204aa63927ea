"""Further values of fields, which the types of the fields do not suggest."""

import base64
from typing import Any

from tests.walk.bodies import DIRECTORY, OTHER, TOPIC, epoch

VALUES: dict[str, tuple[Any, ...]] = {
    "DescribeClientQuotas.components": ([{"entityType": "user", "matchType": 1, "match": None}],),
    "DescribeUserScramCredentials.users": ([{"name": "bob"}],),
    "PushTelemetry.metrics": (base64.b64encode(bytes(1024 * 1024 + 1)).decode(),),
    "CreateTopics.topics.configs.name": ("retention.bytes",),
    "CreateTopics.topics.assignments.brokerIds": ([2, 3],),
    "AlterConfigs.resources.configs.value": ("6",),
    "AlterPartition.topics.partitions.leaderEpoch": ({"$leader_epoch": [TOPIC, 0, -1]},),
    "AlterPartition.topics.partitions.partitionEpoch": ({"$partition_epoch": [TOPIC, 0, -1]},),
    "BrokerHeartbeat.offlineLogDirs": ([DIRECTORY],),
    "BrokerHeartbeat.cordonedLogDirs": ([DIRECTORY],),
    "BrokerRegistration.previousBrokerEpoch": (epoch(4),),
    "DeleteTopics.topicNames": ([OTHER],),
    "ElectLeaders.topicPartitions": ([{"topic": OTHER, "partitions": [0]}],),
    "Fetch.topics.partitions.fetchOffset": ({"$end": -1}, 5),
    "UpdateFeatures.featureUpdates.feature": ("share.version", "metadata.version"),
    "Fetch.topics.partitions.partitionMaxBytes": (1, 100),
    "Fetch.maxBytes": (1, 100),
    "FetchSnapshot.maxBytes": (1, 100),
    "ListTransactions.transactionalIdPattern": ("(",),
    "Fetch.replicaState.replicaEpoch": (epoch(1),),
    "AlterPartition.topics.partitions.newIsrWithEpochs": ([{"brokerId": 2, "brokerEpoch": -1}],),
}
