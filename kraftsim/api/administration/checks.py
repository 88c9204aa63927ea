"""Checks of an administrator's arguments, which need no cluster.

Each function takes parameters of operations by name, and raises UsageError.
"""

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from kraftsim.controller.core.partitions.elect_leaders import ELECTIONS
from kraftsim.scenarios.language.suggestions import whole_number

from ...errors import UsageError
from ..argument_checks import check_page, expect_int, expect_one_of, expect_text

Config = str | int | float | bool


def check_topic(name: str) -> None:
    """Raises UsageError if the name is no text."""
    expect_text("name", name)


def check_topic_read(
    name: str, partition: int | None = None, from_: int = 0, limit: int = 1000
) -> None:
    """Raises UsageError for a name that is no text, or a number out of bounds."""
    check_partition(name, partition)
    check_page(from_, limit)


def check_log_export(name: str, partition: int, from_: int = 0, broker: int | None = None) -> None:
    """Raises UsageError for a name that is no text, or a number out of bounds."""
    check_partition(name, partition)
    check_page(from_)
    if broker is not None:
        _expect_number("broker", broker, 2**31)


def check_topic_write(
    name: str,
    lines: Sequence[str],
    partition: int | None = None,
    key_separator: str | None = None,
) -> None:
    """Raises UsageError for lines that are no texts, without showing them, or a bad number."""
    check_partition(name, partition)
    if key_separator is not None:
        expect_text("key_separator", key_separator)
        if not key_separator:
            raise UsageError("key_separator: expected a text of at least one character, got ''")
    if not _is_list(lines):
        raise UsageError(f"lines: expected a list of texts, got {type(lines).__name__}")
    given: Sequence[object] = lines
    for number, line in enumerate(given, 1):
        if not isinstance(line, str) or any("\ud800" <= letter <= "\udfff" for letter in line):
            raise UsageError(f"lines: expected texts that UTF-8 can encode, line {number} is none")


def check_new_topic(
    name: str,
    partitions: int = -1,
    replication_factor: int = -1,
    assignments: Sequence[Sequence[int]] = (),
    config: Mapping[str, Config] | None = None,
) -> None:
    """Raises UsageError for an argument of another type than that of the parameter."""
    check_grown_topic(name, partitions, assignments)
    _expect_number("replication_factor", replication_factor, 2**15)
    texts_of("config", config)


def check_grown_topic(
    name: str, partitions: int, assignments: Sequence[Sequence[int]] = ()
) -> None:
    """Raises UsageError for an argument of another type than that of the parameter."""
    check_topic(name)
    _expect_number("partitions", partitions, 2**31)
    if not _is_list(assignments) or not all(map(_is_ids, assignments)):
        raise UsageError(
            "assignments: expected the brokers of each partition, such as [[1, 2], [2, 3]], got "
            f"{assignments!r}"
        )


def check_partition(name: str, partition: int | None = None) -> None:
    """Raises UsageError if the name is no text, or the partition no number of Kafka's."""
    check_topic(name)
    if partition is not None:
        _expect_number("partition", partition, 2**31)


def check_election(name: str, partition: int | None = None, election: str | None = None) -> None:
    """Raises UsageError for an unknown kind of election, or an argument of another type."""
    check_partition(name, partition)
    if election is not None:
        expect_one_of("election", election, ELECTIONS)


def check_reassignment(name: str, replicas: Mapping[str, Sequence[int]]) -> None:
    """Raises UsageError unless `replicas` has the brokers of partitions."""
    replicas_by_partition(name, replicas)


def replicas_by_partition(
    name: str, replicas: Mapping[int, Sequence[int]] | Mapping[str, Sequence[int]]
) -> dict[int, Sequence[int]]:
    """Returns the brokers by the partition's number, which is a text in JSON."""
    check_topic(name)
    found: dict[int, Sequence[int]] = {}
    given: object = replicas
    for key, ids in given.items() if isinstance(given, Mapping) else ():
        number = key if type(key) is int else whole_number(str(key))
        if number is None or not 0 <= number < 2**31 or not _is_ids(ids):
            raise UsageError(f"replicas: expected the brokers of a partition, got {key!r}: {ids!r}")
        found[number] = ids
    if not found:
        raise UsageError(f"replicas: expected brokers by partition, got {replicas!r}")
    return found


def texts_of(name: str, values: Mapping[str, Config] | None) -> dict[str, str]:
    """Returns configurations as Kafka's texts: true and false are in lower case.

    Raises UsageError, with the parameter's `name`, for a value that is no text, number or bool.
    """
    if not isinstance(values or {}, Mapping):
        raise UsageError(f"{name}: expected values by configuration, got {values!r}")
    texts = {key: _text(f"{name}.{key}", value) for key, value in (values or {}).items()}
    for key, text in texts.items():
        expect_text(name, key)
        expect_text(f"{name}.{key}", text)
    return texts


def _expect_number(name: str, number: int, end: int) -> None:
    """Raises UsageError unless a number fits its field in Kafka's messages."""
    expect_int(name, number)
    if not -end <= number < end:
        raise UsageError(f"{name}: expected at most {end - 1}, got {number}")


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise UsageError(f"{name}: expected a text, a number, true or false, got {value!r}")
    return str(value)


def _is_ids(ids: object) -> bool:
    return _is_list(ids) and all(type(number) is int and 0 <= number < 2**31 for number in ids)


def _is_list(values: object) -> TypeGuard[Sequence[object]]:
    return isinstance(values, Sequence) and not isinstance(values, str | bytes)
