"""Findings as JSON values."""

from collections.abc import Mapping

from kraftsim.controller.core.camel_case import lower_camel


def in_lower_camel(values: Mapping[str, object]) -> dict[str, object]:
    """Returns the values with all keys in lowerCamel, as in every JSON document."""
    return {lower_camel(name): _item(value) for name, value in values.items()}


def _item(value: object) -> object:
    if isinstance(value, dict):
        return in_lower_camel(value)
    if isinstance(value, list | tuple):
        return [_item(element) for element in value]
    return value
