"""What a broker's listener replies to producers, consumers and groups."""

import logging
from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.broker_agent.directories.log_directories import simulated_directory
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import FetchPartition, FetchRequest, FetchTopic, Request
from kraftsim.controller.core.rpc.acls import (
    CreateAclsRequest,
    DeleteAclsFilter,
    DeleteAclsRequest,
    DescribeAclsRequest,
)
from kraftsim.controller.core.uuid import parse_uuid
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import from_json
from tests.batches import batch
from tests.server.envelopes import ALICE_READS, EVERYTHING
from tests.server.kafka_client import Client, connected

pytestmark = pytest.mark.realtime

NO_GROUPS = "kraftsim has no groups and no transactions"


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0, http_port=0) as cluster:
        yield cluster


@pytest.fixture
async def broker(kraft: Cluster) -> AsyncIterator[Client]:
    async with connected(kraft.bootstrap_servers) as client:
        yield client


def produced(*batches: bytes, acks: int = 1, topic: str = "t", timeout_ms: int = 0) -> Request:
    """A request with one batch for each partition from 0 on."""
    partitions = [
        {"index": index, "records": b64encode(data).decode()} for index, data in enumerate(batches)
    ]
    topics = [{"name": topic, "partitionData": partitions}]
    request: Any = from_json(
        APIS[0].request, {"acks": acks, "timeoutMs": timeout_ms, "topicData": topics}
    )
    return request


def wanted(
    offset: int = 0, *, partition: int = 0, leader_epoch: int = -1, **fields: Any
) -> FetchRequest:
    position = FetchPartition(
        partition=partition,
        current_leader_epoch=leader_epoch,
        fetch_offset=offset,
        partition_max_bytes=1_000_000,
    )
    topics = (FetchTopic(topic="t", partitions=(position,)),)
    return FetchRequest(topics=topics, **fields)


@pytest.fixture
async def topic(kraft: Cluster) -> str:
    await kraft.topics.create("t", partitions=2, replication_factor=1)
    await kraft.clock.advance("1s")
    return "t"


def records_in(frame: bytes) -> list[bytes]:
    """The values of one record a batch that a Fetch response has."""
    return [value for value in VALUES if value in frame]


UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
VALUES = [b"value-%d" % number for number in range(9)]


async def test_a_produced_batch_is_fetched(broker: Client, topic: str) -> None:
    for number in range(3):
        broker.send(0, 9, produced(batch(VALUES[number])))
        _, response = await broker.answer(0, 9)
        ((partition,),) = [topic.partition_responses for topic in response.responses]
        assert (partition.error_code, partition.base_offset) == (ErrorCode.NONE, number)

    broker.send(1, 12, wanted(1))

    assert records_in(await broker.frame()) == VALUES[1:3]


@pytest.mark.parametrize("version", [3, 8, 12])
async def test_each_partition_is_answered_by_itself(
    broker: Client, topic: str, version: int
) -> None:
    broken = batch(VALUES[1])[:-1] + b"!"
    broker.send(0, version, produced(batch(VALUES[0]), broken, batch(VALUES[2])))

    _, response = await broker.answer(0, version)

    ((first, second, third),) = [topic.partition_responses for topic in response.responses]
    assert (first.error_code, first.base_offset) == (ErrorCode.NONE, 0)
    assert second.error_code == ErrorCode.CORRUPT_MESSAGE
    assert third.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def test_null_records_are_refused(broker: Client, topic: str) -> None:
    topics = [{"name": "t", "partitionData": [{"index": 0, "records": None}]}]
    broker.send(0, 9, from_json(APIS[0].request, {"acks": 1, "topicData": topics}))

    _, response = await broker.answer(0, 9)

    ((partition,),) = [topic.partition_responses for topic in response.responses]
    assert partition.error_code == ErrorCode.INVALID_RECORD


async def test_a_fetch_waits_for_data(kraft: Cluster, broker: Client, topic: str) -> None:
    async with connected(kraft.bootstrap_servers) as consumer:
        consumer.send(1, 12, wanted(max_wait_ms=600_000, min_bytes=1))
        assert await broker.is_served()

        broker.send(0, 9, produced(batch(VALUES[0])))

        await broker.answer(0, 9)
        assert records_in(await consumer.frame()) == VALUES[:1]


