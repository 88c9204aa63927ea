"""Findings as JSON values."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from kraftsim.controller.wire.codec.schema import lower_camel

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def document_of(findings: "DataclassInstance") -> dict[str, object]:
    """Returns the fields of a dataclass as JSON values, with keys in lowerCamel as in all JSON."""
    return {lower_camel(name): _in_camel(item) for name, item in asdict(findings).items()}


def _in_camel(item: object) -> object:
    if isinstance(item, dict):
        return {lower_camel(name): _in_camel(value) for name, value in item.items()}
    if isinstance(item, list | tuple):
        return [_in_camel(value) for value in item]
    return item
