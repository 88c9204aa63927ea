"""Control records, against bytes of the recordings and against each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kraftsim.controller.core.log.control_records import (
    ControlRecord,
    KRaftVersion,
    LeaderChange,
    SnapshotFooter,
    SnapshotHeader,
)
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.messages.declared import of_sort
from kraftsim.controller.wire.records.control_records import (
    control_record_schema,
    decode_control_record,
    encode_control_record,
)

from .instances import instances

TYPES = [declaration.key for declaration in of_sort("control")]


def test_every_control_record_of_the_model_has_a_type() -> None:
    assert sorted(kind.api_key for kind in ControlRecord.__subclasses__()) == sorted(TYPES)


@pytest.mark.slow
@given(st.data())
def test_every_control_record_comes_back(data: st.DataObject) -> None:
    table = control_record_schema(data.draw(st.sampled_from(TYPES)))
    record = data.draw(instances(table, 0))

    assert record == decode_control_record(*encode_control_record(record))


@pytest.mark.parametrize(
    ("record", "key", "value"),
    [
        (
            LeaderChange(leader_id=3000, voters=(3000,), granting_voters=(3000,)),
            "0000 0002",
            "0000 00000bb8 02 00000bb8 00 02 00000bb8 00 00",
        ),
        (SnapshotHeader(last_contained_log_timestamp=0), "0000 0003", "0000 0000000000000000 00"),
        (SnapshotFooter(), "0000 0004", "0000 00"),
        (KRaftVersion(kraft_version=1), "0000 0005", "0000 0001 00"),
    ],
)
def test_a_control_record_is_spelled_as_kafka_spells_it(
    record: ControlRecord, key: str, value: str
) -> None:
    assert (bytes.fromhex(key), bytes.fromhex(value)) == encode_control_record(record)
    assert record == decode_control_record(bytes.fromhex(key), bytes.fromhex(value))


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        (b"", b"", "a key of 0 and a value of 0 bytes"),
        (b"\0\0\0\1", b"\0\0\0", "got type 1 and version 0"),
        (b"\0\0\0\4", b"\0\7\0", "got type 4 and version 7"),
        (b"\0\0\0\2", b"\0\0\0\0", "expected more than the 4 bytes that came"),
    ],
)
def test_what_no_release_writes_is_refused(key: bytes, value: bytes, complaint: str) -> None:
    with pytest.raises(DecodeError) as refused:
        decode_control_record(key, value)

    assert complaint in str(refused.value)
