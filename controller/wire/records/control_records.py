"""Encodes the control records of the metadata log, which the quorum itself writes (rule 10.49).

The key is a version and a type. The value is a flexible message that begins with its own version,
which every release writes and reads as 0.
"""

from struct import Struct as Packing
from struct import error
from typing import cast

from ...core.log.batch import (
    ControlRecord,
    KRaftVersion,
    LeaderChange,
    SnapshotFooter,
    SnapshotHeader,
    VersionRange,
    Voter,
    VoterEndpoint,
    Voters,
)
from ..codec.compiler import decoder, encoder
from ..codec.schema import (
    INT16,
    INT32,
    INT64,
    STRING,
    UINT16,
    UUID,
    Array,
    Field,
    Message,
    Struct,
    message,
)
from ..errors import DecodeError

VERSION = 0
_KEY = Packing(">hh")
_VALUE_VERSION = Packing(">h")

_VOTER_IDS = Array(Struct(None, (Field("voter_id", INT32),)))
_ENDPOINT = Struct(
    VoterEndpoint, (Field("name", STRING), Field("host", STRING), Field("port", UINT16))
)
_VERSION_RANGE = Struct(
    VersionRange,
    (Field("min_supported_version", INT16), Field("max_supported_version", INT16)),
)
_VOTER = Struct(
    Voter,
    (
        Field("voter_id", INT32),
        Field("voter_directory_id", UUID),
        Field("endpoints", Array(_ENDPOINT)),
        Field("k_raft_version_feature", _VERSION_RANGE),
    ),
)


def _record(name: str, model: type, *fields: Field) -> Message:
    return message(name, model, (VERSION, VERSION), *fields)


# By Kafka's ControlRecordType; 0 and 1 are transaction markers, which this log never has.
CONTROL_RECORDS: dict[int, Message] = {
    2: _record(
        "LeaderChange",
        LeaderChange,
        Field("leader_id", INT32),
        Field("voters", _VOTER_IDS),
        Field("granting_voters", _VOTER_IDS),
    ),
    3: _record("SnapshotHeader", SnapshotHeader, Field("last_contained_log_timestamp", INT64)),
    4: _record("SnapshotFooter", SnapshotFooter),
    5: _record(
        "KraftVersion", KRaftVersion, Field("kraft_version", INT16, json_name="kRaftVersion")
    ),
    6: _record("KraftVoters", Voters, Field("voters", Array(_VOTER))),
}
TYPES: dict[type, int] = {table.model: kind for kind, table in CONTROL_RECORDS.items()}


def encode_control_record(record: ControlRecord) -> tuple[bytes, bytes]:
    """Returns the encoded key and value of a control record."""
    kind = TYPES[type(record)]
    body = encoder(CONTROL_RECORDS[kind], VERSION)(record)
    return _KEY.pack(VERSION, kind), _VALUE_VERSION.pack(VERSION) + body


def decode_control_record(key: bytes, value: bytes) -> ControlRecord:
    """Returns the control record of a key and a value.

    Raises DecodeError for malformed bytes, an unknown type or version.
    """
    try:
        (_, kind), (version,) = _KEY.unpack_from(key), _VALUE_VERSION.unpack_from(value)
    except error:
        raise DecodeError(
            f"expected a control record, got a key of {len(key)} and a value of {len(value)} bytes"
        ) from None
    if kind not in CONTROL_RECORDS or version != VERSION:
        raise DecodeError(
            f"expected a control record of type 2 to 6 and version {VERSION}, "
            f"got type {kind} and version {version}"
        )
    record, _ = decoder(CONTROL_RECORDS[kind], VERSION)(value, _VALUE_VERSION.size)
    return cast(ControlRecord, record)
