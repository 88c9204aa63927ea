"""The text that Kafka's tool prints of bootstrap records: Java's toString of BootstrapMetadata."""

from collections.abc import Iterable
from dataclasses import fields

from kraftsim.controller.core.camel_case import lower_camel
from kraftsim.controller.core.log.records import Record


def bootstrap_text(records: Iterable[Record], metadata_version: int) -> str:
    """Returns the text of records of version 0, which `storage format` writes."""
    shown = ", ".join(f"ApiMessageAndVersion({_text(record)} at version 0)" for record in records)
    return (
        f"BootstrapMetadata(records=[{shown}], metadataVersionLevel={metadata_version}, "
        "source=format command)"
    )


def _text(record: Record) -> str:
    shown = ", ".join(
        f"{lower_camel(field.name)}={_value(getattr(record, field.name))}"
        for field in fields(record)
    )
    return f"{type(record).__name__}({shown})"


def _value(value: object) -> str:
    if isinstance(value, bytes):  # Java's bytes have a sign
        return f"[{', '.join(str(byte - 256 if byte > 127 else byte) for byte in value)}]"
    return f"'{value}'" if isinstance(value, str) else str(value)
