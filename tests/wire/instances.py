"""Hypothesis strategies for what a table can spell: objects of one message in one version."""

from typing import Any

from hypothesis import strategies as st
from kio.schema.errors import ErrorCode

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord, TopicRecord
from kraftsim.controller.wire.codec.schema import (
    BOOL,
    BYTES,
    FLOAT64,
    STRING,
    UUID,
    Array,
    Converted,
    Field,
    Fixed,
    Message,
    Struct,
    WireType,
)

ERROR_CODES = sorted(code.value for code in ErrorCode)  # kio refuses any other


def instances(message: Message, version: int) -> st.SearchStrategy[Any]:
    return structs(message.struct, version)


def structs(struct: Struct, version: int) -> st.SearchStrategy[Any]:
    assert struct.model is not None
    present = {
        field.name: values(field, version)
        for field in struct.fields
        if field.since <= version <= field.until and not field.on_demand
    }
    return st.builds(struct.model, **present)


def values(field: Field, version: int) -> st.SearchStrategy[Any]:
    if field.name.endswith("error_code"):
        return st.sampled_from(ERROR_CODES)
    spelled = of_type(field.type, version)
    if version < field.empty_is_null_before:
        spelled = spelled.map(lambda items: items or None)
    if field.tag is not None:
        spelled = st.just(field.default) | spelled
    return st.none() | spelled if field.nullable_since <= version else spelled


def of_type(kind: WireType, version: int) -> st.SearchStrategy[Any]:
    if isinstance(kind, Array):
        key = kind.keyed_by
        unique = None if key is None else lambda item: getattr(item, key)
        elements = of_type(kind.element, version)
        return st.lists(elements, max_size=3, unique_by=unique).map(tuple)
    if isinstance(kind, Struct):
        if kind.model is None:
            (only,) = kind.fields
            return of_type(only.type, version)
        return structs(kind, version)
    if isinstance(kind, Converted):
        return st.lists(batches(), max_size=2).map(tuple)
    if isinstance(kind, Fixed) and kind.high:
        return st.integers(kind.low, kind.high)
    return _SIMPLE[kind]


def batches() -> st.SearchStrategy[Batch]:
    records = st.lists(
        st.just(NoOpRecord())
        | st.builds(
            TopicRecord, name=st.text(max_size=9), topic_id=st.binary(min_size=16, max_size=16)
        ),
        min_size=1,
        max_size=3,
    ).map(tuple)
    return st.builds(
        lambda records, **others: Batch(records=records, versions=(0,) * len(records), **others),
        records=records,
        base_offset=st.integers(0, 2**62),
        epoch=st.integers(0, 2**31 - 1),
        timestamp_ms=st.integers(-1, 2**62),
    )


_SIMPLE: dict[WireType, st.SearchStrategy[Any]] = {
    BOOL: st.booleans(),
    FLOAT64: st.floats(allow_nan=False),
    STRING: st.text(max_size=12) | st.text(alphabet="é", min_size=60, max_size=90),
    BYTES: st.binary(max_size=12),
    UUID: st.binary(min_size=16, max_size=16) | st.just(bytes(16)),
}
