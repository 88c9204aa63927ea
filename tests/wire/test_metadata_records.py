"""Metadata records: every record in every version, and those that no recording has."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kraftsim.controller.core.log import records
from kraftsim.controller.core.log.record_versions import record_version
from kraftsim.controller.core.log.records import Record
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.messages.declared import of_sort
from kraftsim.controller.wire.records.metadata_records import (
    decode_record,
    encode_record,
    record_schema,
)

from .instances import instances

pytestmark = pytest.mark.slow

RECORD_KEYS = [declaration.key for declaration in of_sort("record")]


A_UUID = bytes(range(16))
A_BROKER = records.RegisterBrokerRecord(
    broker_id=1, incarnation_id=A_UUID, broker_epoch=37, end_points=(), features=()
)


def test_every_record_of_the_model_has_a_table_and_a_key() -> None:
    assert sorted(kind.api_key for kind in Record.__subclasses__()) == sorted(RECORD_KEYS)
    assert [*range(6), *range(7, 13), 14, 15, *range(17, 30)] == sorted(RECORD_KEYS)


@pytest.mark.rule("1.39", "1.40", "2.24", "4.37")
@pytest.mark.parametrize("key", RECORD_KEYS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_every_record_comes_back_in_every_version(key: int, data: st.DataObject) -> None:
    table = record_schema(key)
    for version in range(table.max_version + 1):
        record = data.draw(instances(table, version))

        assert (record, version) == decode_record(encode_record(record, version))


@pytest.mark.rule("1.40", "2.24")
@pytest.mark.parametrize(
    ("record", "version", "spelled"),
    [
        (records.FenceBrokerRecord(id=1, epoch=2), 0, "010700 00000001 0000000000000002 00"),
        (records.UnfenceBrokerRecord(id=1, epoch=2), 0, "010800 00000001 0000000000000002 00"),
        (
            records.BrokerRegistrationChangeRecord(
                broker_id=1, broker_epoch=2, fenced=-1, log_dirs=(A_UUID,)
            ),
            2,
            f"011102 00000001 0000000000000002 02 0001ff 0211 02{A_UUID.hex()}",
        ),
        (
            records.UserScramCredentialRecord(
                name="a", mechanism=1, salt=b"s", stored_key=b"k", server_key=b"", iterations=4096
            ),
            0,
            "010b00 0261 01 0273 026b 01 00001000 00",
        ),
        (
            records.RemoveUserScramCredentialRecord(name="a", mechanism=2),
            0,
            "011600 0261 02 00",
        ),
        (
            records.AccessControlEntryRecord(
                id=A_UUID,
                resource_type=2,
                resource_name="t",
                pattern_type=3,
                principal="User:a",
                host="*",
                operation=3,
                permission_type=3,
            ),
            0,
            f"011200 {A_UUID.hex()} 02 0274 03 07557365723a61 022a 03 03 00",
        ),
        (records.RemoveAccessControlEntryRecord(id=A_UUID), 0, f"011300 {A_UUID.hex()} 00"),
        (
            records.DelegationTokenRecord(
                owner="o",
                requester="r",
                renewers=("x",),
                issue_timestamp=1,
                max_timestamp=2,
                expiration_timestamp=3,
                token_id="t",
            ),
            0,
            "010a00 026f 0272 020278 0000000000000001 0000000000000002 0000000000000003 0274 00",
        ),
        (records.RemoveDelegationTokenRecord(token_id="t"), 0, "011a00 0274 00"),
        (records.AbortTransactionRecord(reason="no"), 0, "011900 01 00 03 036e6f"),
        (records.AbortTransactionRecord(), 0, "011900 00"),
    ],
)
def test_records_that_no_recording_has_are_spelled_by_the_schema(
    record: Record, version: int, spelled: str
) -> None:
    assert bytes.fromhex(spelled) == encode_record(record, version)
    assert (record, version) == decode_record(bytes.fromhex(spelled))


@pytest.mark.rule("8.8")
def test_a_start_time_is_a_tagged_field_far_above_kafkas_and_absent_when_unknown() -> None:
    unknown = encode_record(A_BROKER, 4)
    known = encode_record(replace(A_BROKER, start_time_ms=1795223388988), 4)

    assert unknown.endswith(b"\1\0\0")  # fenced, not in controlled shutdown, no tagged field
    assert unknown[:-1] + bytes.fromhex("01 904e 08 000001a1fba7033c") == known
    assert replace(A_BROKER, start_time_ms=1795223388988) == decode_record(known)[0]


@pytest.mark.rule("1.39", "4.37")
@pytest.mark.parametrize("level", [1, 6, 7, 8, 16, 17, 22, 23, 29, 30])
def test_every_version_that_a_metadata_version_allows_can_be_spelled(level: int) -> None:
    version = record_version(A_BROKER, level)

    assert (A_BROKER, version) == decode_record(encode_record(A_BROKER, version))


@pytest.mark.parametrize(
    ("spelled", "complaint"),
    [
        ("", "expected the frame of a record, got 0 bytes"),
        ("0114", "expected the frame of a record, got 2 bytes"),
        ("021400 00", "expected record frame version 1, got 2"),
        ("010600 00", "expected a metadata record, got key 6"),
        ("010005 00", "RegisterBrokerRecord: expected version 0 to 4, got 5"),
        ("011400 00 00", "expected a record of 4 bytes, got 5"),
        ("018080808080 00", "expected a varint of at most 5 bytes"),
    ],
)
def test_what_no_release_writes_is_refused(spelled: str, complaint: str) -> None:
    with pytest.raises(DecodeError) as refused:
        decode_record(bytes.fromhex(spelled))

    assert complaint in str(refused.value)
