"""Hypothesis strategies for what a client may send: requests of every API, whole or damaged.

A value of a request is arbitrary, or taken from a small pool, so that requests name brokers,
controllers and topics of the attacked cluster and reach the handlers behind the first checks.
"""

from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from kraftsim.controller.core.rpc.envelope import EnvelopeRequest
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from kraftsim.controller.wire.apis.table import APIS, ENVELOPE
from kraftsim.controller.wire.frames import REQUEST_BYTES_MAX, encode_request
from tests.wire.instances import instances

CLUSTER_ID = "kraftsimTestCluster001"
BROKER_IDS, CONTROLLER_IDS = (1, 2), (3000, 3001, 3002)
WAIT_MS_MAX = 5_000  # of a request whose answer a test waits for

_small = st.integers(0, 20)
_members = st.sampled_from((*BROKER_IDS, *CONTROLLER_IDS, 7, -1))
_waits = st.integers(-1, WAIT_MS_MAX)
_names = st.sampled_from(("__cluster_metadata", "orders", "CONTROLLER", "retention.ms"))
_features = st.sampled_from(("metadata.version", "kraft.version", "group.version"))
_POOL: dict[str, st.SearchStrategy[Any]] = {
    "cluster_id": st.sampled_from((CLUSTER_ID, None, "")),
    "topic_id": st.sampled_from((METADATA_TOPIC_ID, bytes(16))),
    "feature": _features,
    "validate_only": st.just(True),
    "max_wait_ms": _waits,
    "timeout_ms": _waits,
    **dict.fromkeys(("name", "topic_name"), _names | _features),
    **dict.fromkeys(
        ("broker_id", "controller_id", "leader_id", "replica_id", "candidate_id", "voter_id"),
        _members,
    ),
    **dict.fromkeys(
        (
            "broker_epoch",
            "current_leader_epoch",
            "current_metadata_offset",
            "end_offset",
            "epoch",
            "fetch_offset",
            "last_fetched_epoch",
            "last_offset",
            "last_offset_epoch",
            "leader_epoch",
            "max_version_level",
            "num_partitions",
            "partition",
            "partition_epoch",
            "partition_index",
            "position",
            "replica_epoch",
            "replication_factor",
        ),
        _small,
    ),
}
ANONYMOUS = b"\0\0\x05User\x0aANONYMOUS\0\0"  # a principal, as a broker without SASL writes it
LOOPBACK = bytes((127, 0, 0, 1))
_OFTEN = {"cluster_id", "max_wait_ms", "timeout_ms"}

_INTRUDERS = st.binary(max_size=4) | st.sampled_from(
    (
        b"\xff\xff\xff\xff\x07",  # a varint of 2**31 - 1
        b"\xff" * 5,
        b"\x80" * 10,
        b"\x7f\xff\xff\xff",
        b"\x80\0\0\0",
        b"\xff\xff",
        b"\0\x01\x86\xa1",  # one element too many
        b"\xc3(",  # no UTF-8
        b"\0",
    )
)


def framed(frame: bytes) -> bytes:
    """Returns the frame with its length before it."""
    return len(frame).to_bytes(4) + frame


@st.composite
def plausible(draw: st.DrawFn, message: Any) -> Any:
    """The message with some of its values replaced by those of the attacked cluster."""
    changed: dict[str, Any] = {}
    for field in fields(message):
        value = getattr(message, field.name)
        pool = _POOL.get(field.name)
        if isinstance(value, tuple) and value and is_dataclass(value[0]):
            changed[field.name] = tuple(draw(plausible(element)) for element in value)
        elif is_dataclass(value):
            changed[field.name] = draw(plausible(value))
        elif pool is not None and (field.name in _OFTEN or draw(st.booleans())):
            drawn = draw(pool)
            changed[field.name] = value if drawn is None and value is not None else drawn
    return replace(message, **changed)


@st.composite
def requests(draw: st.DrawFn, kind: str) -> bytes:
    """A well-formed request of any API and version of a listener, without its length."""
    api = draw(st.sampled_from([api for api in APIS.values() if kind in api.listeners]))
    version = draw(st.integers(api.min_version, api.max_version))
    message = draw(plausible(draw(instances(api.request, version))))
    if api.key == ENVELOPE and draw(st.booleans()):
        message = EnvelopeRequest(
            request_data=draw(requests(kind)),
            request_principal=ANONYMOUS,
            client_host_address=LOOPBACK,
        )
    client_id = draw(st.none() | st.text(max_size=5))
    number = draw(st.integers(-(2**31), 2**31 - 1))
    return encode_request(api.key, version, number, client_id, message)[4:]


@st.composite
def damaged(draw: st.DrawFn, kind: str) -> bytes:
    """A request with bytes replaced, put in, taken out, doubled or cut off, without its length."""
    frame = bytearray(draw(requests(kind)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(frame)))
        taken = draw(st.integers(0, 4))
        how = draw(st.sampled_from(("replace", "insert", "double", "cut", "tags")))
        if how == "replace":
            frame[place : place + taken] = draw(_INTRUDERS)
        elif how == "insert":
            frame[place:place] = draw(_INTRUDERS)
        elif how == "double":
            frame[place:place] = frame[place:]
        elif how == "cut":
            del frame[place:]
        elif frame[-1:] == b"\0":  # the tag section of a flexible request
            frame[-1:] = draw(unknown_tags())
    return bytes(frame)


@st.composite
def unknown_tags(draw: st.DrawFn) -> bytes:
    """A section of tagged fields that no schema has."""
    contents = draw(st.lists(st.binary(max_size=9), max_size=3))
    tags = b"".join(bytes([100 + n, len(data)]) + data for n, data in enumerate(contents))
    return bytes([len(contents)]) + tags


@st.composite
def mislabelled(draw: st.DrawFn, kind: str) -> bytes:
    """A request behind a length that is not its own."""
    frame = draw(requests(kind))
    near = st.integers(-9, 9).map(lambda more: len(frame) + more)
    far = st.sampled_from((-1, -(2**31), REQUEST_BYTES_MAX, REQUEST_BYTES_MAX + 1, 2**31 - 1))
    return draw(near | far).to_bytes(4, signed=True) + frame


def streams(kind: str) -> st.SearchStrategy[bytes]:
    """The bytes of a connection: requests that are well-formed, damaged or no requests at all."""
    sent = (
        requests(kind).map(framed)
        | damaged(kind).map(framed)
        | mislabelled(kind)
        | st.binary(max_size=64)
    )
    return st.lists(sent, max_size=6).map(b"".join)


@st.composite
def pieces(draw: st.DrawFn, stream: bytes) -> list[bytes]:
    """The stream in order, cut at any places."""
    cuts = draw(st.lists(st.integers(0, len(stream)), max_size=5))
    return [stream[start:end] for start, end in pairwise([0, *sorted(cuts), len(stream)])]
