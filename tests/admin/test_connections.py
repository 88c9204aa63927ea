"""Which connections the admin client makes, and which listener it asks."""

import asyncio
import re

import pytest

from kraftsim.admin import Admin, AdminError
from kraftsim.admin.connection import open_connection
from kraftsim.controller.core.rpc import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
    Request,
    Response,
    UnregisterBrokerResponse,
)
from kraftsim.controller.wire.frames import RequestHeader
from tests.admin.scripted import DESCRIBED, NEVER, always, failure_of, frame, once, scripted

pytestmark = pytest.mark.realtime


async def test_a_question_goes_to_the_next_server_where_one_fails() -> None:
    async with (
        scripted(always(NEVER)) as silent,
        scripted(always(DESCRIBED)) as server,
        Admin(f"127.0.0.1:1,{silent.address},{server.address}", timeout_s=2.0) as admin,
    ):
        cluster = await admin.describe_cluster()

    assert cluster.cluster_id == "c"


@pytest.mark.parametrize("given", [None, NEVER, frame(100, 2, b"half")])
async def test_a_change_that_may_have_been_made_is_not_sent_again(given: bytes | None) -> None:
    async with scripted(always(given)) as lost, scripted(always(DESCRIBED)) as other:
        addresses = f"{lost.address},{other.address}"
        failed = await failure_of(addresses, lambda admin: admin.unregister_broker(1), 1.0)

    assert "the change was sent and may have been made" in str(failed)
    assert (failed.code, [(18, 4), (64, 0)], []) == (None, lost.asked, other.asked)


async def test_a_change_is_waited_for_as_long_as_the_call_may_take() -> None:
    async with scripted(always(NEVER)) as lost:
        addresses = f"{lost.address},127.0.0.1:1"
        failed = await failure_of(addresses, lambda admin: admin.unregister_broker(1), 1.0)

    waited = re.search(r"no response in (\S+) s", failed.message)
    assert waited is not None
    assert float(waited[1]) > 0.5, "more than the share of one of two addresses"


async def test_the_listener_that_led_is_asked_first() -> None:
    def follower(header: RequestHeader, request: Request) -> Response:
        return UnregisterBrokerResponse(error_code=41) if header.api_key == 64 else DESCRIBED

    async with (
        scripted(follower) as first,
        scripted(always(UnregisterBrokerResponse())) as leader,
        Admin(bootstrap_controllers=f"{first.address},{leader.address}") as admin,
    ):
        await admin.unregister_broker(1)
        await admin.unregister_broker(2)

    assert [(18, 4), (64, 0), (60, 2)] == first.asked
    assert [(18, 4), (64, 0), (64, 0)] == leader.asked


async def test_concurrent_calls_share_one_connection() -> None:
    async with scripted(always(DESCRIBED)) as server, Admin(server.address) as admin:
        await asyncio.gather(*(admin.describe_cluster() for _ in range(20)))

    assert (1, 21) == (server.connections, len(server.asked))


async def test_a_retired_connection_ends_once_nothing_is_awaited() -> None:
    arrived, released = asyncio.Event(), asyncio.Event()

    async def later() -> Response:
        arrived.set()
        await released.wait()
        return DESCRIBED

    async with scripted(lambda header, request: later()) as server:
        host, _, port = server.address.rpartition(":")
        connection = await open_connection((host, int(port)))
        awaited = asyncio.create_task(connection.request(DescribeClusterRequest()))
        await arrived.wait()
        connection.retire()
        is_open = connection.is_open
        released.set()
        response = await awaited

    assert (False, DESCRIBED) == (is_open, response)


async def test_a_connection_that_died_is_opened_again_for_the_next_call() -> None:
    async with scripted(once(None, DESCRIBED)) as server, Admin(server.address) as admin:
        with pytest.raises(AdminError):
            await admin.describe_cluster()
        for _ in range(3):
            await admin.describe_cluster()

    assert server.connections == 2


async def test_a_connection_that_timed_out_is_not_used_again() -> None:
    async with (
        scripted(once(NEVER, DESCRIBED)) as server,
        Admin(server.address, timeout_s=2.0) as admin,
    ):
        with pytest.raises(AdminError):
            await admin.describe_cluster()
        await admin.describe_cluster()

    assert server.connections == 2


async def test_without_a_leader_the_remedy_is_named() -> None:
    def answer(header: RequestHeader, request: Request) -> Response:
        return UnregisterBrokerResponse(error_code=41) if header.api_key == 64 else DESCRIBED

    async with scripted(answer) as server:
        failed = await failure_of(server.address, lambda admin: admin.unregister_broker(1), 0.3)

    assert (41, "NOT_CONTROLLER") == (failed.code, failed.name)
    assert f"no leader among {server.address}: give the addresses of all" in failed.message
    assert server.connections == 1


@pytest.mark.parametrize(("host", "port"), [("a\0b", 1), ("127.0.0.1", 70_000), ("x" * 70, 1)])
async def test_an_advertised_address_that_cannot_be_is_passed_over(host: str, port: int) -> None:
    leader = DescribeClusterBroker(broker_id=3000, host=host, port=port)
    described = DescribeClusterResponse(controller_id=3000, brokers=(leader,))

    def answer(header: RequestHeader, request: Request) -> Response:
        return UnregisterBrokerResponse(error_code=41) if header.api_key == 64 else described

    async with scripted(answer) as server:
        failed = await failure_of(server.address, lambda admin: admin.unregister_broker(1), 0.3)

    assert "NOT_CONTROLLER" == failed.name
