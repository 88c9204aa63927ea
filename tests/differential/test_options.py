"""A released controller and ours with options: policies, and elections that repeat by themselves.

Both run with short intervals, so each periodic election is awaited on Kafka's side, and ours must
have written the same records by then.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.differential.generate.draft import named_uuid
from tests.differential.pair import CLUSTER_ID, Pair, started_pair
from tests.differential.policies import with_policies
from tests.differential.sequence import Ask
from tests.released.releases import RELEASES

pytestmark = pytest.mark.released
RELEASE = RELEASES["4.3.1"]
SHORT_INTERVALS = {
    "auto.leader.rebalance.enable": True,
    "leader.imbalance.check.interval.seconds": 1,
    "unclean.leader.election.interval.ms": 1_000,
    "delete.topic.enable": False,
}
PERIODS_LIMIT_S = 60.0
SET, DELETE, APPEND = range(3)
TOPIC, BROKER, GROUP, METRICS = 2, 4, 32, 16
LOST_SESSION_MS = 60_000


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    options = with_policies(RELEASE, tmp_path_factory.mktemp("policies"), SHORT_INTERVALS)
    with started_pair(RELEASE, session_timeout_ms=LOST_SESSION_MS, options=options) as pair:
        for broker_id in (1, 2):
            expect_alike(pair, registration(broker_id), heartbeat(broker_id))
        yield pair


def expect_alike(pair: Pair, *steps: Ask) -> None:
    for place, step in enumerate(steps):
        assert [] == pair.bench.compare(place, step), step


def registration(broker_id: int) -> Ask:
    features = RELEASE.profile.supported_features
    body = {
        "brokerId": broker_id,
        "clusterId": CLUSTER_ID,
        "incarnationId": named_uuid(f"incarnation-{broker_id}"),
        "listeners": [
            {"name": "PLAINTEXT", "host": "broker.test", "port": 9092, "securityProtocol": 0}
        ],
        "features": [
            {"name": name, "minSupportedVersion": low, "maxSupportedVersion": high}
            for name, low, high in features
        ],
        "rack": None,
        "isMigratingZkBroker": False,
        "logDirs": [named_uuid(f"directory-{broker_id}")],
        "previousBrokerEpoch": -1,
    }
    return Ask("BrokerRegistration", 4, body)


def heartbeat(broker_id: int, *, want_fence: bool = False) -> Ask:
    body = {
        "brokerId": broker_id,
        "brokerEpoch": {"$epoch": [broker_id, -1, 0]},
        "currentMetadataOffset": {"$end": -1},
        "wantFence": want_fence,
        "wantShutDown": False,
    }
    return Ask("BrokerHeartbeat", 1, body)


def creation(name: str, *assignment: Sequence[int], only_validates: bool = False, **of: Any) -> Ask:
    configs = [{"name": key, "value": text} for key, text in of.pop("configs", {}).items()]
    topic = {
        "name": name,
        "numPartitions": of.pop("partitions", -1),
        "replicationFactor": of.pop("replication", -1),
        "assignments": [
            {"partitionIndex": index, "brokerIds": list(replicas)}
            for index, replicas in enumerate(assignment)
        ],
        "configs": configs,
    }
    body = {"timeoutMs": 1000, "validateOnly": only_validates, "topics": [topic]}
    return Ask("CreateTopics", 7, body)


def change(name: str, *operations: tuple[str, int, str | None], kind: int = TOPIC) -> Ask:
    configs = [
        {"name": key, "configOperation": operation, "value": text}
        for key, operation, text in operations
    ]
    resource = {"resourceType": kind, "resourceName": name, "configs": configs}
    return Ask("IncrementalAlterConfigs", 1, {"validateOnly": False, "resources": [resource]})


def whole(name: str, **configs: str) -> Ask:
    entries = [{"name": key.replace("_", "."), "value": text} for key, text in configs.items()]
    resource = {"resourceType": TOPIC, "resourceName": name, "configs": entries}
    return Ask("AlterConfigs", 2, {"validateOnly": False, "resources": [resource]})


COMPACT = {"segment.ms": "777", "cleanup.policy": "compact"}


@pytest.mark.rule("4.60")
def test_a_policy_decides_about_new_topics(pair: Pair) -> None:
    expect_alike(
        pair,
        creation("refused-a", partitions=2, replication=2),
        creation("refused-b"),
        creation("refused-c", [1], [2, 1], configs=COMPACT),
        creation("refused-c", [1], [2], configs=COMPACT),
        creation("refused-d", partitions=1, replication=1, configs=COMPACT, only_validates=True),
        creation("refused-e", partitions=1, replication=9),
        creation("refused-f", partitions=0),
        creation("refused g"),
        creation("refused-h", configs={"segment.ms": "none"}),
        creation("broken", partitions=1, replication=1),
        creation("accepted", partitions=1, replication=1, configs=COMPACT),
        creation("accepted", partitions=1, replication=1, configs={"retention.ms": "5"}),
    )


@pytest.mark.rule("4.62")
def test_no_topic_is_deleted_if_that_is_disabled(pair: Pair) -> None:
    named = {"timeoutMs": 1000, "topicNames": ["accepted", "absent"]}
    identified = {"timeoutMs": 1000, "topics": [{"name": "absent"}]}
    expect_alike(
        pair,
        *(Ask("DeleteTopics", version, named) for version in range(1, 6)),
        Ask("DeleteTopics", 6, identified),
    )


@pytest.mark.rule("4.61")
def test_a_policy_decides_about_altered_configurations(pair: Pair) -> None:
    expect_alike(
        pair,
        creation("configured", partitions=1, replication=1, configs=COMPACT),
        creation("retained", partitions=1, replication=1, configs={"retention.ms": "5"}),
        creation("broken-configs", partitions=1, replication=1, configs={"segment.ms": "666"}),
        change(
            "configured",
            ("retention.ms", SET, "5"),
            ("segment.ms", DELETE, None),
            ("cleanup.policy", APPEND, "delete"),
        ),
        change("configured", ("retention.ms", DELETE, None)),
        change("configured", ("retention.ms", SET, "none")),
        change("configured", ("segment.ms", SET, "666")),
        change("absent", ("retention.ms", SET, "5")),
        change("", ("retention.ms", SET, "5"), kind=BROKER),
        change("1", ("retention.ms", SET, "5"), kind=BROKER),
        change("g", ("retention.ms", SET, "5"), kind=GROUP),
        change("m", ("retention.ms", SET, "5"), kind=METRICS),
        whole("configured", retention_ms="6"),
        whole("configured", segment_ms="778"),
    )


def expect_alike_by_themselves(pair: Pair) -> list[dict[str, Any]]:
    """Waits until Kafka has written records that nobody asked for; returns them: ours are equal."""
    kafka, ours = pair.bench.kafka, pair.bench.ours
    waited_s, batches = 0.0, kafka.appended()
    while not batches:
        assert waited_s < PERIODS_LIMIT_S, "Kafka wrote nothing"
        kafka.side.wait(0.05)
        waited_s, batches = waited_s + 0.05, kafka.appended()
    written = kafka.spelled(batches)
    while not ours.side.has_appended() and waited_s < PERIODS_LIMIT_S:
        kafka.side.wait(0.05)
        waited_s += 0.05
    assert written == ours.spelled(ours.appended())
    return written


@pytest.mark.rule("4.31")
def test_the_preferred_replica_leads_again_by_itself(pair: Pair) -> None:
    in_sync = {
        "brokerId": 2,
        "brokerEpoch": {"$epoch": [2, -1, 0]},
        "topics": [
            {
                "topicId": {"$topic": "balanced"},
                "partitions": [
                    {
                        "partitionIndex": 0,
                        "leaderEpoch": {"$leader_epoch": ["balanced", 0, 0]},
                        "newIsrWithEpochs": {"$isr_with_epochs": ["balanced", 0, [1], [], 0]},
                        "leaderRecoveryState": 0,
                        "partitionEpoch": {"$partition_epoch": ["balanced", 0, 0]},
                    }
                ],
            }
        ],
    }
    expect_alike(
        pair,
        creation("balanced", [1, 2]),
        heartbeat(1, want_fence=True),
        heartbeat(1),
        Ask("AlterPartition", 3, in_sync),
    )
    (change,) = expect_alike_by_themselves(pair)
    assert 1 == change["data"]["leader"]


@pytest.mark.rule("4.30")
def test_a_topic_that_allows_it_gets_an_unclean_leader_by_itself(pair: Pair) -> None:
    expect_alike(
        pair,
        creation("unclean", [1, 2]),
        heartbeat(2, want_fence=True),
        heartbeat(2),
        heartbeat(1, want_fence=True),
        change("unclean", ("unclean.leader.election.enable", SET, "true")),
    )
    changes = expect_alike_by_themselves(pair)
    assert 2 in [record["data"].get("leader") for record in changes]


@pytest.mark.rule("4.63", "4.64")
def test_a_client_that_creates_too_many_partitions_is_throttled(pair: Pair) -> None:
    """Kafka takes nothing from a bucket before it publishes its quota, late on a busy machine.
    It reads nothing from a throttled connection until its bucket is at 0; a second later both
    buckets have tokens. What overdraws one takes five seconds to come back, so that the next
    request meets a bucket below 0 on a busy machine too."""
    for steps in (
        (mutation_rate(4.0),),
        (
            creation("allowed", *[[2]] * 40),
            creation("no name", [2]),
            creation("overdrawn", *[[2]] * 24),
            creation("exceeding", [2]),
        ),
        (
            creation("validated", *[[2]] * 8, only_validates=True),
            growth("allowed", 41, version=2),
        ),
        (creation("overdrawn again", *[[2]] * 24), growth("allowed", 41, version=3)),
        (creation("overdrawn-again", *[[2]] * 24), growth("allowed", 42, version=3)),
        (mutation_rate(None), creation("unlimited", *[[2]] * 100)),
    ):
        expect_alike(pair, *steps)
        pair.bench.kafka.side.round_trip()  # once the connection is read again
        pair.bench.kafka.side.wait(1.0)


def mutation_rate(rate: float | None) -> Ask:
    """Sets or removes the quota of the judge, which is the client id of both sides."""
    operation = {"key": "controller_mutation_rate", "value": rate or 0.0, "remove": rate is None}
    entity = {"entityType": "client-id", "entityName": "judge"}
    return Ask(
        "AlterClientQuotas",
        1,
        {"entries": [{"entity": [entity], "ops": [operation]}], "validateOnly": False},
    )


def growth(name: str, count: int, *, version: int) -> Ask:
    topic = {"name": name, "count": count, "assignments": [{"brokerIds": [2]}]}
    body = {"topics": [topic], "timeoutMs": 1000, "validateOnly": False}
    return Ask("CreatePartitions", version, body)
