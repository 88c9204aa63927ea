"""What a simulated process of one release reads of the requests of another: rules 5.1, 10.18."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ClosedConnection, ErrorCode
from kraftsim.controller.core.profile import (
    KAFKA_3_9,
    KAFKA_4_1,
    KAFKA_4_3,
    KAFKA_4_4,
    PROFILES,
    Profile,
)
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    AlterPartitionReassignmentsRequest,
    BrokerHeartbeatRequest,
    Request,
    UnregisterControllerRequest,
    VoteResponse,
)
from kraftsim.controller.core.rpc.senders import Requester
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.schema import Array, Struct
from kraftsim.controller.wire.frames import decode_request, encode_request, read_request_header
from kraftsim.simulation.requests.spoken import read_by
from tests.builders import fetch, uuid_of
from tests.raft.requests import vote

REQUESTS: list[Request] = [
    fetch(offset=7, high_watermark=5),
    vote(1, 0),
    BrokerHeartbeatRequest(
        broker_id=1,
        current_metadata_offset=3,
        want_fence=False,
        want_shut_down=False,
        cordoned_log_dirs=(uuid_of("directory"),),
    ),
    AlterPartitionReassignmentsRequest(topics=(), allow_replication_factor_change=False),
    AddRaftVoterRequest(
        cluster_id=None,
        timeout_ms=1,
        voter_id=4,
        voter_directory_id=uuid_of("d"),
        listeners=(),
        ack_when_committed=False,
    ),
]


@pytest.mark.rule("5.1")
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
@pytest.mark.parametrize("other", [KAFKA_3_9, KAFKA_4_1], ids=lambda profile: profile.name)
def test_a_process_reads_what_the_versions_of_both_releases_can_express(
    request_: Request, other: Profile
) -> None:
    api = APIS[request_.api_key]
    version = other.newest_versions.get(api.key, api.max_version)
    frame = encode_request(api.key, version, 0, None, request_)[4:]
    on_the_wire = without_client(decode_request(read_request_header(frame), frame))

    assert read_by(other, KAFKA_4_4, request_) == on_the_wire
    assert read_by(KAFKA_4_4, other, request_) == on_the_wire
    assert read_by(KAFKA_4_4, KAFKA_4_4, request_) == request_


def without_client(request: Request) -> Request:
    """The request without what a listener notes of the connection."""
    return replace(request, requester=Requester()) if hasattr(request, "requester") else request


@pytest.mark.rule("10.18")
def test_a_voter_of_3_9_is_asked_for_no_pre_vote() -> None:
    reply = read_by(KAFKA_3_9, KAFKA_4_4, vote(1, 0, pre_vote=True))

    assert reply == VoteResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)


@pytest.mark.rule("5.48a")
def test_a_release_reads_no_request_of_an_api_that_it_lacks() -> None:
    reply = read_by(KAFKA_4_3, KAFKA_4_4, UnregisterControllerRequest(controller_id=1))

    assert isinstance(reply, ClosedConnection)


BETWEEN_PROCESSES = (
    *("Vote", "BeginQuorumEpoch", "EndQuorumEpoch", "Fetch", "FetchSnapshot", "UpdateRaftVoter"),
    *("AddRaftVoter", "RemoveRaftVoter", "ControllerRegistration", "BrokerRegistration"),
    *("BrokerHeartbeat", "AlterPartition", "AllocateProducerIds", "AssignReplicasToDirs"),
)
"""The APIs of requests that simulated nodes send each other."""


@pytest.mark.rule("5.1")
@pytest.mark.parametrize("name", BETWEEN_PROCESSES)
def test_a_response_between_nodes_has_the_same_fields_in_every_release(name: str) -> None:
    """So a response needs no lowering."""
    api = next(api for api in APIS.values() if api.name == name)
    newest = {p.newest_versions.get(api.key, api.max_version) for p in PROFILES.values()}

    assert {version for version in changes_of(api.response.struct)} & {
        version for version in range(min(newest) + 1, max(newest) + 1)
    } == set()


def changes_of(struct: Struct) -> Iterator[int]:
    """Yields the versions from which a field is there, and from which it is not."""
    for field in struct.fields:
        yield field.since
        yield field.until + 1
        inner = field.type.element if isinstance(field.type, Array) else field.type
        if isinstance(inner, Struct):
            yield from changes_of(inner)
