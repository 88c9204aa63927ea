"""How a released controller of 4.4.0 begins: what it finalizes, and what it answers to ApiVersions.

`python -m tests.released.opening 4.4.0` recorded it.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import FeatureLevelRecord
from kraftsim.controller.core.profile import KAFKA_4_4
from kraftsim.controller.core.rpc import ApiVersionsRequest, ApiVersionsResponse
from kraftsim.controller.server import api_versions
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import (
    decode_request,
    decode_response,
    encode_request,
    encode_response,
    read_request_header,
)
from kraftsim.controller.wire.records.record_batch import decode_batches
from tests.builders import ControllerUnderTest
from tools.fidelity import differences

RECORDED = json.loads((Path(__file__).parent / "opening-4.4.0.json").read_text("utf-8"))
VOTERS = ("static", "dynamic")
OFFERED = {key for key, api in APIS.items() if "controller" in api.listeners}
UNKNOWN = 99
FETCH = 1
EXCHANGES = [
    pytest.param(voters, exchange, id=f"{voters}-{number}")
    for voters in VOTERS
    for number, exchange in enumerate(RECORDED["openings"][voters]["exchanges"])
]


def log_of(voters: str) -> list[Batch]:
    return list(decode_batches(bytes.fromhex(RECORDED["openings"][voters]["log"])))


def bootstrap(batches: list[Batch]) -> Batch:
    (found,) = (
        batch
        for batch in batches
        if any(isinstance(record, FeatureLevelRecord) for record in batch.records)
    )
    return found


def theirs(exchange: dict[str, str]) -> tuple[int, ApiVersionsResponse]:
    """The version of the answer, and the answer."""
    version = read_request_header(bytes.fromhex(exchange["request"])).api_version
    version = 0 if version == UNKNOWN else version
    _, response = decode_response(18, version, bytes.fromhex(exchange["answer"]))
    assert isinstance(response, ApiVersionsResponse)
    return version, response


@pytest.mark.rule("0A.11", "0.5")
@pytest.mark.parametrize("voters", VOTERS)
def test_4_4_opens_its_log_as_recorded(voters: str) -> None:
    cluster = ControllerUnderTest(KAFKA_4_4, kraft_version=int(voters == "dynamic"))

    ours, kafkas = bootstrap(cluster.node.log.batches), bootstrap(log_of(voters))

    assert (kafkas.base_offset, kafkas.records, list(kafkas.versions)) == (
        ours.base_offset,
        ours.records,
        list(ours.versions),
    )


@pytest.mark.rule("5.46", "5.47", "5.50", "5.51", "5.52", "5.53")
@pytest.mark.parametrize(("voters", "exchange"), EXCHANGES)
def test_4_4_answers_api_versions_as_recorded(voters: str, exchange: dict[str, str]) -> None:
    request = bytes.fromhex(exchange["request"])
    header = read_request_header(request)
    asked: Any = ApiVersionsRequest()
    if header.api_version != UNKNOWN:
        asked = decode_request(header, request)
    image = replay(batch for batch in log_of(voters))
    image.kraft_version = int(voters == "dynamic")  # said by its snapshot, not by its log

    ours = api_versions.answer(
        asked, header.api_version, listener="controller", image=image, profile=KAFKA_4_4
    )

    version, response = theirs(exchange)
    expected = encode_response(18, version, 9, as_offered(response))
    assert expected == encode_response(18, version, 9, ours)


def oldest(key: int) -> int:
    return 13 if key == FETCH else APIS[key].min_version


def as_offered(response: ApiVersionsResponse) -> ApiVersionsResponse:
    """Without the APIs that ours does not have, and with Fetch from version 13 on."""
    offered = (key for key in response.api_keys if key.api_key in OFFERED)
    keys = (replace(key, min_version=oldest(key.api_key)) for key in offered)
    return replace(response, api_keys=tuple(keys))


@pytest.mark.rule("5.1")
def test_what_4_4_lists_is_offered_or_said_to_be_absent() -> None:
    _, response = theirs(RECORDED["openings"]["static"]["exchanges"][0])
    absent = {absence["key"] for absence in differences()["absent"]["apis"]}

    assert OFFERED | absent == {key.api_key for key in response.api_keys}


@pytest.mark.rule("5.46", "5.49")
@pytest.mark.parametrize(("voters", "exchange"), EXCHANGES)
def test_recorded_frames_are_spelled_again(voters: str, exchange: dict[str, str]) -> None:
    request, answer = bytes.fromhex(exchange["request"]), bytes.fromhex(exchange["answer"])
    header = read_request_header(request)
    version, response = theirs(exchange)

    assert answer == encode_response(18, version, 9, response)[4:]
    if header.api_version != UNKNOWN:
        asked = decode_request(header, request)
        assert request == encode_request(18, version, 9, header.client_id, asked)[4:]


@pytest.mark.rule("5.46")
@pytest.mark.parametrize(
    ("cluster_id", "node_id", "code"),
    [
        (None, -1, 0),
        ("ours", 1, 0),
        ("ours", 2, ErrorCode.REBOOTSTRAP_REQUIRED),
        ("theirs", 1, ErrorCode.REBOOTSTRAP_REQUIRED),
        ("ours", -1, ErrorCode.INVALID_REQUEST),
        (None, 1, ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_broker_of_4_4_sends_away_who_means_another(
    cluster_id: str | None, node_id: int, code: int
) -> None:
    """KIP-1242, as the classes of 4.4.0 have it; no broker was recorded."""
    asked = ApiVersionsRequest(
        client_software_name="a",
        client_software_version="1",
        cluster_id=cluster_id,
        node_id=node_id,
    )
    image = ControllerUnderTest(KAFKA_4_4).node.committed

    answer = api_versions.answer(
        asked, 5, listener="broker", image=image, profile=KAFKA_4_4, broker=("ours", 1)
    )

    assert code == answer.error_code
