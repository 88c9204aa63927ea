"""ACLs over sockets and HTTP, in a cluster with an authorizer."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.core.rpc.acls import (
    CreateAclsRequest,
    DeleteAclsFilter,
    DeleteAclsRequest,
    DescribeAclsRequest,
)
from kraftsim.controller.core.rpc.configs import AlterConfigsRequest, AlterConfigsResource
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER
from kraftsim.http.openapi import EXAMPLES
from tests.server.envelopes import ALICE_READS, EVERYTHING
from tests.server.kafka_client import Client, connected

pytestmark = pytest.mark.realtime
DESCRIBE, CREATE, DELETE, ALTER_CONFIGS = 29, 30, 31, 33
UNKNOWN = AlterConfigsResource(resource_type=0, resource_name="x", configs=())
REFUSED_BY_KAFKAS_PARSER: dict[str, tuple[int, int, Request]] = {
    "description": (DESCRIBE, 3, DescribeAclsRequest(**EVERYTHING | {"operation": 0})),
    "creation": (CREATE, 3, CreateAclsRequest(creations=(replace(ALICE_READS, operation=0),))),
    "deletion": (
        DELETE,
        3,
        DeleteAclsRequest(filters=(DeleteAclsFilter(**EVERYTHING | {"permission_type": 0}),)),
    ),
    "configurations": (
        ALTER_CONFIGS,
        2,
        AlterConfigsRequest(
            resources=(UNKNOWN, replace(UNKNOWN, resource_type=-1)), validate_only=True
        ),
    ),
}


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=1,
        clock="virtual",
        seed=1,
        kafka_port=0,
        http_port=0,
        settings={"authorizer.class.name": STANDARD_AUTHORIZER},
    ) as cluster:
        yield cluster


async def asked(client: Client, key: int, request: Request) -> Any:
    client.send(key, 3, request)
    return (await client.answer(key, 3))[1]


async def test_a_broker_forwards_changes_and_describes_its_own_metadata(kraft: Cluster) -> None:
    async with connected(kraft.bootstrap_servers) as broker:
        created = await asked(broker, CREATE, CreateAclsRequest(creations=(ALICE_READS,)))
        await kraft.clock.sleep("1s")
        described = await asked(broker, DESCRIBE, DescribeAclsRequest(**EVERYTHING))
        removal = DeleteAclsRequest(filters=(DeleteAclsFilter(**EVERYTHING),))
        deleted = await asked(broker, DELETE, removal)

    assert [result.error_code for result in created.results] == [0]
    (resource,) = described.resources
    assert [acl.principal for acl in resource.acls] == ["User:alice"]
    (result,) = deleted.filter_results
    assert [acl.resource_name for acl in result.matching_acls] == ["orders"]


async def test_the_examples_of_http_create_and_describe_acls(kraft: Cluster) -> None:
    examples = json.loads(EXAMPLES.read_text("utf-8"))
    creations, of_orders = (examples[name]["body"] for name in ("CreateAcls", "DescribeAcls"))
    url = f"{kraft.http_url}/kafka"
    async with ClientSession() as session:
        async with session.post(f"{url}/CreateAcls", json=creations) as reply:
            created = await reply.json()
        async with session.post(f"{url}/DescribeAcls", json=of_orders) as reply:
            described = await reply.json()
        async with session.get(f"{kraft.http_url}/v1/log") as reply:
            log = await reply.text()

    assert created["results"] == [{"errorCode": 0, "errorMessage": ""}]
    assert [of["resourceName"] for of in described["resources"]] == ["orders"]
    assert "ACCESS_CONTROL_ENTRY_RECORD" in log


@pytest.mark.parametrize("what", REFUSED_BY_KAFKAS_PARSER)
async def test_a_request_that_kafkas_parser_refuses_ends_the_connection(
    kraft: Cluster, what: str
) -> None:
    key, version, request = REFUSED_BY_KAFKAS_PARSER[what]
    async with connected(kraft.bootstrap_servers) as client:
        client.send(key, version, request)

        assert await client.ended() == b""
