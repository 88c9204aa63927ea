"""Prints documents for people: rows as a table, a single object as `key: value` lines."""

import argparse
from collections.abc import Mapping, Sequence

from kraftsim.controller.core.brokers.registration_state import RegistrationState
from kraftsim.controller.wire.json.document import Document

from ..printable import printable
from .output import is_data, print_data
from .terminal import clock_text, coloured, width

_TABLES = ("voters", "observers")  # lists inside a document that are printed as tables
_STATES = ("state", "process", "role")  # columns with states, which have colours
_ONLY_WIDE = ("directoryId", "lastFetchTimestamp", "partitionEpoch", "topicId")
GAP = "  "  # between two columns
COLUMN_MIN = 4  # characters of a column that is cut to the width of the terminal


def print_document(arguments: argparse.Namespace, document: Mapping[str, object]) -> None:
    """Prints a document as --output says: JSON, YAML, a table or `key: value` lines."""
    if is_data(arguments):
        print_data(arguments, document)
        return
    is_wide = arguments.output == "wide"
    name, rows = next(iter(document.items()), ("", None))  # list documents start with their rows
    if isinstance(rows, list):
        shown = {"brokers": _broker_rows, "topics": _topic_rows}.get(name, list)(rows)
        print_rows(shown, utc=arguments.utc, is_wide=is_wide)
        return
    for key, value in document.items():
        if isinstance(value, list) and key in _TABLES:
            print(f"{key}:")
            print_rows(value, utc=arguments.utc, is_wide=is_wide, indent="  ")
        else:
            cell = _cell(key, value, utc=arguments.utc)
            print(f"{_title(key)}: {coloured(cell, cell) if key in _STATES else cell}")


def print_sentence(
    arguments: argparse.Namespace, sentence: str, document: Mapping[str, object]
) -> None:
    """Prints the result of a change: `sentence`, or the response as JSON or YAML."""
    if is_data(arguments):
        print_data(arguments, document)
    else:
        print(printable(sentence))


def _broker_rows(brokers: Sequence[Document]) -> list[Document]:
    return [
        {
            "id": broker["brokerId"],
            "state": _broker_state(broker),
            "epoch": broker.get("brokerEpoch"),
            "rack": broker.get("rack"),
            "leads": broker.get("leaderships"),
            "process": _process_state(broker.get("agent")),
            "startTimeMs": broker.get("startTimeMs"),
            "listeners": _addresses(broker.get("listeners")),
            "directoryId": broker.get("logDirs"),
        }
        for broker in brokers
    ]


def _broker_state(broker: Document) -> str:
    if not broker["registered"]:
        return RegistrationState.UNREGISTERED.value
    state = RegistrationState.FENCED if broker["fenced"] else RegistrationState.UNFENCED
    if broker["inControlledShutdown"]:
        return f"{state}, {RegistrationState.IN_CONTROLLED_SHUTDOWN}"
    return state.value


def _process_state(agent: object) -> object:
    return agent["state"] if isinstance(agent, dict) else None


def _addresses(listeners: object) -> list[str]:
    assert listeners is None or isinstance(listeners, list), listeners
    return [f"{listener['host']}:{listener['port']}" for listener in listeners or ()]


def _topic_rows(topics: Sequence[Document]) -> list[Document]:
    """Returns one row per partition."""
    return [
        {
            "topic": topic["name"],
            "partition": partition["partition"],
            "leader": "none" if partition["leader"] < 0 else partition["leader"],
            "epoch": partition["leaderEpoch"],
            "replicas": partition["replicas"],
            "isr": partition["isr"],
            "elr": partition["eligibleLeaderReplicas"],
            "partitionEpoch": partition["partitionEpoch"],
            "topicId": topic["topicId"],
        }
        for topic in topics
        for partition in _partitions(topic)
    ]


def _partitions(topic: Document) -> list[dict[str, int]]:
    partitions = topic["partitions"]
    assert isinstance(partitions, list), partitions
    return partitions


def print_rows(
    rows: Sequence[Document], *, utc: bool, is_wide: bool = False, indent: str = ""
) -> None:
    """Prints aligned columns without a table library, whose import would take 0.1 s.

    On a terminal, the widest columns are cut until a row fits its width, except if `is_wide`.
    """
    keys = list(dict.fromkeys(key for row in rows for key in row))
    columns = [key for key in keys if is_wide or key not in (*_ONLY_WIDE, "listeners")]
    cells = [[_cell(column, row.get(column), utc=utc) for column in columns] for row in rows]
    lines = [[_title(column) for column in columns], *cells]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    if not is_wide:
        widths = _fitted(widths, len(indent))
    for number, line in enumerate(lines):
        padded = (
            coloured(_cut(cell, size), cell) if number and column in _STATES else _cut(cell, size)
            for column, cell, size in zip(columns, line, widths, strict=True)
        )
        print((indent + GAP.join(padded)).rstrip())


def _fitted(widths: list[int], indent: int) -> list[int]:
    """Returns the widths, of which the largest are lowered until a row fits the terminal."""
    columns = width()
    fitted = list(widths)
    if columns is None:
        return fitted
    room = columns - indent - len(GAP) * (len(widths) - 1)
    while sum(fitted) > room and max(fitted) > COLUMN_MIN:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _cut(cell: str, size: int) -> str:
    return cell.ljust(size) if len(cell) <= size else f"{cell[: size - 1]}…"


def _title(key: str) -> str:
    """Returns the heading of a key: a time is printed as clock time, so it loses its unit."""
    return key.removesuffix("Ms") if _is_time(key) else key


def _is_time(key: str) -> bool:
    return key.endswith(("TimeMs", "Timestamp"))


def _cell(key: str, value: object, *, utc: bool) -> str:
    if isinstance(value, dict):
        pairs = ((name, item) for name, item in value.items() if item is not None)
        return " ".join(f"{printable(name)}={_cell(name, item, utc=utc)}" for name, item in pairs)
    if isinstance(value, list):
        return ", ".join(_cell(key, item, utc=utc) for item in value)
    if _is_time(key) and type(value) is int:
        return clock_text(value, utc=utc) if value >= 0 else ""
    return "" if value is None else printable(str(value))
