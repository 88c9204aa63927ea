"""What a caller of `Admin` reads of a server that is old, broken, or no Kafka listener at all."""

import pytest

from kraftsim import Cluster
from kraftsim.admin import Admin, Replica
from kraftsim.admin.connection import RESPONSE_BYTES_MAX
from kraftsim.controller.core.rpc import (
    DescribeClusterResponse,
    DescribeQuorumPartitionResult,
    DescribeQuorumResponse,
    DescribeQuorumTopicResult,
    ReplicaState,
)
from kraftsim.errors import UNREACHABLE
from tests.admin.scripted import DESCRIBED, NEVER, always, failure_of, frame, scripted

pytestmark = pytest.mark.realtime


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


@pytest.mark.parametrize("newest", [0, 3])
async def test_an_old_server_is_asked_in_its_own_version(newest: int) -> None:
    async with (
        scripted(always(DESCRIBED), newest={18: newest, 60: 1}) as server,
        Admin(server.address) as admin,
    ):
        await admin.describe_cluster()

    assert [(18, 4), (18, newest), (60, 1)] == server.asked


async def test_a_server_that_refuses_every_version_is_left() -> None:
    async with scripted(always(DESCRIBED), newest={18: -1}) as server:
        failed = await failure_of(server.address)

    assert str(failed) == f"UNSUPPORTED_VERSION: {server.address} refused ApiVersions"


async def test_numbers_that_a_server_does_not_know_are_none() -> None:
    voter = ReplicaState(replica_id=3000, log_end_offset=5)
    partition = DescribeQuorumPartitionResult(leader_id=3000, current_voters=(voter,))
    topic = DescribeQuorumTopicResult(topic_name="t", partitions=(partition,))
    async with (
        scripted(always(DescribeQuorumResponse(topics=(topic,))), newest={55: 0}) as server,
        Admin(server.address) as admin,
    ):
        (replica,) = (await admin.describe_quorum()).voters
        features = await admin.describe_features()

    assert replica == Replica(
        id=3000,
        directory_id=None,
        log_end_offset=5,
        last_fetch_time_ms=None,
        last_caught_up_time_ms=None,
        endpoints=(),
    )
    assert features.finalized_epoch is None


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


async def test_a_quorum_that_is_not_described_is_an_error() -> None:
    async with scripted(always(DescribeQuorumResponse())) as server:
        failed = await failure_of(server.address, Admin.describe_quorum)

    assert str(failed) == (
        "UNKNOWN_SERVER_ERROR: the response has no partition of the metadata log"
    )
