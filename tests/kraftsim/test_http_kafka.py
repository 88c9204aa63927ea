"""Kafka's APIs over HTTP: JSON in, JSON out, refusals with a number, a name and a reason."""

from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.http.app import status_of
from kraftsim.http.kafka_json import http_error_name
from tests.kraftsim.conftest import CLUSTER_ID, Http

pytestmark = pytest.mark.realtime

INCARNATION = "AAAAAAAAAAAAAAAAAAAAaA"
OTHER_INCARNATION = "AAAAAAAAAAAAAAAAAAAAbA"
LISTENER = {"name": "PLAINTEXT", "host": "b9", "port": 9100, "securityProtocol": 0}


def registration(broker_id: int = 9, **changes: object) -> dict[str, object]:
    return {
        "brokerId": broker_id,
        "clusterId": CLUSTER_ID,
        "incarnationId": INCARNATION,
        "listeners": [LISTENER],
        **changes,
    }


async def beat(http: Http, broker_id: int, epoch: int, *, want_fence: bool = False) -> Any:
    return await http.kafka(
        "BrokerHeartbeat",
        brokerId=broker_id,
        brokerEpoch=epoch,
        currentMetadataOffset=1000,
        wantFence=want_fence,
        wantShutDown=False,
    )


@pytest.mark.rule("1.26")
async def test_a_broker_registers_without_naming_features_and_is_unfenced_by_its_heartbeat(
    http: Http,
) -> None:
    registered = await http.kafka("BrokerRegistration", **registration())
    assert (registered.status, registered.document["errorCode"]) == (200, 0)
    epoch = registered.document["brokerEpoch"]
    shown = (await http.get("/v1/brokers/9")).document
    assert (shown["brokerEpoch"], shown["fenced"]) == (epoch, True)
    assert shown["listeners"] == [LISTENER]

    answered = await beat(http, 9, epoch)

    assert answered.status == 200
    assert answered.document == {
        "errorCode": 0,
        "throttleTimeMs": 0,
        "isCaughtUp": True,
        "isFenced": False,
        "shouldShutDown": False,
    }
    assert not (await http.get("/v1/brokers/9")).document["fenced"]


@pytest.mark.rule("1.9")
async def test_a_wrong_cluster_id_is_refused_and_leaves_no_trace(http: Http) -> None:
    views = ("/v1/cluster", "/v1/brokers", "/v1/topics", "/v1/log", "/v1/events")
    before = [await http.get(view) for view in views]

    for broker_id in (1, 9):
        refused = await http.kafka(
            "BrokerRegistration", **registration(broker_id, clusterId="another")
        )
        assert refused.refusal == (400, 104, "INVALID_CLUSTER_ID")
        assert refused.message == f"Expected cluster ID {CLUSTER_ID}, but got cluster ID another"
        assert refused.document["brokerEpoch"] == -1

    assert [await http.get(view) for view in views] == before


@pytest.mark.rule("1.10")
async def test_a_second_incarnation_of_a_live_broker_is_a_duplicate(http: Http) -> None:
    refused = await http.kafka("BrokerRegistration", **registration(1))

    assert refused.refusal == (409, 101, "DUPLICATE_BROKER_REGISTRATION")


@pytest.mark.rule("8.13")
async def test_an_amended_registration_keeps_epoch_and_start_time(
    http: Http, kraft: Cluster
) -> None:
    epoch = (await http.kafka("BrokerRegistration", **registration())).document["brokerEpoch"]
    before = (await http.get("/v1/brokers/9")).document
    await kraft.clock.advance("4s")

    again = await http.kafka("BrokerRegistration", **registration(rack="r9"))
    after = (await http.get("/v1/brokers/9")).document

    assert again.document["brokerEpoch"] == epoch
    assert after == before | {"rack": "r9"}


@pytest.mark.rule("8.12", "8.13")
async def test_a_new_incarnation_has_a_new_start_time(http: Http, kraft: Cluster) -> None:
    await http.kafka("BrokerRegistration", **registration())
    before = (await http.get("/v1/brokers/9")).document["startTimeMs"]
    await kraft.clock.advance("12s")

    replaced = await http.kafka(
        "BrokerRegistration", **registration(incarnationId=OTHER_INCARNATION)
    )

    assert replaced.status == 200
    assert (await http.get("/v1/brokers/9")).document["startTimeMs"] == before + 12_000