async def test_a_fetch_ends_when_its_time_has_passed(
    kraft: Cluster, broker: Client, topic: str
) -> None:
    broker.send(1, 12, wanted(max_wait_ms=600_000, min_bytes=1))
    async with connected(kraft.bootstrap_servers) as other:
        assert await other.is_served()

    await kraft.clock.advance("600s")

    _, response = await broker.answer(1, 12)
    ((partition,),) = [topic.partitions for topic in response.responses]
    assert partition.error_code == ErrorCode.NONE
    assert partition.records in ((), None)


async def test_a_killed_broker_keeps_its_messages(
    kraft: Cluster, broker: Client, topic: str
) -> None:
    broker.send(0, 9, produced(batch(VALUES[0])))
    await broker.answer(0, 9)

    await kraft.brokers.kill(1)
    await kraft.brokers.restart(1, wait="60s")

    async with connected(kraft.bootstrap_servers) as again:
        again.send(1, 12, wanted())
        assert records_in(await again.frame()) == VALUES[:1]


@pytest.mark.python_modules
async def test_a_branch_has_the_messages_and_goes_its_own_way(
    kraft: Cluster, broker: Client, topic: str
) -> None:
    broker.send(0, 9, produced(batch(VALUES[0])))
    await broker.answer(0, 9)
    await kraft.snapshots.save("before")
    broker.send(0, 9, produced(batch(VALUES[1])))
    await broker.answer(0, 9)

    await kraft.snapshots.restore("before")

    async with connected(kraft.bootstrap_servers) as again:
        again.send(1, 12, wanted())
        assert records_in(await again.frame()) == VALUES[:1]


async def test_what_is_shown_of_a_produced_batch_is_its_size(
    kraft: Cluster, broker: Client, topic: str
) -> None:
    data = batch(VALUES[0])
    broker.send(0, 9, produced(data))
    await broker.answer(0, 9)

    (shown,) = await kraft.requests.list(api="Produce")

    assert f"{len(data)} bytes" in str(shown)
    assert b64encode(VALUES[0]).decode()[:6] not in str(shown)


async def test_a_path_that_is_no_log_directory_is_not_found(kraft: Cluster, broker: Client) -> None:
    own = simulated_directory(parse_uuid((await kraft.brokers.show(1))["logDirs"][0])).path
    for path, code in (("/nowhere", ErrorCode.LOG_DIR_NOT_FOUND), (own, UNKNOWN)):
        dirs = [{"path": path, "topics": [{"name": "t", "partitions": [0, 1]}]}]
        broker.send(34, 2, from_json(APIS[34].request, {"dirs": dirs}))

        _, response = await broker.answer(34, 2)

        (topic,) = response.results
        assert [partition.error_code for partition in topic.partitions] == [code] * 2


async def test_the_first_refusal_is_warned_of(
    broker: Client, caplog: pytest.LogCaptureFixture
) -> None:
    request: Any = from_json(APIS[10].request, {"coordinatorKeys": ["k"]})
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            broker.send(10, 6, request)
            await broker.answer(10, 6)

    warnings = [row.message for row in caplog.records if "was refused" in row.message]
    assert len(warnings) == 1
    assert NO_GROUPS in warnings[0]


async def test_acks_0_is_answered_by_nothing_and_stored(broker: Client, topic: str) -> None:
    broker.send(0, 9, produced(batch(VALUES[0]), acks=0))

    broker.send(1, 12, wanted())

    assert records_in(await broker.frame()) == VALUES[:1]


