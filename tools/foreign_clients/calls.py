"""The calls of foreign clients (tests/interop/foreign) by name, and what is to be known of some."""

from collections.abc import Mapping

CONTROL_PLANE = (
    "apiVersions",
    "describeCluster",
    "controller",
    "createTopics",
    "listTopics",
    "describeTopics",
    "describeTopicPartitions",
    "createPartitions",
    "deleteTopics",
    "describeConfigs",
    "incrementalAlterConfigs",
    "incrementalAlterConfigs of brokers",
    "alterConfigs",
    "resetConfigs",
    "listConfigResources",
    "listClientMetricsResources",
    "electLeaders",
    "alterPartitionReassignments",
    "listPartitionReassignments",
    "describeLogDirs",
    "describeReplicaLogDirs",
    "describeFeatures",
    "updateFeatures",
    "describeMetadataQuorum",
    "addRaftVoter",
    "removeRaftVoter",
    "unregisterBroker",
    "clientInstanceId",
    "createAcls",
    "describeAcls",
    "deleteAcls",
    "alterClientQuotas",
    "describeClientQuotas",
    "alterUserScramCredentials",
    "describeUserScramCredentials",
    "createDelegationToken",
    "renewDelegationToken",
    "expireDelegationToken",
    "describeDelegationToken",
)
EMPTY = ("listGroups", "listConsumerGroups", "listTransactions", "findHangingTransactions")
"""Lists that are truly empty, where there is no data plane."""
DATA_PLANE = (
    *EMPTY,
    "alterReplicaLogDirs",
    "deleteRecords",
    "listOffsets",
    "listOffsets by time",
    "offsetForLeaderEpoch",
    "findGroupCoordinators",
    "describeConsumerGroups",
    "describeClassicGroups",
    "listConsumerGroupOffsets",
    "listConsumerGroupOffsets by topic",
    "alterConsumerGroupOffsets",
    "resetConsumerGroupOffsets",
    "deleteConsumerGroupOffsets",
    "lag",
    "joinGroup",
    "syncGroup",
    "heartbeat",
    "removeMembersFromConsumerGroup",
    "deleteConsumerGroups",
    "describeShareGroups",
    "findShareCoordinators",
    "listShareGroupOffsets",
    "alterShareGroupOffsets",
    "deleteShareGroupOffsets",
    "deleteShareGroups",
    "describeStreamsGroups",
    "alterStreamsGroupOffsets",
    "listStreamsGroupOffsets",
    "deleteStreamsGroupOffsets",
    "deleteStreamsGroups",
    "describeTransactions",
    "describeProducers",
    "findTransactionCoordinators",
    "abortTransaction",
    "forceTerminateTransaction",
    "fenceProducers",
    "initProducerId",
    "addPartitionsToTxn",
    "addOffsetsToTxn",
    "txnOffsetCommit",
    "endTxn",
    "produce",
    "produce in one request",
    "produce idempotently",
    "produce in a transaction",
    "produce with acks=0",
    "consume",
    "fetch in one request",
    "consume in a group",
    "consume by the new protocol",
    "consume in a share group",
)

MESSAGES = (
    *("deleteRecords", "listOffsets", "listOffsets by time", "offsetForLeaderEpoch"),
    *("describeProducers", "produce", "produce in one request", "produce idempotently"),
    *("produce with acks=0", "consume", "fetch in one request"),
)
"""Calls that brokers answer from their logs."""
FALSE_RESULTS: Mapping[tuple[str, str], str] = {
    ("confluent-kafka", "describeAcls"): (
        "its AdminClient drops SECURITY_DISABLED, of any broker, and returns an empty list"
    ),
    ("kafka-go", "heartbeat"): (
        "its Client.Heartbeat reads the error code where the throttle time is, so it never sees one"
    ),
    ("kafka-go", "listConsumerGroupOffsets by topic"): (
        "its Client.ConsumerOffsets drops the error of the group and returns an empty map"
    ),
}
"""Results of calls that were refused, by client, with the reason: the client's own mistakes."""


DIFFERENT_FROM_A_BROKER: Mapping[str, str] = {}
"""Calls of the control plane with another reply from a released broker, with the reason."""


OLDEST = (
    ("librdkafka (confluent-kafka)", "1.0.0", "result, idempotently too", "result"),
    (
        *("Java", "2.1.0", "result, idempotently too"),
        "result after a seek; else it asks for the coordinator of an unnamed group, and fails with"
        " policy violation (from 2.2 on it has no group by default)",
    ),
    ("franz-go", "1.0.0", "result, idempotently too", "result"),
    ("Sarama", "1.20.0", "result", "result"),
    ("kafka-go", "0.3.0", "result", "result"),
    ("kafkajs", "1.12.0", "result", ""),
    ("kafka-python", "1.4.7", "result", "result"),
    ("aiokafka", "0.6.0", "result", "result"),
)
"""Old versions that were tried by hand: client, version, and what it got."""
NEVER_ENDING: Mapping[tuple[str, str], str] = {}
"""Calls that no refusal ends, by client."""


def is_false_result(client: str, call: str) -> bool:
    """True if the client reports success for a call that was refused."""
    return (client, call) in FALSE_RESULTS