@pytest.mark.rule("2.7")
@pytest.mark.parametrize(
    ("broker_id", "epoch", "message"),
    [
        (1, 1, "Expected broker epoch 13, but got broker epoch 1"),
        (77, 1, "Receive a heartbeat from broker 77 before registration"),
    ],
)
async def test_a_heartbeat_of_a_stale_epoch_or_an_unknown_id_is_77(
    http: Http, broker_id: int, epoch: int, message: str
) -> None:
    refused = await beat(http, broker_id, epoch)

    assert refused.refusal == (409, 77, "STALE_BROKER_EPOCH")
    assert refused.message == message
    assert refused.document["isFenced"] is True


async def test_a_listener_with_an_impossible_port_is_refused(http: Http) -> None:
    refused = await http.kafka(
        "BrokerRegistration", **registration(listeners=[LISTENER | {"port": 0}])
    )

    assert refused.refusal == (400, 119, "INVALID_REGISTRATION")
    assert "expected a port from 1 to 65535, got 0" in refused.message


@pytest.mark.rule("1.20")
async def test_a_broker_that_lacks_a_finalized_feature_is_refused(http: Http) -> None:
    old = {"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 7}

    refused = await http.kafka("BrokerRegistration", **registration(features=[old]))

    assert refused.refusal == (400, 35, "UNSUPPORTED_VERSION")


@pytest.mark.rule("3.3")
async def test_an_unregistered_broker_is_gone_and_then_unknown(http: Http) -> None:
    gone = await http.kafka("UnregisterBroker", brokerId=3)
    unknown = await http.kafka("UnregisterBroker", brokerId=3)

    assert (gone.status, gone.document["errorCode"]) == (200, 0)
    assert unknown.refusal == (404, 102, "BROKER_ID_NOT_REGISTERED")
    assert unknown.message == "Broker ID 3 is not currently registered"


async def test_a_decommissioned_broker_leaves_every_assignment(http: Http, kraft: Cluster) -> None:
    await kraft.topics.create("orders", assignments=[(1, 3), (3, 2)])

    done = await http.kafka("DecommissionBroker", brokerId=3)
    (topic,) = (await http.get("/v1/topics")).document["topics"]

    assert (done.status, done.document["errorCode"]) == (200, 0)
    assert [partition["replicas"] for partition in topic["partitions"]] == [[1], [2]]
    assert [partition["leader"] for partition in topic["partitions"]] == [1, 2]


async def test_decommissioning_refuses_strangers_and_last_replicas(
    http: Http, kraft: Cluster
) -> None:
    await kraft.topics.create("alone", assignments=[(2,)])

    unknown = await http.kafka("DecommissionBroker", brokerId=77)
    required = await http.kafka("DecommissionBroker", brokerId=2, force=False)
    forced = await http.kafka("DecommissionBroker", brokerId=2, force=True)

    assert unknown.refusal == (404, 8, "BROKER_NOT_AVAILABLE")
    assert required.refusal == (409, 10001, "BROKER_REQUIRED_FOR_PARTITIONS")
    assert forced.status == 200


async def test_topics_come_and_go_each_with_its_own_code(http: Http) -> None:
    orders = {"name": "orders", "numPartitions": 2, "replicationFactor": 3}
    created = await http.kafka("CreateTopics", topics=[orders, {"name": "bad name"}])
    deleted = await http.kafka("DeleteTopics", topics=[{"name": "orders"}, {"name": "none"}])

    assert (created.status, created.document["errorCode"]) == (200, 0)
    assert [(topic["name"], topic["errorCode"]) for topic in created.document["topics"]] == [
        ("orders", 0),
        ("bad name", 17),
    ]
    assert {
        (response["name"], response["errorCode"]) for response in deleted.document["responses"]
    } == {
        ("orders", 0),
        ("none", 3),
    }


@pytest.mark.rule("0A.9")
async def test_a_timeout_of_zero_is_an_error_of_the_client(http: Http) -> None:
    partitions = [{"topic": "orders", "partitions": [0]}]
    late = await http.kafka("ElectLeaders", topicPartitions=partitions, timeoutMs=0)

    assert (late.status, late.document["errorCode"]) == (400, ErrorCode.REQUEST_TIMED_OUT)


@pytest.mark.rule("5.17")
async def test_a_described_cluster_has_fenced_brokers_only_when_asked(
    http: Http, kraft: Cluster
) -> None:
    await kraft.brokers.kill(2)
    await kraft.wait(broker=2, state="fenced")

    plain = await http.kafka("DescribeCluster")
    asked = await http.kafka("DescribeCluster", includeFencedBrokers=True)

    assert [broker["brokerId"] for broker in plain.document["brokers"]] == [1, 3]
    fenced = {broker["brokerId"]: broker["isFenced"] for broker in asked.document["brokers"]}
    assert fenced == {1: False, 2: True, 3: False}
    assert all(broker["startTimeMs"] > 0 for broker in asked.document["brokers"])


@pytest.mark.rule("5.8", "5.14")
async def test_an_endpoint_type_chooses_controllers_and_a_third_one_is_refused(http: Http) -> None:
    controllers = await http.kafka("DescribeCluster", endpointType=2)
    refused = await http.kafka("DescribeCluster", endpointType=3)

    assert [broker["brokerId"] for broker in controllers.document["brokers"]] == [3000]
    assert refused.refusal == (400, 115, "UNSUPPORTED_ENDPOINT_TYPE")
    assert refused.message == "Unsupported endpoint type 3"


async def test_a_version_is_checked_against_those_of_the_api(http: Http) -> None:
    good = await http.post("/kafka/DescribeCluster?version=2", {})
    answers = [
        await http.post(f"/kafka/DescribeCluster?version={wrong}", {})
        for wrong in ("3", "-1", "x", "9" * 5000)
    ]

    assert good.status == 200
    assert {answer.refusal for answer in answers} == {(400, 42, "INVALID_REQUEST")}
    assert answers[0].message == "version: expected 0 to 2 of DescribeCluster, got '3'"


async def test_an_unknown_api_names_the_nearest(http: Http) -> None:
    refused = await http.kafka("BrokerHeartbeet")

    assert refused.refusal == (400, 42, "INVALID_REQUEST")
    assert refused.message == "expected 'BrokerHeartbeat' (nearest), got 'BrokerHeartbeet'"


@pytest.mark.parametrize("name", ["DescribeConfigs", "DescribeLogDirs", "Produce", "JoinGroup"])
async def test_an_api_of_brokers_is_no_slip_of_the_pen(name: str, http: Http) -> None:
    refused = await http.kafka(name)

    assert refused.refusal == (400, 42, "INVALID_REQUEST")
    assert f"got {name!r}: ask a broker at its Kafka listener" in refused.message


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (0, 200),
        (ErrorCode.INCONSISTENT_CLUSTER_ID, 400),
        (ErrorCode.INVALID_REQUEST, 400),
        (ErrorCode.BROKER_NOT_AVAILABLE, 404),
        (ErrorCode.BROKER_ID_NOT_REGISTERED, 404),
        (ErrorCode.DUPLICATE_BROKER_REGISTRATION, 409),
        (ErrorCode.STALE_BROKER_EPOCH, 409),
        (ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS, 409),
        (ErrorCode.NOT_CONTROLLER, 421),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, 421),
        (ErrorCode.VOTER_NOT_FOUND, 404),
        (ErrorCode.DUPLICATE_VOTER, 409),
        (ErrorCode.REQUEST_TIMED_OUT, 504),
        (12345, 400),
    ],
)
def test_every_error_has_its_status(code: int, status: int) -> None:
    assert status_of(code) == status


def test_an_error_has_kafkas_name_but_for_the_wrong_cluster() -> None:
    assert http_error_name(104) == "INVALID_CLUSTER_ID"
    assert http_error_name(77) == "STALE_BROKER_EPOCH"
    assert http_error_name(12345) == "ERROR_12345"
