"""A broker forwards its clients' requests in envelopes: ours opens them as Kafka 4.3.1 does."""

from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    IncrementalAlterConfigsResponse,
)
from kraftsim.controller.core.rpc.envelope import EnvelopeResponse
from kraftsim.controller.wire.codec import decode_source
from kraftsim.controller.wire.frames import decode_response
from tests.server.envelopes import (
    CASES,
    ENVELOPE,
    LOOPBACK_IPV6,
    UNREGISTRATION,
    Sent,
    head,
    spelled,
)
from tests.server.kafka_client import Client, connected

pytestmark = pytest.mark.realtime

ORDERS = CreatableTopic(name="orders", num_partitions=1, replication_factor=1)
CREATION = spelled(19, 7, CreateTopicsRequest(topics=(ORDERS,)))
BROKER = 4
OF_ACLS = {"CreateAcls": 30, "DeleteAcls": 31}


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=1, clock="virtual", seed=1, controller_port=0, profile="kafka-4.3"
    ) as cluster:
        yield cluster


@pytest.fixture
async def client(kraft: Cluster) -> AsyncIterator[Client]:
    async with connected(kraft.bootstrap_controllers) as connection:
        yield connection


async def exchanged(client: Client, frame: bytes) -> bytes:
    client.writer.write(len(frame).to_bytes(4) + frame)
    return await client.frame()


async def answer_to(client: Client, sent: Sent) -> EnvelopeResponse:
    _, response = decode_response(ENVELOPE, 0, await exchanged(client, sent.request))
    assert isinstance(response, EnvelopeResponse)
    return response


@pytest.mark.parametrize("case", CASES)
async def test_an_envelope_is_answered_as_the_request_in_it_or_refused(
    client: Client, case: str
) -> None:
    sent = CASES[case]

    response = await answer_to(client, sent)

    alone = None if sent.code else await exchanged(client, sent.data)
    assert response == EnvelopeResponse(response_data=alone, error_code=sent.code)
    assert await client.is_served()


@pytest.mark.parametrize("api", OF_ACLS)
async def test_a_forwarded_version_that_kafka_4_removed_is_unsupported(
    client: Client, api: str
) -> None:
    response = await answer_to(client, Sent(head(OF_ACLS[api], 0) + bytes(8)))

    assert response == EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)


async def test_a_topic_is_created_through_an_envelope(kraft: Cluster, client: Client) -> None:
    response = await answer_to(client, Sent(CREATION))

    _, created = decode_response(19, 7, response.response_data or b"")
    assert [topic.error_code for topic in created.topics] == [0]  # type: ignore[union-attr]
    assert [topic["name"] for topic in await kraft.topics.list()] == ["orders"]


@pytest.mark.rule("0A.2")
async def test_a_controller_that_is_not_active_refuses_the_envelope_itself() -> None:
    async with Cluster(
        brokers=0, controllers=3, clock="virtual", seed=1, controller_port=0
    ) as kraft:
        codes = []
        for address in kraft.bootstrap_controllers.split(","):
            async with connected(address) as client:
                response = await answer_to(client, Sent(CREATION))
                codes.append(response.error_code)
                assert (response.response_data is None) == bool(response.error_code)

    assert sorted(codes) == [0, ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_CONTROLLER]


async def test_the_journal_has_the_request_of_the_client_and_its_address(
    kraft: Cluster, client: Client
) -> None:
    await answer_to(client, Sent(UNREGISTRATION, address=LOOPBACK_IPV6))
    await answer_to(client, Sent(UNREGISTRATION, address=b""))

    (forwarded,) = await kraft.requests.list("UnregisterBroker")
    assert (forwarded["clientAddress"], forwarded["clientId"]) == ("::1", "client")
    assert forwarded["body"] == {"brokerId": 5}
    (refused,) = await kraft.requests.list("Envelope")
    assert refused["clientAddress"] == "127.0.0.1"


async def test_a_fault_of_an_api_affects_its_requests_in_envelopes(
    kraft: Cluster, client: Client
) -> None:
    match = {"api": "CreateTopics", "client_id": "client", "code": ErrorCode.POLICY_VIOLATION}
    fault = await kraft.faults.add({"rpc.error": {**match, "count": 1}})

    response = await answer_to(client, Sent(CREATION))

    _, created = decode_response(19, 7, response.response_data or b"")
    assert [topic.error_code for topic in created.topics] == [  # type: ignore[union-attr]
        ErrorCode.POLICY_VIOLATION
    ]
    assert fault.hits == 1


async def test_elements_of_a_forwarded_request_are_counted(client: Client) -> None:
    many = decode_source.ELEMENTS_MAX + 1
    topics = CreateTopicsRequest(topics=(CreatableTopic(name="t"),) * many)

    response = await answer_to(client, Sent(spelled(19, 7, topics)))

    assert response == EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    assert await client.is_served()


@pytest.mark.rule("4.61a")
async def test_only_a_request_in_an_envelope_cordons_directories(client: Client) -> None:
    cordon = AlterableConfig(name="cordoned.log.dirs", config_operation=0, value="/a")
    broker = IncrementalAlterConfigsResource(
        resource_type=BROKER, resource_name="1", configs=(cordon,)
    )
    change = spelled(44, 1, IncrementalAlterConfigsRequest(resources=(broker,)))
    _, alone = decode_response(44, 1, await exchanged(client, change))

    in_envelope = await answer_to(client, Sent(change))

    assert isinstance(alone, IncrementalAlterConfigsResponse)
    assert alone.responses[0].error_code == ErrorCode.INVALID_CONFIG
    assert in_envelope.response_data is not None
    _, forwarded = decode_response(44, 1, in_envelope.response_data)
    assert isinstance(forwarded, IncrementalAlterConfigsResponse)
    assert forwarded.responses[0].error_code == 0
