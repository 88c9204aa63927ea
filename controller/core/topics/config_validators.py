"""Kinds of topic configurations and what their values must satisfy, in Kafka's words (rule 4.54).

A kind parses a text, a validator refuses a parsed value. Both raise INVALID_CONFIG, nothing else.
"""

import re
from collections.abc import Callable, Set
from typing import Any

from ..errors import ApiError, ErrorCode
from ..java_text import SPACE, parse_double, parse_integer, shown_double, trim

Value = int | float | bool | str | tuple[str, ...]
Kind = Callable[[str, str], Value]
"""(name, text) to the value."""
Validator = Callable[[str, Any], None]
"""(name, value)."""


def invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_CONFIG, message)


def _wrong(name: str, value: Value, why: str) -> ApiError:
    return invalid(f"Invalid value {_shown(value)} for configuration {name}: {why}")


def _shown(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return shown_double(value) if isinstance(value, float) else str(value)


# Kinds. A text that cannot be parsed is shown as it came, a value out of range as it was parsed.


def _number(kind: str, parse: Callable[[str], int | float | None]) -> Kind:
    def read(name: str, text: str) -> Value:
        number = parse(trim(text))
        if number is None:
            raise _wrong(name, text, f"Not a number of type {kind}")
        return number

    return read


INT = _number("INT", lambda text: parse_integer(text, 32))
LONG = _number("LONG", lambda text: parse_integer(text, 64))
DOUBLE = _number("DOUBLE", parse_double)


def BOOLEAN(name: str, text: str) -> bool:
    word = trim(text).upper()
    if word not in ("TRUE", "FALSE"):
        raise _wrong(name, text, "Expected value to be either true or false")
    return word == "TRUE"


def STRING(name: str, text: str) -> str:
    return trim(text)


def LIST(name: str, text: str) -> tuple[str, ...]:
    """The parts between the commas, empty ones included; of an empty text none."""
    trimmed = trim(text)
    return tuple(part.strip(_AROUND_COMMA) for part in trimmed.split(",")) if trimmed else ()


_AROUND_COMMA = " \t\n\r\f\v"


# Validators


def at_least(least: int) -> Validator:
    def check(name: str, value: float) -> None:
        if value < least:
            raise _wrong(name, value, f"Value must be at least {least}")

    return check


def between(least: int, most: int) -> Validator:
    """NaN passes, as it does in Kafka."""

    def check(name: str, value: float) -> None:
        at_least(least)(name, value)
        if value > most:
            raise _wrong(name, value, f"Value must be no more than {most}")

    return check


def gzip_level(name: str, value: int) -> None:
    if value != -1 and not 1 <= value <= 9:
        raise _wrong(name, value, "Value must be between 1 and 9 or equal to -1")


def one_of(*words: str) -> Validator:
    def check(name: str, value: str) -> None:
        if value not in words:
            raise _wrong(name, value, f"String must be one of: {', '.join(words)}")

    return check


def each_of(*words: str) -> Validator:
    def check(name: str, values: tuple[str, ...]) -> None:
        for value in values:
            one_of(*words)(name, value)

    return check


def each_of_without_empty(*words: str) -> Validator:
    """In 4.3 an empty part of the list has a text of its own."""

    def check(name: str, values: tuple[str, ...]) -> None:
        for value in values:
            if not value:
                raise invalid(f"Configuration '{name}' values must not be empty.")
            one_of(*words)(name, value)

    return check


def throttled_replicas(name: str, values: tuple[str, ...]) -> None:
    parts = [value.strip(SPACE) for value in values]
    if "".join(parts) != "*" and not all(_REPLICA.fullmatch(part) for part in parts):
        why = (
            f"{name} must be the literal '*' or a list of replicas in the following format: "
            "[partitionId]:[brokerId],[partitionId]:[brokerId],..."
        )
        raise _wrong(name, values, why)


_REPLICA = re.compile(r"([0-9]+:[0-9]+)?")


def format_version(versions: Set[str]) -> Validator:
    """A release or one of its development versions; text after the next dot is ignored."""

    def check(name: str, value: str) -> None:
        parts = value.rstrip(".").split(".")
        wanted = 3 if value.startswith("0.") else 2
        if (".".join(parts[:wanted]) if len(parts) > wanted else value) not in versions:
            raise _wrong(name, value, f"Version {value} is not a valid version")

    return check
