"""What else controllers were asked by each other, and by brokers that came late, beside what
`test_quorum_exchanges.py` puts to a voter: our answers are the recorded ones, whole.

A ControllerRegistration is put to an active controller that has what stood in the recorded log
before the record that came of it; what ours writes is that record. A FetchSnapshot is put to a
leader that has taken the recorded snapshot: in A1, from brokers, as in A2 and A3 nobody asked for
one.
"""

from typing import NamedTuple

import pytest

from kraftsim.controller.core.cluster.controller_registration import register_controller
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.leases import Leases
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import VoterEndpoint
from kraftsim.controller.core.log.records import RegisterControllerRecord
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import (
    ControllerRegistrationRequest,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    Request,
    Response,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.state import State
from kraftsim.controller.raft import conduct, snapshots
from kraftsim.controller.raft.identity import LISTENER, Identity
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import ElectionState, Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.snapshot import Snapshot, by_reference
from kraftsim.controller.raft.voters import ReplicaKey, VoterSet
from kraftsim.controller.wire.frames import (
    decode_request,
    decode_response,
    encode_response,
    read_request_header,
)
from kraftsim.controller.wire.records.record_batch import decode_batches
from tests.golden import recordings
from tests.golden.recordings import RELEASES, Frame

FETCH_SNAPSHOT, CONTROLLER_REGISTRATION = 59, 70
SINGLE, ACTIVE_ID = "A1-single", 3000
REGISTERED = {"A1-single": 2, "A2-quorum3": 5, "A3-dynamic": 3}
HANDED_OUT = {"3.9.1": 2, "4.1.1": 3, "4.3.1": 3}


class Exchange(NamedTuple):
    asked: Frame
    request: Request
    response: Response


def exchanges(release: str, run: str, api_key: int) -> list[Exchange]:
    frames = recordings.frames(release, run, api_key)
    told = {(f.connection, f.correlation_id): f for f in frames if f.direction == "rsp"}
    return [
        Exchange(
            frame,
            decode_request(read_request_header(frame.data), frame.data),
            response_in(told[frame.connection, frame.correlation_id].data, frame),
        )
        for frame in frames
        if frame.direction == "req"
    ]


def response_in(frame: bytes, asked: Frame) -> Response:
    return decode_response(asked.api_key, asked.api_version, frame)[1]


def over_the_wire(response: Response | None, asked: Frame) -> Response:
    assert response is not None, asked
    named = asked.api_key, asked.api_version, asked.correlation_id
    return response_in(encode_response(*named, response)[4:], asked)


# ControllerRegistration


@pytest.mark.rule("5.61", "5.62")
@pytest.mark.parametrize("run", REGISTERED)
@pytest.mark.parametrize("release", RELEASES)
def test_a_controller_that_registers_is_answered_and_written_down_as_recorded(
    release: str, run: str
) -> None:
    told = exchanges(release, run, CONTROLLER_REGISTRATION)
    assert len(told) == REGISTERED[run]
    for exchange in told:
        assert isinstance(exchange.request, ControllerRegistrationRequest)
        active, recorded = before_registration(release, run, exchange.request)
        decision = register_controller(active, exchange.request, 0)

        assert exchange.response == over_the_wire(decision.reply, exchange.asked)
        assert (recorded,) == decision.records


def before_registration(
    release: str, run: str, request: ControllerRegistrationRequest
) -> tuple[State, RegisterControllerRecord]:
    """The active controller as it was, and the record that it wrote of this incarnation."""
    for log in recordings.metadata_logs(release):
        is_whole = log.run == run and log.name == f"{0:020}.log"
        batches = decode_batches(log.data) if is_whole else []
        for number, batch in enumerate(batches):
            for record in batch.records:
                if (
                    isinstance(record, RegisterControllerRecord)
                    and record.incarnation_id == request.incarnation_id
                ):
                    return active_after(batches[:number]), record
    raise AssertionError(f"nobody wrote down {request}")


def active_after(batches: list[Batch]) -> State:
    settings = Settings()
    return State(
        node_id=ACTIVE_ID,
        cluster_id="",
        profile=KAFKA_4_3,
        settings=settings,
        image=replay(batches),
        leases=Leases(KAFKA_4_3, settings.broker_session_timeout_ms),
        random=lambda: 0.0,
    )


# FetchSnapshot


@pytest.mark.rule("10.44")
@pytest.mark.parametrize("release", RELEASES)
def test_a_snapshot_is_handed_out_as_recorded(release: str) -> None:
    told = exchanges(release, SINGLE, FETCH_SNAPSHOT)
    assert len(told) == HANDED_OUT[release]
    for exchange in told:
        assert isinstance(exchange.request, FetchSnapshotRequest)
        assert isinstance(exchange.response, FetchSnapshotResponse)
        leader = leader_with(recorded_snapshot(exchange.response), exchange.request, release)
        answer = snapshots.on_request(leader, exchange.request, Turn(0, 0))

        assert exchange.response == over_the_wire(answer, exchange.asked)


def recorded_snapshot(response: FetchSnapshotResponse) -> Snapshot:
    """All of it went out in one slice (`test_snapshots.py`)."""
    data = response.topics[0].partitions[0]
    return Snapshot(data.snapshot_id, (), data.unaligned_records)


def leader_with(snapshot: Snapshot, request: FetchSnapshotRequest, release: str) -> Quorum:
    """The one voter, in its first epoch."""
    alone = Identity(
        key=ReplicaKey(ACTIVE_ID),
        cluster_id=request.cluster_id or "",
        endpoint=registered_endpoint(release),
        voters=VoterSet(),
        kraft_version=0,
    )
    leader = Quorum(
        alone.with_voters((alone.as_voter,)),
        settings=Settings(),
        random=lambda: 0.0,
        snapshot_format=by_reference(),
        log=MetadataLog(),
        stored=ElectionState(),
    )
    conduct.start(leader, Turn(0, 0))
    leader.snapshot = snapshot
    return leader


def registered_endpoint(release: str) -> VoterEndpoint:
    """Where the controller said that it listens."""
    first = exchanges(release, SINGLE, CONTROLLER_REGISTRATION)[0].request
    assert isinstance(first, ControllerRegistrationRequest)
    (listener,) = first.listeners
    return VoterEndpoint(name=LISTENER, host=listener.host, port=listener.port)
