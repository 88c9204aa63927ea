"""Valid requests of each API that a simulated broker answers itself."""

from kraftsim.controller.core.uuid import uuid_text
from tests.differential.sequence import Ask, Body
from tests.walk.bodies import ACL, ACL_FILTER, CREDENTIAL, QUOTA, TOPIC, Case

INSTANCE = uuid_text(b"client instance.")
PUSH: Body = {"clientInstanceId": INSTANCE, "subscriptionId": {"$subscription": INSTANCE}}
SUBSCRIPTION = {
    "resourceType": 16,
    "resourceName": "s",
    "configs": [{"name": "metrics", "configOperation": 0, "value": "*"}],
}
GROUP = {
    "resourceType": 32,
    "resourceName": "g",
    "configs": [{"name": "share.record.lock.duration.ms", "configOperation": 0, "value": "20000"}],
}
SETUP = (
    Ask(
        "CreateTopics",
        0,
        {
            "topics": [
                {"name": TOPIC, "numPartitions": 3, "replicationFactor": 3},
                {"name": "t2", "numPartitions": 1, "replicationFactor": 2},
            ]
        },
    ),
    Ask("IncrementalAlterConfigs", 0, {"resources": [SUBSCRIPTION, GROUP]}),
    Ask("AlterClientQuotas", 0, {"entries": [QUOTA]}),
    Ask("AlterUserScramCredentials", 0, {"upsertions": [CREDENTIAL]}),
    Ask("CreateAcls", 0, {"creations": [ACL]}),
)
"""What the cluster of the brokers has: one of each thing that a broker describes."""

CASES = (
    Case("Metadata", {"topics": [{"name": TOPIC}]}),
    Case("Metadata", {"topics": [{"name": "absent"}]}),
    Case("Metadata", {"topics": [{"name": None, "topicId": {"$topic": TOPIC}}]}),
    Case("ApiVersions", {"clientSoftwareName": "a", "clientSoftwareVersion": "1"}),
    Case("DescribeCluster", {}),
    Case("DescribeConfigs", {"resources": [{"resourceType": 2, "resourceName": TOPIC}]}),
    Case("DescribeAcls", ACL_FILTER),
    Case("DescribeLogDirs", {"topics": [{"topic": TOPIC, "partitions": [0]}]}),
    Case("DescribeTopicPartitions", {"topics": [{"name": TOPIC}]}),
    Case(
        "DescribeTopicPartitions",
        {"topics": [{"name": TOPIC}], "cursor": {"topicName": TOPIC, "partitionIndex": 1}},
    ),
    Case(
        "DescribeClientQuotas",
        {"components": [{"entityType": "user", "matchType": 0, "match": "alice"}]},
    ),
    Case("DescribeClientQuotas", {"components": []}),
    Case("DescribeUserScramCredentials", {"users": [{"name": "alice"}]}),
    Case("ListGroups", {"statesFilter": [], "typesFilter": []}),
    Case("ListTransactions", {"stateFilters": [], "producerIdFilters": []}),
    Case("ListConfigResources", {"resourceTypes": [16]}),
    Case("GetTelemetrySubscriptions", {"clientInstanceId": "AAAAAAAAAAAAAAAAAAAAAA"}),
    Case(
        "PushTelemetry",
        PUSH,
        before=(Ask("GetTelemetrySubscriptions", 0, {"clientInstanceId": INSTANCE}),),
        after=(Ask("PushTelemetry", 0, PUSH | {"terminating": True}),),
    ),
)
