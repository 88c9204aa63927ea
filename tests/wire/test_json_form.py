"""The JSON of HTTP and of Kafka's dump: names, defaults, and what a wrong document is told."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kraftsim.controller.core.log import records
from kraftsim.controller.core.log.control_records import (
    KRaftVersion,
    VersionRange,
    Voter,
    VoterEndpoint,
    Voters,
)
from kraftsim.controller.core.rpc import (
    BrokerFeature,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerListener,
    BrokerRegistrationRequest,
    DecommissionBrokerRequest,
    DescribeClusterBroker,
    DescribeClusterResponse,
    UnregisterBrokerResponse,
)
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.wire.apis.table import APIS, DECOMMISSION_BROKER
from kraftsim.controller.wire.json.json_form import (
    JsonError,
    control_record_json,
    from_json,
    json_schema,
    record_json,
    to_json,
)

from .instances import instances

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "4"))  # of each API
A_UUID = bytes(range(16))
REGISTRATION, HEARTBEAT = APIS[62].request, APIS[63].request
LEAST_REGISTRATION = {"brokerId": 1, "clusterId": "c", "incarnationId": uuid_text(A_UUID)}
LEAST_HEARTBEAT = {
    "brokerId": 1,
    "currentMetadataOffset": 9,
    "wantFence": False,
    "wantShutDown": False,
}


@pytest.mark.rule("1.2")
def test_a_registration_is_read_by_kafkas_names() -> None:
    listener = {"name": "PLAINTEXT", "host": "h", "port": 9092, "securityProtocol": 0}
    feature = {"name": "metadata.version", "minSupportedVersion": 7, "maxSupportedVersion": 30}
    document = LEAST_REGISTRATION | {
        "listeners": [listener],
        "features": [feature],
        "rack": "r1",
        "logDirs": [uuid_text(A_UUID)],
        "previousBrokerEpoch": -1,
    }

    expected = BrokerRegistrationRequest(
        broker_id=1,
        cluster_id="c",
        incarnation_id=A_UUID,
        listeners=(BrokerListener(name="PLAINTEXT", host="h", port=9092),),
        features=(
            BrokerFeature(
                name="metadata.version", min_supported_version=7, max_supported_version=30
            ),
        ),
        rack="r1",
        log_dirs=(A_UUID,),
    )
    assert expected == from_json(REGISTRATION, document)


def test_what_has_a_default_may_be_left_out() -> None:
    request = from_json(REGISTRATION, LEAST_REGISTRATION)

    assert request.features is None
    assert request == from_json(REGISTRATION, LEAST_REGISTRATION | {"features": None})
    assert DecommissionBrokerRequest(broker_id=3) == from_json(
        DECOMMISSION_BROKER.request, {"brokerId": 3}
    )


def test_a_document_for_http_has_every_field() -> None:
    response = BrokerHeartbeatResponse(is_caught_up=True)
    broker = DescribeClusterBroker(broker_id=1, host="h", port=2, start_time_ms=5)

    assert to_json(APIS[63].response, response) == {
        "throttleTimeMs": 0,
        "errorCode": 0,
        "isCaughtUp": True,
        "isFenced": True,
        "shouldShutDown": False,
    }
    described = to_json(APIS[60].response, DescribeClusterResponse(brokers=(broker,)))
    assert described["brokers"] == [
        {
            "brokerId": 1,
            "host": "h",
            "port": 2,
            "rack": None,
            "isFenced": False,
            "startTimeMs": 5,
        }
    ]
    assert to_json(APIS[64].response, UnregisterBrokerResponse())["errorMessage"] == ""


@pytest.mark.parametrize("key", [key for key in APIS if key != 1])
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_every_object_comes_back_through_json(key: int, data: st.DataObject) -> None:
    for message in (APIS[key].request, APIS[key].response):
        value = data.draw(instances(message, message.max_version))

        document = json.loads(json.dumps(to_json(message, value)))
        assert value == from_json(message, document)


def test_a_version_leaves_out_what_it_lacks_and_tagged_defaults() -> None:
    heartbeat = BrokerHeartbeatRequest(
        broker_id=1,
        current_metadata_offset=9,
        want_fence=False,
        want_shut_down=False,
        cordoned_log_dirs=(),
    )

    in_version_1 = LEAST_HEARTBEAT | {"brokerEpoch": -1}
    assert in_version_1 == to_json(HEARTBEAT, heartbeat, 1)
    assert in_version_1 | {"cordonedLogDirs": []} == to_json(HEARTBEAT, heartbeat, 2)


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ([], "body: expected an object, got []"),
        ({}, "brokerId: expected an integer from -2147483648 to 2147483647, got nothing"),
        (
            LEAST_HEARTBEAT | {"wantfence": True},
            "wantfence: expected a field such as 'wantFence', got an unknown field",
        ),
        (
            LEAST_HEARTBEAT | {"zzz": 1},
            "zzz: expected one of brokerId, brokerEpoch, currentMetadataOffset, wantFence, "
            "wantShutDown, offlineLogDirs, cordonedLogDirs, got an unknown field",
        ),
        (
            LEAST_HEARTBEAT | {"brokerId": True},
            "brokerId: expected an integer from -2147483648 to 2147483647, got True",
        ),
        (
            LEAST_HEARTBEAT | {"brokerId": 2**31},
            "brokerId: expected an integer from -2147483648 to 2147483647, got 2147483648",
        ),
        (LEAST_HEARTBEAT | {"brokerId": 1.0}, "to 2147483647, got 1.0"),
        (LEAST_HEARTBEAT | {"brokerId": None}, "to 2147483647, got None"),
        (LEAST_HEARTBEAT | {"wantFence": 0}, "wantFence: expected true or false, got 0"),
        (
            LEAST_HEARTBEAT | {"offlineLogDirs": ["x"]},
            "offlineLogDirs[0]: expected a uuid of 22 base64 characters, got 'x'",
        ),
        (LEAST_HEARTBEAT | {"offlineLogDirs": "x"}, "offlineLogDirs: expected an array, got 'x'"),
        (LEAST_HEARTBEAT | {"offlineLogDirs": None}, "offlineLogDirs: expected an array, got None"),
        (LEAST_HEARTBEAT | {"offlineLogDirs": [7]}, "offlineLogDirs[0]: expected a uuid"),
    ],
)
def test_a_wrong_document_is_told_where_what_and_instead_of_what(
    document: object, complaint: str
) -> None:
    with pytest.raises(JsonError) as refused:
        from_json(HEARTBEAT, document)

    assert complaint in str(refused.value)


def test_a_complaint_names_the_place_inside_and_keeps_long_values_short() -> None:
    listeners = [{"name": "A", "host": "h", "port": 1}, {"name": "B", "host": "h", "port": 65536}]
    with pytest.raises(JsonError) as refused:
        from_json(REGISTRATION, LEAST_REGISTRATION | {"listeners": listeners})
    error = refused.value
    assert ("listeners[1].port", "an integer from 0 to 65535", "65536") == (
        error.path,
        error.expected,
        error.got,
    )

    with pytest.raises(JsonError) as refused:
        from_json(REGISTRATION, LEAST_REGISTRATION | {"brokerId": "x" * 10_000})
    assert len(str(refused.value)) < 200


def test_records_are_printed_with_kafkas_names_for_them() -> None:
    credential = records.UserScramCredentialRecord(
        name="a", mechanism=1, salt=b"salt", stored_key=b"", server_key=b"\xff\xfe", iterations=1
    )

    assert record_json(credential, 0) == {
        "type": "USER_SCRAM_CREDENTIAL_RECORD",
        "version": 0,
        "data": {
            "name": "a",
            "mechanism": 1,
            "salt": "c2FsdA==",
            "storedKey": "",
            "serverKey": "//4=",
            "iterations": 1,
        },
    }
    assert record_json(records.NoOpRecord(), 0)["type"] == "NO_OP_RECORD"
    assert record_json(records.ClearElrRecord(topic_name="t"), 0)["type"] == "CLEAR_ELR_RECORD"


def test_control_records_are_printed_with_kafkas_names_for_them() -> None:
    voters = Voters(
        voters=(
            Voter(
                voter_id=1,
                voter_directory_id=A_UUID,
                endpoints=(VoterEndpoint(name="C", host="h", port=9),),
                k_raft_version_feature=VersionRange(
                    min_supported_version=0, max_supported_version=1
                ),
            ),
        )
    )

    assert control_record_json(KRaftVersion(kraft_version=1)) == {
        "type": "KRAFT_VERSION",
        "version": 0,
        "data": {"version": 0, "kRaftVersion": 1},
    }
    assert control_record_json(voters) == {
        "type": "KRAFT_VOTERS",
        "version": 0,
        "data": {
            "version": 0,
            "voters": [
                {
                    "voterId": 1,
                    "voterDirectoryId": uuid_text(A_UUID),
                    "endpoints": [{"name": "C", "host": "h", "port": 9}],
                    "kRaftVersionFeature": {"minSupportedVersion": 0, "maxSupportedVersion": 1},
                }
            ],
        },
    }


def test_a_schema_says_what_from_json_takes() -> None:
    schema = json_schema(HEARTBEAT)

    assert list(LEAST_HEARTBEAT) == schema["required"]
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert properties["brokerEpoch"] == {
        "type": "integer",
        "minimum": -(2**63),
        "maximum": 2**63 - 1,
    }
    assert properties["cordonedLogDirs"] == {
        "type": ["array", "null"],
        "items": {"type": "string"},
    }


@pytest.mark.parametrize("text", ["x" * 32_768, "\u00e9" * 16_384, "\ud800"], ids=range(3))
def test_a_string_that_kafka_cannot_spell_is_refused(text: str) -> None:
    document = {**LEAST_REGISTRATION, "clusterId": text}

    with pytest.raises(JsonError, match="clusterId: expected a string of at most 32767 bytes"):
        from_json(REGISTRATION, document)
