"""rpc.* against clients: on the Kafka listeners of controllers and brokers, and over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.rpc import (
    ApiVersionsRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    DescribeClusterRequest,
    DescribeQuorumRequest,
    FetchRequest,
    MetadataRequest,
    Request,
    UnregisterBrokerRequest,
    VoteRequest,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.errors import ConnectionClosed
from tests.kraftsim.conftest import CLUSTER_ID, Http
from tests.limits import LIMIT_S
from tests.server.kafka_client import Client

ASKED: dict[str, tuple[int, Request]] = {
    "Metadata": (3, MetadataRequest()),
    "ApiVersions": (18, ApiVersionsRequest()),
    "DescribeQuorum": (55, DescribeQuorumRequest()),
    "DescribeCluster": (60, DescribeClusterRequest(endpoint_type=2)),
    "BrokerRegistration": (
        62,
        BrokerRegistrationRequest(
            broker_id=9, cluster_id=CLUSTER_ID, incarnation_id=ZERO_UUID, features=()
        ),
    ),
    "BrokerHeartbeat": (
        63,
        BrokerHeartbeatRequest(
            broker_id=9, current_metadata_offset=0, want_fence=False, want_shut_down=False
        ),
    ),
    "UnregisterBroker": (64, UnregisterBrokerRequest(broker_id=9)),
    "Vote": (52, VoteRequest(cluster_id=CLUSTER_ID)),
    "Fetch": (1, FetchRequest(cluster_id=CLUSTER_ID)),
}
AT = {"controller": set(ASKED) - {"Metadata"}, "broker": {"Metadata", "ApiVersions"}}
BOTH = [(listener, api) for listener, apis in AT.items() for api in sorted(apis)]
every_api = pytest.mark.parametrize(("listener", "api"), BOTH)
CODE = 77


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    ports = {"kafka_port": 0, "controller_port": 0, "http_port": 0}
    async with Cluster(
        brokers=1, clock="virtual", seed=1, cluster_id=CLUSTER_ID, **ports
    ) as cluster:
        yield cluster


@asynccontextmanager
async def client_of(kraft: Cluster, listener: str) -> AsyncIterator[Client]:
    servers = kraft.bootstrap_servers if listener == "broker" else kraft.bootstrap_controllers
    host, _, port = servers.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


def ask(client: Client, api: str) -> None:
    key, request = ASKED[api]
    client.send(key, APIS[key].max_version, request)


async def answer_to(client: Client, api: str) -> Any:
    key, _ = ASKED[api]
    return (await client.answer(key, APIS[key].max_version))[1]


async def is_closed(client: Client) -> bool:
    return await asyncio.wait_for(client.reader.read(), LIMIT_S) == b""


async def added(kraft: Cluster, verb: str, api: str, listener: str, **words: object) -> Any:
    match = {"api": api, "listener": listener, "client_id": "test"}
    return await kraft.faults.add({verb: match | words})


@every_api
async def test_an_error_is_the_reply(kraft: Cluster, listener: str, api: str) -> None:
    fault = await added(kraft, "rpc.error", api, listener, code=CODE)
    async with client_of(kraft, listener) as client:
        ask(client, api)
        reply = await answer_to(client, api)
        await fault.remove()
        ask(client, api)
        later = await answer_to(client, api)

    has_code = "error_code" in type(reply).__slots__ and api != "Metadata"
    assert (reply.error_code if has_code else CODE, fault.hits) == (CODE, 1)
    assert getattr(later, "error_code", 0) != CODE or api == "BrokerHeartbeat"


@every_api
async def test_a_lost_request_has_no_reply_until_the_client_leaves(
    kraft: Cluster, listener: str, api: str
) -> None:
    fault = await added(kraft, "rpc.drop", api, listener)
    async with client_of(kraft, listener) as client:
        ask(client, api)
        client.ask_versions(99)  # waits behind the lost request
        await _until_hit(fault)
        client.ask_versions(100)  # is forgotten
        client.writer.write_eof()

        assert await is_closed(client)


@every_api
@pytest.mark.parametrize("apply", ["before", "after"])
async def test_a_connection_is_closed_instead(
    kraft: Cluster, listener: str, api: str, apply: str
) -> None:
    await added(kraft, "rpc.close", api, listener, apply=apply)
    async with client_of(kraft, listener) as client:
        client.ask_versions(98) if api != "ApiVersions" else None
        ask(client, api)
        client.ask_versions(99)
        if api != "ApiVersions":  # the reply before the fault arrives
            assert (await client.answer(18, 3))[0] == 98

        assert await is_closed(client)


@every_api
async def test_half_a_reply_is_followed_by_the_end(kraft: Cluster, listener: str, api: str) -> None:
    await added(kraft, "rpc.truncate", api, listener)
    async with client_of(kraft, listener) as client:
        ask(client, api)
        half = await asyncio.wait_for(client.reader.read(), LIMIT_S)

    assert 4 < len(half) < 4 + int.from_bytes(half[:4])


@every_api
async def test_one_byte_of_a_corrupt_reply_differs(kraft: Cluster, listener: str, api: str) -> None:
    fault = await added(kraft, "rpc.corrupt", api, listener, count=1)
    async with client_of(kraft, listener) as client:
        ask(client, api)
        corrupt = await client.frame()
        ask(client, api)
        whole = await client.frame()

    wrong = [at for at, byte in enumerate(corrupt) if byte ^ whole[at] == 0xFF]
    assert (fault.hits, len(wrong), len(corrupt)) == (1, 1, len(whole))
    assert wrong[0] >= 4


@every_api
async def test_a_held_request_is_handled_when_it_is_released(
    kraft: Cluster, listener: str, api: str
) -> None:
    fault = await added(kraft, "rpc.hold", api, listener)
    async with client_of(kraft, listener) as client:
        ask(client, api)
        await _until_hit(fault)
        await fault.remove()

        assert type(await answer_to(client, api)).__name__ == f"{api}Response"


async def _until_hit(fault: Any) -> None:
    async with asyncio.timeout(20):
        while not fault.hits:  # noqa: ASYNC110  # a fault has no event of its hits
            await asyncio.sleep(0)


@every_api
async def test_a_delayed_request_is_handled_later(kraft: Cluster, listener: str, api: str) -> None:
    fault = await added(kraft, "rpc.delay", api, listener, by="5s")
    async with client_of(kraft, listener) as client:
        ask(client, api)
        await _until_hit(fault)
        await kraft.clock.advance("5s")

        assert type(await answer_to(client, api)).__name__ == f"{api}Response"


@every_api
async def test_a_throttled_reply_says_how_long_to_wait(
    kraft: Cluster, listener: str, api: str
) -> None:
    await added(kraft, "rpc.throttle", api, listener, by="700ms")
    async with client_of(kraft, listener) as client:
        ask(client, api)
        reply = await answer_to(client, api)

    assert getattr(reply, "throttle_time_ms", 700) == 700


@pytest.mark.parametrize("verb", ["rpc.duplicate", "rpc.observe"])
@every_api
async def test_a_request_that_is_repeated_or_observed_has_one_reply(
    kraft: Cluster, listener: str, api: str, verb: str
) -> None:
    fault = await added(kraft, verb, api, listener)
    async with client_of(kraft, listener) as client:
        ask(client, api)
        reply = await answer_to(client, api)

        assert type(reply).__name__ == f"{api}Response"
        assert fault.hits == 1
        await fault.remove()
        assert await client.is_served()


@pytest.mark.parametrize(
    ("words", "hits"),
    [
        ({}, 1),
        ({"versions": [2]}, 1),
        ({"versions": [0, 1]}, 0),
        ({"client_id": "other"}, 0),
        ({"broker": 9}, 1),
        ({"broker": 8}, 0),
        ({"controller": 3000}, 1),
        ({"epoch": -1}, 1),
        ({"epoch": 5}, 0),
    ],
)
async def test_the_words_of_a_client_request_match(kraft: Cluster, words: Any, hits: int) -> None:
    fault = await added(kraft, "rpc.observe", "BrokerHeartbeat", "controller", **words)
    async with client_of(kraft, "controller") as client:
        ask(client, "BrokerHeartbeat")
        await answer_to(client, "BrokerHeartbeat")

    assert fault.hits == hits


@pytest.mark.parametrize(("incarnation", "hits"), [("A" * 22, 1), ("B" * 22, 0)])
async def test_a_registration_matches_by_its_incarnation(
    kraft: Cluster, incarnation: str, hits: int
) -> None:
    words = {"api": ["BrokerRegistration", "BrokerHeartbeat"], "incarnation": incarnation}
    fault = await kraft.faults.add({"rpc.observe": words})
    async with client_of(kraft, "controller") as client:
        for api in words["api"]:
            ask(client, api)
            await answer_to(client, api)

    assert fault.hits == hits


async def test_no_time_passes_for_a_held_request() -> None:
    ports = {"kafka_port": 0, "controller_port": 0}
    async with Cluster(brokers=1, clock="auto", seed=1, cluster_id=CLUSTER_ID, **ports) as kraft:
        fault = await kraft.faults.add({"rpc.hold": {"api": "UnregisterBroker"}})
        before_us = kraft.world.timeline.now_us
        async with client_of(kraft, "broker") as client:
            ask(client, "UnregisterBroker")
            await _until_hit(fault)
            async with client_of(kraft, "controller") as other:
                assert await other.is_served()
            passed_us = kraft.world.timeline.now_us - before_us
            await fault.remove()
            await answer_to(client, "UnregisterBroker")

    assert passed_us < 10_000_000


async def test_time_passes_again_for_a_request_that_was_held() -> None:
    ports = {"kafka_port": 0, "controller_port": 0}
    async with Cluster(brokers=1, clock="auto", seed=1, cluster_id=CLUSTER_ID, **ports) as kraft:
        hold = await kraft.faults.add({"rpc.hold": {"api": "DescribeQuorum"}})
        await kraft.faults.add({"rpc.delay": {"api": "DescribeQuorum", "by": "5s"}})
        async with client_of(kraft, "controller") as client:
            ask(client, "DescribeQuorum")
            await _until_hit(hold)
            before_us = kraft.world.timeline.now_us
            await hold.remove()
            await answer_to(client, "DescribeQuorum")

        assert kraft.world.timeline.now_us - before_us >= 5_000_000


async def test_a_request_that_a_broker_forwards_is_affected_once(kraft: Cluster) -> None:
    fault = await kraft.faults.add({"rpc.observe": {"api": "UnregisterBroker"}})
    async with client_of(kraft, "broker") as client:
        ask(client, "UnregisterBroker")
        await _until_hit(fault)
        await kraft.clock.advance("1s")
        await answer_to(client, "UnregisterBroker")

    assert fault.hits == 1


async def test_http_gets_the_error_and_the_request_is_not_applied(
    http: Http, kraft: Cluster
) -> None:
    topic = {"topics": [{"name": "orders", "numPartitions": 1, "replicationFactor": 1}]}
    await kraft.faults.add({"rpc.error": {"api": "CreateTopics", "code": 41, "count": 1}})
    await kraft.faults.add(
        {"rpc.error": {"api": "UnregisterBroker", "code": "BROKER_ID_NOT_REGISTERED"}}
    )

    refused = await http.kafka("CreateTopics", **topic)
    topics = await kraft.topics.list()
    created = await http.kafka("CreateTopics", **topic)
    unknown = await http.kafka("UnregisterBroker", brokerId=1)

    assert refused.document["topics"][0]["errorCode"] == 41
    assert (topics, len(await kraft.topics.list())) == ([], 1)
    assert created.document["topics"][0]["errorCode"] == 0
    assert unknown.refusal == (404, 102, "BROKER_ID_NOT_REGISTERED")
    assert "unfenced" in kraft.brokers.states_of(1)


async def test_an_applied_request_over_http_may_answer_with_an_error(
    http: Http, kraft: Cluster
) -> None:
    topic = {"topics": [{"name": "orders", "numPartitions": 1, "replicationFactor": 1}]}
    words = {"api": "CreateTopics", "code": "REQUEST_TIMED_OUT", "apply": "after"}
    await kraft.faults.add({"rpc.error": words})

    refused = await http.kafka("CreateTopics", **topic)

    assert refused.document["topics"][0]["errorCode"] == 7
    assert [row["name"] for row in await kraft.topics.list()] == ["orders"]


CLOSED, DAMAGED = "the fault bad closed the connection: ", "the fault bad damaged the reply: "
HANDLED = "the request was handled, and its reply is lost"


@pytest.mark.parametrize(
    ("verb", "words", "message", "topics"),
    [
        ("rpc.close", {}, f"{CLOSED}the request was not handled", 0),
        ("rpc.close", {"apply": "after"}, f"{CLOSED}{HANDLED}", 1),
        ("rpc.truncate", {}, f"{DAMAGED}{HANDLED}", 1),
        ("rpc.corrupt", {}, f"{DAMAGED}{HANDLED}", 1),
    ],
)
async def test_a_closed_connection_names_its_fault_and_whether_the_request_was_handled(
    http: Http, kraft: Cluster, verb: str, words: dict[str, object], message: str, topics: int
) -> None:
    topic = {"topics": [{"name": "orders", "numPartitions": 1, "replicationFactor": 1}]}
    fault = {verb: {"api": "CreateTopics", **words}, "id": "bad"}
    await kraft.faults.add(fault)

    closed = await http.kafka("CreateTopics", **topic)

    assert closed.refusal == (502, -1, "CONNECTION_CLOSED")
    assert (closed.message, len(await kraft.topics.list())) == (message, topics)
    with pytest.raises(ConnectionClosed, match=message):
        await kraft.topics.create("invoices")


@pytest.mark.parametrize("endpoint", [1, 2])
async def test_http_describes_the_cluster_through_the_faults(http: Http, endpoint: int) -> None:
    fault = {"rpc.error": {"api": "DescribeCluster", "code": 41, "count": 1}}
    await http.post("/sim/faults", {"fault": fault})

    refused = await http.kafka("DescribeCluster", endpointType=endpoint)
    described = await http.kafka("DescribeCluster", endpointType=endpoint)

    assert (refused.document["errorCode"], described.document["errorCode"]) == (41, 0)
    assert described.document["brokers"]
