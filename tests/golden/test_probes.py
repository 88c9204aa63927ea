"""The raw requests of A6-errors, put to our controller in the order in which Kafka got them.

Kafka's NoOps and registrations of controllers are appended as recorded, so
that offsets (and with them broker epochs) fall where they fell. Topic ids are drawn, so ours are
exchanged for the recorded ones in both directions. Everything else is compared byte for byte.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.log.records import (
    BrokerRegistrationChangeRecord,
    NoOpRecord,
    Record,
    RegisterControllerRecord,
)
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, Profile
from kraftsim.controller.core.rpc import (
    ApiVersionsRequest,
    CreateTopicsResponse,
    DescribeQuorumResponse,
    DescribeQuorumTopicResult,
    FetchResponse,
    Request,
)
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.hosted import HostedNode
from kraftsim.controller.node.node import Node
from kraftsim.controller.node.registrar import Registrar
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.snapshot import by_reference
from kraftsim.controller.server import api_versions
from kraftsim.controller.server.envelope import open_envelope, refused_envelope
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.apis.table import APIS, ENVELOPE
from kraftsim.controller.wire.frames import (
    Exchange,
    RequestHeader,
    decode_request,
    decode_response,
    encode_response,
    read_request_header,
)
from kraftsim.controller.wire.records.record_batch import decode_batches
from tests.golden import recordings
from tests.golden.recordings import Frame
from tests.other_controllers import nobody_else

PROFILES = {"3.9.1": KAFKA_3_9, "4.3.1": KAFKA_4_3}
CLUSTER_IDS = {"3.9.1": "errorsAerrorsAerrors3A", "4.3.1": "errorsAerrorsAerrors4A"}
NOT_ASKED = {
    # what later issues build
    "register-port-0": "1.18: ours refuses with 119, and does not fail over",
    "heartbeat-after-port-0": "after the failover that ours does not have",
}
FETCH, API_VERSIONS, DESCRIBE_QUORUM = 1, 18, 55


@dataclass
class Probed:
    """Our controller in the place of the recorded one."""

    release: str
    profile: Profile
    topic_ids: dict[bytes, bytes] = field(default_factory=dict)  # recorded -> ours

    def __post_init__(self) -> None:
        self.recorded = {
            batch.base_offset + place: record
            for log in recordings.metadata_logs(self.release)
            if log.run == "A6-errors" and log.name.endswith(".log") and log.node == "c3000"
            for batch in decode_batches(log.data)
            if not batch.is_control
            for place, record in enumerate(batch.records)
        }
        self.timeline = Timeline(wall_start_ms=0)
        config = NodeConfig(
            node_id=3000,
            cluster_id=CLUSTER_IDS[self.release],
            host="127.0.0.1",
            port=29890,
            directory_id=b"d" * 16,
            kraft_version=0,
        )
        settings = replace(self.profile.settings, metadata_max_idle_interval_ms=0)
        entropy = random.Random(1).random
        self.node = Node(
            config,
            profile=self.profile,
            settings=settings,
            random=entropy,
            snapshot_format=by_reference(),
        )
        self.node._registrar = _NoRegistrar(config, self.profile, settings, entropy)
        self.host = HostedNode(self.node, Clock(self.timeline), nobody_else)
        self.host.start()
        self.catch_up()

    def catch_up(self) -> None:
        """Append what the recorded controller wrote next without being asked by our APIs."""
        while self._is_foreign(record := self.recorded.get(self.node.log.end_offset)):
            assert record is not None
            turn = Turn(0, 0)
            assert self.node.active is not None, "it leads alone"
            self.node.active._append((record,), turn)
            self.host._carry_out(turn, 0)

    def _is_foreign(self, record: Record | None) -> bool:
        return isinstance(record, NoOpRecord | RegisterControllerRecord)

    def answer(self, request: Frame, recorded: Frame) -> bytes:
        data = request.data
        for theirs, ours in self.topic_ids.items():
            data = data.replace(theirs, ours)
        header = read_request_header(data)
        if header.api_version > APIS[header.api_key].max_version:
            response = api_versions.unsupported(self.profile)
            return encode_response(header.api_key, 0, header.correlation_id, response)[4:]
        if header.api_key == ENVELOPE:
            return refusal_of_envelope(header, data)
        response = self._response(decode_request(header, data), header.api_version)
        self.catch_up()
        if isinstance(response, CreateTopicsResponse):
            self._learn_topic_ids(response, recorded)
        spelled = encode_response(
            header.api_key, header.api_version, header.correlation_id, response
        )[4:]
        if header.api_key != FETCH:  # whose batches have checksums
            for theirs, ours in self.topic_ids.items():
                spelled = spelled.replace(ours, theirs)
        return spelled

    def _response(self, request: Request, version: int):
        if isinstance(request, ApiVersionsRequest):
            return api_versions.answer(
                request,
                version,
                listener="controller",
                image=self.node.committed,
                profile=self.profile,
            )
        replies: list = []
        self.host.submit(request, replies.append)
        (reply,) = replies
        return response_to(request, reply, version)

    def _learn_topic_ids(self, ours: CreateTopicsResponse, recorded: Frame) -> None:
        _, theirs = decode_response(19, recorded.api_version, recorded.data)
        assert isinstance(theirs, CreateTopicsResponse)
        for theirs_topic, other in zip(theirs.topics, ours.topics, strict=True):
            if any(theirs_topic.topic_id):
                self.topic_ids[theirs_topic.topic_id] = other.topic_id


def refusal_of_envelope(header: RequestHeader, data: bytes) -> bytes:
    """What our listener answers: every envelope of the errors run is invalid."""
    exchange = Exchange(header, data, start_time_tag=False)
    with pytest.raises(ApiError) as refused:
        open_envelope(exchange, data, frozenset())
    return refused_envelope(exchange, data[4:8], refused.value)[4:]


class _NoRegistrar(Registrar):
    """The recorded controller registered itself some NoOps later: that comes from the recording."""

    record = None


def exchanges(release: str) -> Iterator[tuple[str, Frame, Frame]]:
    frames = {frame.seq: frame for frame in recordings.frames(release, "A6-errors")}
    for probe in recordings.probes(release):
        asked, *told = probe["seq"]
        answered = probe["api_key"] in APIS
        if (
            answered
            and probe["probe"] not in NOT_ASKED
            and told
            and asked in frames
            and told[0] in frames
        ):
            yield probe["probe"], frames[asked], frames[told[0]]


@pytest.mark.python_modules
@pytest.mark.rule("1.9", "1.14", "1.20", "1.24", "1.27", "1.28", "2.8", "2.12", "2.17", "3.4")
@pytest.mark.rule("4.34", "4.43", "4.51", "4.52", "4.53", "4.54", "4.55", "4.56", "5.8", "5.9")
@pytest.mark.rule("5.11", "5.46", "5.47", "5.53")
@pytest.mark.parametrize("release", PROFILES)
def test_every_probe_of_the_errors_run_gets_the_recorded_answer(release: str) -> None:
    probed = Probed(release, PROFILES[release])
    wrong = []
    asked = 0
    for name, request, recorded in exchanges(release):
        asked += 1
        ours = probed.answer(request, recorded)
        if _comparable(request, ours) != _comparable(request, recorded.data):
            wrong.append((name, _shown(request, ours), _shown(request, recorded.data)))

    assert asked > 80
    assert wrong == []


def _comparable(request: Frame, data: bytes) -> object:
    """The bytes; but of ApiVersions without the keys, of Fetch without records and watermark, of
    DescribeQuorum without offsets: which APIs there are is a row of the differences, and when a
    record was written (a NoOp each half second) is not ours."""
    if request.api_version > APIS[request.api_key].max_version:
        return data
    if request.api_key == API_VERSIONS:
        _, response = decode_response(API_VERSIONS, request.api_version, data)
        return replace(response, api_keys=())
    if request.api_key == DESCRIBE_QUORUM:
        _, response = decode_response(DESCRIBE_QUORUM, request.api_version, data)
        assert isinstance(response, DescribeQuorumResponse)
        return replace(response, topics=tuple(_without_offsets(topic) for topic in response.topics))
    if request.api_key == FETCH:
        _, response = decode_response(FETCH, request.api_version, data)
        assert isinstance(response, FetchResponse)
        return replace(
            response,
            responses=tuple(
                replace(
                    topic,
                    partitions=tuple(
                        replace(
                            partition,
                            records=bool(partition.records),
                            high_watermark=max(partition.high_watermark, -1) >= 0,
                            diverging_epoch=partition.diverging_epoch.epoch,
                        )
                        for partition in topic.partitions
                    ),
                )
                for topic in response.responses
            ),
        )
    return data


def _without_offsets(topic: DescribeQuorumTopicResult) -> DescribeQuorumTopicResult:
    partitions = (
        replace(
            partition,
            high_watermark=partition.high_watermark > 0,
            current_voters=tuple(replace(v, log_end_offset=0) for v in partition.current_voters),
        )
        for partition in topic.partitions
    )
    return replace(topic, partitions=tuple(partitions))


def _shown(request: Frame, data: bytes) -> object:
    if request.api_version > APIS[request.api_key].max_version:
        return data.hex()
    return decode_response(request.api_key, request.api_version, data)[1]


@pytest.mark.python_modules
def test_no_registration_change_of_ours_is_missing_from_the_recorded_log() -> None:
    """The same fences, unfences and flags, at the same offsets, as 4.3.1 wrote."""
    probed = Probed("4.3.1", KAFKA_4_3)
    for _, request, recorded in exchanges("4.3.1"):
        probed.answer(request, recorded)

    ours = {
        batch.base_offset + place: record
        for batch in probed.node.log.batches
        for place, record in enumerate(batch.records)
        if isinstance(record, BrokerRegistrationChangeRecord)
    }
    theirs = {
        offset: record
        for offset, record in probed.recorded.items()
        if isinstance(record, BrokerRegistrationChangeRecord)
    }
    assert ours == theirs
