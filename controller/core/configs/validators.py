"""Parsers and validators of topic configurations, with Kafka's messages (rule 4.54).

A kind parses a text, a validator checks a parsed value. Both raise INVALID_CONFIG only.
"""

import re
from collections.abc import Callable, Set
from typing import Any

from ..errors import ApiError, ErrorCode
from ..java_text import SPACE, parse_double, parse_integer, shown_double, trim

Value = int | float | bool | str | tuple[str, ...]
Kind = Callable[[str, str], Value]
"""Maps (name, text) to the parsed value."""
Validator = Callable[[str, Any], None]
"""Checks (name, value)."""


def invalid(message: str) -> ApiError:
    """Returns an INVALID_CONFIG error with a message."""
    return ApiError(ErrorCode.INVALID_CONFIG, message)


def _wrong(name: str, value: Value, reason: str) -> ApiError:
    return invalid(f"Invalid value {_shown(value)} for configuration {name}: {reason}")


def _shown(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return shown_double(value) if isinstance(value, float) else str(value)


# Kinds. Messages show a text that does not parse as received, an invalid value as parsed.


def _number(kind: str, parse: Callable[[str], int | float | None]) -> Kind:
    def read(name: str, text: str) -> Value:
        number = parse(trim(text))
        if number is None:
            raise _wrong(name, text, f"Not a number of type {kind}")
        return number

    return read


INT = _number("INT", lambda text: parse_integer(text, 32))
SHORT = _number("SHORT", lambda text: parse_integer(text, 16))
LONG = _number("LONG", lambda text: parse_integer(text, 64))
DOUBLE = _number("DOUBLE", parse_double)


def BOOLEAN(name: str, text: str) -> bool:
    """Parses "true" or "false" in any case."""
    word = trim(text).upper()
    if word not in ("TRUE", "FALSE"):
        raise _wrong(name, text, "Expected value to be either true or false")
    return word == "TRUE"


def STRING(name: str, text: str) -> str:
    """Returns the text without surrounding white space."""
    return trim(text)


def LIST(name: str, text: str) -> tuple[str, ...]:
    """Returns the parts between commas, empty parts included; an empty text has no parts."""
    trimmed = trim(text)
    return tuple(part.strip(_AROUND_COMMA) for part in trimmed.split(",")) if trimmed else ()


def DISTINCT_LIST(name: str, text: str) -> tuple[str, ...]:
    """Returns the parts of a list, each once, as 4.3 does for lists of given words (KIP-1161)."""
    return tuple(dict.fromkeys(LIST(name, text)))


_AROUND_COMMA = " \t\n\r\f\v"


# Validators


def at_least(least: int | float) -> Validator:
    """Returns a validator with a minimum."""

    def check(name: str, value: int | float) -> None:
        if value < least:
            raise _wrong(name, value, f"Value must be at least {least}")

    return check


def between(least: int | float, most: int | float) -> Validator:
    """Returns a validator with a minimum and a maximum; NaN passes, as in Kafka."""

    def check(name: str, value: int | float) -> None:
        at_least(least)(name, value)
        if value > most:
            raise _wrong(name, value, f"Value must be no more than {most}")

    return check


def gzip_level(name: str, value: int) -> None:
    """Validates a gzip compression level: 1 to 9, or -1."""
    if value != -1 and not 1 <= value <= 9:
        raise _wrong(name, value, "Value must be between 1 and 9 or equal to -1")


def one_of(*words: str) -> Validator:
    """Returns a validator of a string that must be one of `words`."""

    def check(name: str, value: str) -> None:
        if value not in words:
            raise _wrong(name, value, f"String must be one of: {', '.join(words)}")

    return check


def one_of_in_any_case(*words: str) -> Validator:
    """Returns a validator of a string that must be one of `words`, which are in upper case."""

    def check(name: str, value: str) -> None:
        if value.upper() not in words:
            expected = f"String must be one of (case insensitive): {', '.join(words)}"
            raise _wrong(name, value, expected)

    return check


def not_empty(name: str, value: str) -> None:
    """Validates a string that has characters other than white space."""
    if not value:
        raise _wrong(name, value, "String must be non-empty")


def each_of(*words: str) -> Validator:
    """Returns a validator of a list whose elements must be among `words`."""

    def check(name: str, values: tuple[str, ...]) -> None:
        for value in values:
            one_of(*words)(name, value)

    return check


def each_of_without_empty(*words: str) -> Validator:
    """Returns the validator of Kafka 4.3's lists, whose elements must be among `words`.

    Kafka 4.3 has a message of its own for an empty element.
    """

    def check(name: str, values: tuple[str, ...]) -> None:
        for value in values:
            without_empty(name, (value,))
            one_of(*words)(name, value)

    return check


def without_empty(name: str, values: tuple[str, ...]) -> None:
    """Validates a list of Kafka 4.3, which has no empty element."""
    if "" in values:
        raise invalid(f"Configuration '{name}' values must not be empty.")


def offset_reset(name: str, value: str) -> None:
    """Validates where a share group starts: "earliest", "latest" or a duration in ISO 8601."""
    duration = re.fullmatch(r"by_duration:\+?P(.*)", value, re.IGNORECASE)
    if value in ("earliest", "latest") or (
        value.startswith("by_duration:") and duration and re.fullmatch(_DURATION, duration[1])
    ):
        return
    reason = (
        f"Invalid value `{value}` for configuration {name}. The value must be either 'earliest', "
        "'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'."
    )
    raise _wrong(name, value, reason)


_DURATION = r"(?ai)(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+([.,]\d{0,9})?S)?)?"


def throttled_replicas(name: str, values: tuple[str, ...]) -> None:
    """Validates '*' or a list of partitionId:brokerId."""
    parts = [value.strip(SPACE) for value in values]
    if "".join(parts) != "*" and not all(re.fullmatch(_REPLICA, part) for part in parts):
        reason = (
            f"{name} must be the literal '*' or a list of replicas in the following format: "
            "[partitionId]:[brokerId],[partitionId]:[brokerId],..."
        )
        raise _wrong(name, values, reason)


_REPLICA = r"([0-9]+:[0-9]+)?"


def format_version(versions: Set[str]) -> Validator:
    """Returns a validator of a release or development version.

    Text after the next dot is ignored.
    """

    def check(name: str, value: str) -> None:
        parts = value.rstrip(".").split(".")
        length = 3 if value.startswith("0.") else 2
        if (".".join(parts[:length]) if len(parts) > length else value) not in versions:
            raise _wrong(name, value, f"Version {value} is not a valid version")

    return check
