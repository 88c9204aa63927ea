"""The requests of an administrator to a cluster of 100 brokers and 100,000 partitions.

A body is JSON with Kafka's field names.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]
LARGE_TOPICS, LARGE, SMALL_TOPICS = 90, 1_000, 10_000
LARGEST = 9_999  # partitions of a new topic: one more is refused, as Kafka does (rule 0A.7)
TEN = range(40, 50)  # large topics, of 10,000 partitions together
TOPIC, BROKER, SET = 2, 4, 0
DECOMMISSION = 10_001


@dataclass(frozen=True, slots=True)
class Question:
    """A request: the API by its name without "Request", its version, and the body of a round.

    `before` and `after` are the requests that surround it in each round, unmeasured.
    """

    name: str
    api: str
    version: int
    body: Callable[[int], Body]
    before: "Question | None" = None
    after: "Question | None" = None


def large(number: int) -> str:
    """Returns the name of a topic of 1,000 partitions."""
    return f"large-{number}"


def small(number: int) -> str:
    """Returns the name of a topic of one partition."""
    return f"small-{number}"


def created(names: list[str], partitions: int = 1) -> Body:
    """Returns a CreateTopics request."""
    topics = [
        {"name": name, "numPartitions": partitions, "replicationFactor": 3, "configs": []}
        for name in names
    ]
    topics = [topic | {"assignments": []} for topic in topics]
    return {"topics": topics, "timeoutMs": 60_000, "validateOnly": False}


def _creation(name: str, count: int, partitions: int = 1) -> Question:
    after = Question("", "DeleteTopics", 6, lambda n: _deleted(count))
    return Question(
        name, "CreateTopics", 7, lambda n: created(_names(count), partitions), after=after
    )


def _deletion(name: str, count: int, partitions: int = 1) -> Question:
    before = Question("", "CreateTopics", 7, lambda n: created(_names(count), partitions))
    return Question(name, "DeleteTopics", 6, lambda n: _deleted(count), before=before)


def _names(count: int) -> list[str]:
    return [f"new-{number}" for number in range(count)]


def _deleted(count: int) -> Body:
    return _deletion_of(_names(count))


def _deletion_of(names: list[str]) -> Body:
    topics = [{"name": name, "topicId": _NO_ID} for name in names]
    return {"topics": topics, "timeoutMs": 60_000}


_NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"


def _configs(count: int) -> Callable[[int], Body]:
    def body(n: int) -> Body:
        config = {"name": "retention.ms", "configOperation": SET, "value": str(1000 + n)}
        resources = [
            {"resourceType": TOPIC, "resourceName": small(i), "configs": [config]}
            for i in range(count)
        ]
        return {"resources": resources, "validateOnly": False}

    return body


def _whole_configs(n: int) -> Body:
    config = {"name": "retention.ms", "value": str(2000 + n)}
    return {
        "resources": [{"resourceType": TOPIC, "resourceName": large(n), "configs": [config]}],
        "validateOnly": False,
    }


def _described_configs(count: int) -> Callable[[int], Body]:
    resources = [
        {"resourceType": TOPIC, "resourceName": small(i), "configurationKeys": None}
        for i in range(count)
    ]
    body = {"resources": resources, "includeSynonyms": True, "includeDocumentation": False}
    return lambda n: body


def _elections(topics: list[Body] | None) -> Callable[[int], Body]:
    return lambda n: {"electionType": 0, "topicPartitions": topics, "timeoutMs": 60_000}


def _reassigned(topics: Iterable[int], n: int | None, count: int = LARGE) -> Body:
    """Moves partitions of large topics to other brokers, in each round to others; None cancels."""

    def replicas(partition: int) -> list[int] | None:
        return None if n is None else [1 + (partition + n + k) % 100 for k in range(3)]

    moved = [{"partitionIndex": i, "replicas": replicas(i)} for i in range(count)]
    return {
        "timeoutMs": 60_000,
        "allowReplicationFactorChange": True,
        "topics": [{"name": large(topic), "partitions": moved} for topic in topics],
    }


def _quota(n: int) -> Body:
    entity = [{"entityType": "user", "entityName": f"user-{n}"}]
    ops = [{"key": "producer_byte_rate", "value": 1000.0 + n, "remove": False}]
    return {"entries": [{"entity": entity, "ops": ops}], "validateOnly": False}


def _credential(n: int) -> Body:
    upsertion = {"name": f"user-{n}", "mechanism": 1, "iterations": 4096}
    return {"deletions": [], "upsertions": [upsertion | {"salt": "cw==", "saltedPassword": "cA=="}]}


def _feature(n: int) -> Body:
    update = {
        "feature": "transaction.version",
        "maxVersionLevel": 1 + n % 2,
        "upgradeType": 2 - n % 2,
    }
    return {"timeoutMs": 60_000, "featureUpdates": [update], "validateOnly": False}


def controller_questions() -> Iterator[Question]:
    """Yields what an administrator asks the active controller."""
    yield from _of_topics()
    yield from _of_configurations()
    yield from _of_partitions()
    yield Question("DescribeQuorum", "DescribeQuorum", 2, lambda n: _QUORUM)
    yield Question("UpdateFeatures", "UpdateFeatures", 2, _feature)
    yield Question("AlterClientQuotas", "AlterClientQuotas", 1, _quota)
    yield Question("AlterUserScramCredentials", "AlterUserScramCredentials", 0, _credential)


def _of_topics() -> Iterator[Question]:
    yield _creation("CreateTopics: 1", 1)
    yield _creation("CreateTopics: 10", 10)
    yield _creation("CreateTopics: 1 of 1,000 partitions", 1, 1_000)
    yield _creation("CreateTopics: 1 of 9,999 partitions", 1, LARGEST)
    yield _creation("CreateTopics: 1,000", 1_000)
    yield _creation("CreateTopics: 3,000", 3_000)
    yield Question(
        "CreatePartitions: 1 topic, 10 more",
        "CreatePartitions",
        3,
        lambda n: _grown(small(n), 11),
    )
    yield Question(
        "CreatePartitions: 1 topic, 1,000 more",
        "CreatePartitions",
        3,
        lambda n: _grown(small(100 + n), 1_001),
    )
    yield Question(
        "CreatePartitions: 1 topic, 9,999 more",
        "CreatePartitions",
        3,
        lambda n: _grown(small(9_000 + n), 1 + LARGEST),
        after=Question("", "DeleteTopics", 6, lambda n: _deletion_of([small(9_000 + n)])),
    )
    yield _deletion("DeleteTopics: 10", 10)
    yield _deletion("DeleteTopics: 1,000", 1_000)
    yield _deletion("DeleteTopics: 9,000", 9_000)
    yield _deletion("DeleteTopics: 1 of 1,000 partitions", 1, 1_000)
    yield _deletion("DeleteTopics: 1 of 9,999 partitions", 1, LARGEST)


def _of_configurations() -> Iterator[Question]:
    yield Question("IncrementalAlterConfigs: 1 topic", "IncrementalAlterConfigs", 1, _configs(1))
    yield Question("IncrementalAlterConfigs: 1,000", "IncrementalAlterConfigs", 1, _configs(1_000))
    yield Question("IncrementalAlterConfigs: 9,000", "IncrementalAlterConfigs", 1, _configs(9_000))
    yield Question("AlterConfigs: 1 topic", "AlterConfigs", 2, _whole_configs)


def _of_partitions() -> Iterator[Question]:
    partition = [{"topic": large(0), "partitions": [0]}]
    yield Question("ElectLeaders: 1 partition", "ElectLeaders", 2, _elections(partition))
    yield Question("ElectLeaders: all partitions", "ElectLeaders", 2, _elections(None))
    many = [{"topic": large(n), "partitions": list(range(LARGE))} for n in TEN]
    yield Question("ElectLeaders: 10,000 named", "ElectLeaders", 2, _elections(many))
    name = "AlterPartitionReassignments"
    cancel = Question("", name, 1, lambda n: _reassigned(TEN, None))
    yield Question(f"{name}: 10,000", name, 1, lambda n: _reassigned(TEN, n), after=cancel)
    begin = Question("", name, 1, lambda n: _reassigned(TEN, n))
    yield Question(f"{name}: 10,000 cancelled", name, 1, cancel.body, before=begin)
    yield Question(f"{name}: 1", name, 1, lambda n: _reassigned([1], n, 1))
    yield Question(f"{name}: 1,000", name, 1, lambda n: _reassigned([1], n))
    listed: Body = {"timeoutMs": 60_000, "topics": None}
    name = "ListPartitionReassignments"
    yield Question(f"{name}: all, 1,000", name, 0, lambda n: listed)


_QUORUM: Body = {
    "topics": [{"topicName": "__cluster_metadata", "partitions": [{"partitionIndex": 0}]}]
}


def _grown(name: str, count: int) -> Body:
    topic = {"name": name, "count": count, "assignments": None}
    return {"topics": [topic], "timeoutMs": 60_000, "validateOnly": False}


def broker_questions() -> Iterator[Question]:
    """Yields what an administrator asks a broker, which answers from its image."""
    for label, names in (
        ("Metadata: 10 topics", [small(i) for i in range(10)]),
        ("Metadata: 1 of 1,000 partitions", [large(2)]),
        ("Metadata: all topics", None),
    ):
        topics = names and [{"topicId": _NO_ID, "name": name} for name in names]
        yield Question(label, "Metadata", 12, lambda n, topics=topics: _metadata(topics))
    cursor = {"topicName": large(50), "partitionIndex": 0}
    for label, body in (
        ("the first page", {"topics": [], "responsePartitionLimit": 2000, "cursor": None}),
        ("a page amid", {"topics": [], "responsePartitionLimit": 2000, "cursor": cursor}),
    ):
        name = "DescribeTopicPartitions"
        yield Question(f"{name}: {label}", name, 0, lambda n, body=body: body)
    yield Question("DescribeCluster", "DescribeCluster", 1, lambda n: _CLUSTER)
    yield Question("DescribeConfigs: 1 topic", "DescribeConfigs", 4, _described_configs(1))
    yield Question("DescribeConfigs: 1,000 topics", "DescribeConfigs", 4, _described_configs(1_000))
    name = "DescribeLogDirs"
    yield Question(f"{name}: all", name, 4, lambda n: {"topics": None})
    topic = {"topic": large(2), "partitions": list(range(LARGE))}
    yield Question(f"{name}: 1 topic", name, 4, lambda n: {"topics": [topic]})
    user = {"entityType": "user", "matchType": 2, "match": None}
    quotas: Body = {"components": [user], "strict": False}
    yield Question("DescribeClientQuotas", "DescribeClientQuotas", 1, lambda n: quotas)
    name = "DescribeUserScramCredentials"
    yield Question(f"{name}: all", name, 0, lambda n: {"users": None})
    name = "ListConfigResources"
    yield Question(f"{name}: all", name, 1, lambda n: {"resourceTypes": []})


_CLUSTER: Body = {"includeClusterAuthorizedOperations": False, "endpointType": 1}


def _metadata(topics: list[Body] | None) -> Body:
    return {
        "topics": topics,
        "allowAutoTopicCreation": False,
        "includeTopicAuthorizedOperations": False,
    }
