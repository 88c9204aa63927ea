"""What a caller of `Admin` reads of a server that is old, broken, or no Kafka listener at all."""

from collections.abc import Callable

import pytest

from kraftsim import Cluster
from kraftsim.admin import Admin, AdminError
from kraftsim.admin.connection import RESPONSE_BYTES_MAX
from kraftsim.controller.core.rpc import (
    DescribeClusterBroker,
    DescribeClusterResponse,
    DescribeQuorumResponse,
    Request,
    Response,
    UnregisterBrokerResponse,
)
from kraftsim.controller.wire.frames import RequestHeader
from kraftsim.errors import UNREACHABLE
from tests.admin.scripted import NEVER, Answer, scripted

pytestmark = pytest.mark.realtime

DESCRIBED = DescribeClusterResponse(cluster_id="c")


def always(given: bytes | Response | None) -> Answer:
    return lambda header, request: given


def once(given: bytes | Response | None, then: Response) -> Answer:
    answers = iter([given])
    return lambda header, request: next(answers, then)


def frame(size: int, correlation_id: int, body: bytes) -> bytes:
    return size.to_bytes(4) + correlation_id.to_bytes(4) + body


async def failure_of(
    addresses: str, call: Callable[[Admin], object] = Admin.describe_cluster, limit_s: float = 10
) -> AdminError:
    async with Admin(addresses, timeout_s=limit_s) as admin:
        with pytest.raises(AdminError) as failed:
            await call(admin)
    return failed.value


async def test_where_nobody_listens_every_address_is_named() -> None:
    failed = await failure_of("127.0.0.1:1,127.0.0.1:2")

    assert (None, None, UNREACHABLE) == (failed.code, failed.name, failed.exit_code)
    assert str(failed) == (
        "no Kafka listener answers at 127.0.0.1:1 (Connection refused), "
        "127.0.0.1:2 (Connection refused)"
    )


async def test_a_name_that_no_host_has_is_said_so() -> None:
    assert "nowhere.invalid:1 (" in str(await failure_of("nowhere.invalid:1"))


async def test_an_http_port_is_named_as_one() -> None:
    async with Cluster(brokers=0, clock="auto", seed=1, http_port=0) as kraft:
        address = kraft.http_url.removeprefix("http://")
        failed = await failure_of(address)

    assert f"{address} (expected a Kafka response, got an HTTP response" in str(failed)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (None, "the server closed the connection before the response"),
        (frame(100, 2, b"half"), "the server closed the connection in the middle of a response"),
        (
            frame(RESPONSE_BYTES_MAX + 1, 2, b""),
            f"expected a frame of 0 to {RESPONSE_BYTES_MAX} bytes, got {RESPONSE_BYTES_MAX + 1}",
        ),
        (frame(8, 2, b"\0\0\0\0"), "malformed response: "),
        (frame(4, 77, b""), "the server closed the connection before the response"),
    ],
)
async def test_a_response_that_is_none_is_an_error_with_its_reason(
    given: bytes | None, reason: str
) -> None:
    async with scripted(always(given)) as server:
        failed = await failure_of(server.address)

    assert failed.code is None
    assert f"no Kafka listener answers at {server.address} ({reason}" in str(failed)


async def test_a_server_that_does_not_answer_is_waited_for_only_so_long() -> None:
    async with scripted(always(NEVER)) as server:
        failed = await failure_of(server.address, limit_s=0.1)

    assert f"{server.address} (no response in 0.1 s)" in str(failed)


async def test_a_question_goes_to_the_next_server_where_one_fails() -> None:
    async with (
        scripted(always(NEVER)) as silent,
        scripted(always(DESCRIBED)) as server,
        Admin(f"127.0.0.1:1,{silent.address},{server.address}", timeout_s=0.4) as admin,
    ):
        cluster = await admin.describe_cluster()

    assert cluster.cluster_id == "c"


@pytest.mark.parametrize("given", [None, NEVER, frame(100, 2, b"half")])
async def test_a_change_that_may_have_been_made_is_not_sent_again(given: bytes | None) -> None:
    async with scripted(always(given)) as lost, scripted(always(DESCRIBED)) as other:
        addresses = f"{lost.address},{other.address}"
        failed = await failure_of(addresses, lambda admin: admin.unregister_broker(1), 0.2)

    assert "the change was sent and may have been made" in str(failed)
    assert (failed.code, [(18, 4), (64, 0)], []) == (None, lost.asked, other.asked)


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
        Admin(server.address, timeout_s=0.2) as admin,
    ):
        with pytest.raises(AdminError):
            await admin.describe_cluster()
        await admin.describe_cluster()

    assert server.connections == 2


@pytest.mark.parametrize("newest", [0, 3])
async def test_an_old_server_is_asked_in_its_own_version(newest: int) -> None:
    async with (
        scripted(always(DESCRIBED), newest={18: newest, 60: 1}) as server,
        Admin(server.address) as admin,
    ):
        await admin.describe_cluster()

    assert [(18, 4), (18, newest), (60, 1)] == server.asked


async def test_what_a_server_cannot_say_is_refused_before_it_is_sent() -> None:
    async with scripted(always(DESCRIBED), newest={60: 1}) as server:
        failed = await failure_of(
            server.address, lambda admin: admin.describe_cluster(include_fenced=True)
        )

    assert [(18, 4)] == server.asked
    assert str(failed) == (
        f"UNSUPPORTED_VERSION: {server.address} supports DescribeCluster 0 to 1, "
        "expected a version of 2 to 2"
    )


async def test_an_unknown_code_is_kept_and_foreign_text_is_escaped() -> None:
    refusal = DescribeClusterResponse(error_code=9999, error_message="\x1b[31mno")
    async with scripted(always(refusal)) as server:
        failed = await failure_of(server.address)

    assert (9999, "ERROR_9999", "\\x1b[31mno") == (failed.code, failed.name, failed.message)


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


async def test_a_quorum_that_is_not_described_is_an_error() -> None:
    async with scripted(always(DescribeQuorumResponse())) as server:
        failed = await failure_of(server.address, Admin.describe_quorum)

    assert str(failed) == (
        "UNKNOWN_SERVER_ERROR: the response has no partition of the metadata log"
    )