async def test_a_refusal_of_acks_0_ends_the_connection_and_is_warned_of_once(
    kraft: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            async with connected(kraft.bootstrap_servers) as broker:
                broker.send(0, 9, produced(batch(VALUES[0]), acks=0, topic="absent"))
                assert await broker.reader.read() == b""

    warnings = [row.message for row in caplog.records if "acks=0" in row.message]
    assert len(warnings) == 1
    async with ClientSession() as session, session.get(kraft.http_url + "/metrics") as response:
        text = await response.text()
    assert "kraftsim_produce_requests_lost_total 3.0" in text


@pytest.mark.parametrize("version", [4, 12, 13, 18])
async def test_an_unknown_partition_is_no_error_of_the_whole(broker: Client, version: int) -> None:
    position = FetchPartition(partition=0, fetch_offset=0)
    named = {"topic": "t"} if version < 13 else {"topic_id": bytes(15) + b"7"}
    broker.send(1, version, FetchRequest(topics=(FetchTopic(**named, partitions=(position,)),)))

    _, response = await broker.answer(1, version)

    assert response.error_code == ErrorCode.NONE
    ((partition,),) = [topic.partitions for topic in response.responses]
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if version < 13 else ErrorCode.UNKNOWN_TOPIC_ID
    assert partition.error_code == unknown
    assert [topic.topic for topic in response.responses] == [named.get("topic", "")]


@pytest.mark.parametrize(("replica_id", "is_in_order"), [(-1, False), (5, True)])
async def test_a_follower_gets_unknown_partitions_in_its_order(
    kraft: Cluster, broker: Client, topic: str, replica_id: int, is_in_order: bool
) -> None:
    known = parse_uuid((await kraft.topics.describe(topic))["topicId"])
    asked = {known: 7, bytes(15) + b"7": 0}
    topics = tuple(
        FetchTopic(topic_id=id, partitions=(FetchPartition(partition=index, fetch_offset=0),))
        for id, index in asked.items()
    )
    broker.send(1, 13, FetchRequest(replica_id=replica_id, topics=topics))

    _, response = await broker.answer(1, 13)

    found = [of.topic_id for of in response.responses]
    assert found == (list(asked) if is_in_order else [*asked][::-1])


@pytest.mark.parametrize(
    ("key_type", "code"),
    [(0, ErrorCode.POLICY_VIOLATION), (1, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)],
)
async def test_no_coordinator_is_found(broker: Client, key_type: int, code: ErrorCode) -> None:
    body = {"coordinatorKeys": ["k"], "keyType": key_type}
    request: Any = from_json(APIS[10].request, body)
    broker.send(10, 6, request)

    _, response = await broker.answer(10, 6)

    (coordinator,) = response.coordinators
    assert (coordinator.key, coordinator.error_code) == ("k", code)
    assert NO_GROUPS in coordinator.error_message


@pytest.mark.parametrize("key", [38, 39, 40, 41])
async def test_delegation_tokens_are_not_allowed_in_plaintext(broker: Client, key: int) -> None:
    request: Any = from_json(APIS[key].request, {})
    broker.send(key, APIS[key].max_version, request)

    _, response = await broker.answer(key, APIS[key].max_version)

    assert response.error_code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED


async def test_acls_are_refused_as_without_an_authorizer(broker: Client) -> None:
    broker.send(29, 3, DescribeAclsRequest(**EVERYTHING))
    broker.send(30, 3, CreateAclsRequest(creations=(ALICE_READS,) * 2))
    broker.send(31, 3, DeleteAclsRequest(filters=(DeleteAclsFilter(**EVERYTHING),)))

    described = (await broker.answer(29, 3))[1]
    created = (await broker.answer(30, 3))[1]
    deleted = (await broker.answer(31, 3))[1]

    refusals = [described, *created.results, *deleted.filter_results]
    assert [row.error_code for row in refusals] == [ErrorCode.SECURITY_DISABLED] * 4
    assert [row.error_message for row in refusals] == [
        "No Authorizer is configured on the broker",
        *["No Authorizer is configured."] * 3,
    ]


async def test_topics_and_log_directories_are_described(kraft: Cluster, broker: Client) -> None:
    await kraft.topics.create("t", partitions=2, replication_factor=1)
    await kraft.clock.advance("3s")
    for key in (75, 35):
        request: Any = from_json(APIS[key].request, {} if key == 75 else {"topics": None})
        broker.send(key, APIS[key].max_version, request)

    _, topics = await broker.answer(75, 0)
    _, directories = await broker.answer(35, 5)

    assert [(topic.name, len(topic.partitions)) for topic in topics.topics] == [("t", 2)]
    assert [topic.name for row in directories.results for topic in row.topics] == ["t"]


@pytest.mark.parametrize("key", [16, 66])
async def test_groups_and_transactions_are_listed_as_none(broker: Client, key: int) -> None:
    request: Any = from_json(APIS[key].request, {})
    broker.send(key, APIS[key].max_version, request)

    _, response = await broker.answer(key, APIS[key].max_version)

    assert response == APIS[key].response.model()
