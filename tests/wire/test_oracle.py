"""Our tables and kio's schemas, which were made from Kafka's own, say the same.

kio calls durations `throttle_time` where Kafka and we say `throttle_time_ms`, has a zero uuid as
None, knows error codes as an enumeration, and tells records from other bytes.
"""

import importlib
import io
import os
import re
import typing
from dataclasses import dataclass, fields, is_dataclass
from datetime import timedelta
from enum import Enum
from functools import cache
from typing import Any
from uuid import UUID as StandardUuid

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from kio.serial import entity_reader, entity_writer
from kio.serial._implicit_defaults import get_tagged_field_default
from kio.static.constants import EntityType

from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.compiler import decoder, encoder, step_encoder
from kraftsim.controller.wire.codec.schema import Array, Converted, Field, Message, Struct
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frames import last_of
from tests.offered_by_kafka import BROUGHT_BY_4_4

from .instances import instances

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "4"))  # of each of some 500 versions

PACKAGES = {key: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", api.name).lower() for key, api in APIS.items()}

# ACLs and AlterConfigs: Kafka closes the connection for some values, and so do we.
REFUSES_VALUES = {29, 30, 31, 33}
NARROWER_IN_KIO = {0, 8, 36, 38, 39, 40, 65, 78}
"""APIs with an int64 that kio keeps as a time, which most values exceed, or with null records."""
VALUES = [
    (key, version, kind)
    for key, api in APIS.items()
    for version in range(api.min_version, api.max_version + 1)
    for kind in ("request", "response")
    if (key, version) not in BROUGHT_BY_4_4
]
ALL = [pytest.param(*row, id=f"{APIS[row[0]].name}-{row[1]}-{row[2]}") for row in VALUES]


def table(key: int, kind: str) -> Message:
    return APIS[key].request if kind == "request" else APIS[key].response


@cache
def kio_class(key: int, version: int, kind: str) -> type:
    module = importlib.import_module(f"kio.schema.{PACKAGES[key]}.v{version}.{kind}")
    (found,) = (
        value
        for value in vars(module).values()
        if is_dataclass(value)
        and isinstance(value, type)
        and getattr(value, "__type__", None) is EntityType[kind]
    )
    return found


@dataclass(frozen=True)
class Row:
    """A field as both sides can say it."""

    name: str
    type: str
    is_nullable: bool
    tag: int | None
    inside: tuple["Row", ...] = ()


def our_rows(struct: Struct, version: int) -> tuple[Row, ...]:
    return tuple(
        our_row(field, version)
        for field in struct.fields
        if field.since <= version <= field.until and not field.on_demand
    )


def our_row(field: Field, version: int) -> Row:
    kind = field.type
    is_array = isinstance(kind, Array)
    element = kind.element if isinstance(kind, Array) else kind
    name = "" if isinstance(element, Struct) else element.name
    name = "bytes" if isinstance(element, Converted) else name
    inside = our_rows(element, version) if isinstance(element, Struct) else ()
    is_nullable = field.nullable_since <= version
    return Row(field.name, "[]" * is_array + name, is_nullable, field.tag, inside)


def kio_rows(entity: type) -> tuple[Row, ...]:
    hints = typing.get_type_hints(entity)
    return tuple(kio_row(field, hints[field.name]) for field in fields(entity))


def kio_row(field: Any, hint: Any) -> Row:
    options = [hint_part for hint_part in flat_union(hint) if hint_part is not type(None)]
    (main,) = options
    is_nullable = len(flat_union(hint)) > len(options)
    is_array = typing.get_origin(main) is tuple
    element = typing.get_args(main)[0] if is_array else main
    kafka_type = field.metadata.get("kafka_type", "")
    name = kio_type(kafka_type)
    if (name == "uuid" and not is_array) or kafka_type == "datetime_i64":
        is_nullable = False  # None is how kio says zero, or no time
    if kafka_type == "records" and field.name == "records":
        is_nullable = True  # kio has those of ShareFetch as required
    inside = kio_rows(element) if is_dataclass(element) and isinstance(element, type) else ()
    tag = field.metadata.get("tag")
    return Row(our_name(field), "[]" * is_array + name, is_nullable, tag, inside)


def flat_union(hint: Any) -> tuple[Any, ...]:
    return (
        typing.get_args(hint)
        if typing.get_origin(hint) is not tuple and typing.get_args(hint)
        else (hint,)
    )


def kio_type(name: str) -> str:
    return KIO_TYPES.get(name, name)


RENAMED_IN_4_4 = {"acceptable_recovery_lag": "acceptable_recovery_lag_legacy"}
KIO_TYPES = {
    "error_code": "int16",
    "timedelta_i32": "int32",
    "timedelta_i64": "int64",
    "datetime_i64": "int64",
    "records": "bytes",
}


def our_name(field: Any) -> str:
    is_duration = field.metadata.get("kafka_type", "").startswith(("timedelta", "datetime"))
    name = RENAMED_IN_4_4.get(field.name, str(field.name).removesuffix("_"))
    return f"{name}_ms" if is_duration else name


@pytest.mark.rule("1.2", "1.4", "2.1", "2.2", "3.1", "5.5", "5.6", "5.21", "5.49", "5.61")
@pytest.mark.parametrize(("key", "version", "kind"), ALL)
def test_the_table_has_kafkas_fields_and_no_other(key: int, version: int, kind: str) -> None:
    theirs = kio_class(key, version, kind)

    assert kio_rows(theirs) == our_rows(table(key, kind).struct, version)
    assert theirs.__flexible__ == table(key, kind).is_flexible(version)


def test_no_later_version_is_known_to_kio() -> None:
    unstable = {22}
    for key, package in PACKAGES.items():
        if key in unstable:
            continue
        known = {version for of, version, _ in VALUES if of == key}
        if known:
            importlib.import_module(f"kio.schema.{package}.v{max(known)}")
            with pytest.raises(ModuleNotFoundError):
                importlib.import_module(f"kio.schema.{package}.v{max(known) + 1}")


@pytest.mark.parametrize(("key", "version", "kind"), ALL)
def test_tagged_fields_have_kafkas_defaults(key: int, version: int, kind: str) -> None:
    compare_defaults(table(key, kind).struct, kio_class(key, version, kind), version)


def compare_defaults(struct: Struct, entity: type, version: int) -> None:
    hints = typing.get_type_hints(entity)
    theirs = {our_name(field): field for field in fields(entity)}
    for field in struct.fields:
        if not field.since <= version <= field.until or field.on_demand:
            continue
        if field.tag is not None:
            default = get_tagged_field_default(theirs[field.name])
            assert plain(default, field) == plain(field.default, field), field.name
        element = field.type.element if isinstance(field.type, Array) else field.type
        if isinstance(element, Struct):
            (inside,) = (
                hint_part
                for hint in flat_union(hints[theirs[field.name].name])
                for hint_part in (hint, *typing.get_args(hint))
                if is_dataclass(hint_part) and isinstance(hint_part, type)
            )
            compare_defaults(element, inside, version)


@pytest.mark.parametrize(
    ("key", "version", "kind"), [row for row in ALL if row.values[0] not in NARROWER_IN_KIO]
)
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_read_what_the_other_wrote(
    key: int, version: int, kind: str, data: st.DataObject
) -> None:
    message = table(key, kind)
    ours = data.draw(instances(message, version))

    spelled = encoder(message, version)(ours)
    in_steps = step_encoder(message, version)
    assert in_steps is None or spelled == last_of(in_steps(ours))
    if kind == "request" and key in REFUSES_VALUES:
        assume(is_accepted(message, version, spelled))
    theirs, end = entity_reader(kio_class(key, version, kind))(spelled, 0)
    assert len(spelled) == end
    assert document(theirs) == document(ours, message.struct, version)

    again = io.BytesIO()
    entity_writer(kio_class(key, version, kind))(again, theirs)
    assert spelled == again.getvalue()
    assert (ours, len(spelled)) == decoder(message, version)(again.getvalue(), 0)


def is_accepted(message: Any, version: int, spelled: bytes) -> bool:
    """Returns False if the values are those for which Kafka's parser closes the connection."""
    try:
        decoder(message, version)(spelled, 0)
    except DecodeError:
        return False
    return True


def document(value: Any, struct: Struct | None = None, version: int = 0) -> Any:
    """An entity of kio, or an object of ours in one version, in plain values."""
    if struct is None:
        return {our_name(field): plain(getattr(value, field.name)) for field in fields(value)}
    return {
        field.name: plain(getattr(value, field.name), field, version)
        for field in struct.fields
        if field.since <= version <= field.until and not field.on_demand
    }


def plain(value: Any, field: Field | None = None, version: int = 0) -> Any:
    if value is None and field is not None and version < field.empty_is_null_before:
        return []
    if isinstance(value, tuple) and not (field and isinstance(field.type, Converted)):
        element = None
        if field is not None and isinstance(field.type, Array):
            element = Field(field.name, field.type.element)
        return [plain(each_element, element, version) for each_element in value]
    if is_dataclass(value):
        struct = field.type if field is not None and isinstance(field.type, Struct) else None
        return document(value, struct if is_ours(value) else None, version)
    if isinstance(value, StandardUuid):
        return value.bytes
    if isinstance(value, timedelta):
        return value // timedelta(milliseconds=1)
    if isinstance(value, Enum):
        return value.value
    if field is not None and isinstance(field.type, Converted) and value is not None:
        return field.type.encode(value)
    return None if value == ZERO_UUID else value


def is_ours(value: Any) -> bool:
    return type(value).__module__.startswith("kraftsim.")
