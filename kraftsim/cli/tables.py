"""Prints documents for people: rows as a table, a single object as `key: value` lines."""

import argparse
from collections.abc import Mapping, Sequence

from kraftsim.controller.core.brokers.registration_state import RegistrationState
from kraftsim.controller.wire.json.document import Document

from ..printable import printable
from .output import is_data, print_data
from .terminal import clock_text, coloured, width

_TABLES = (
    "voters",
    "observers",
    "items",
    "nearMisses",
)  # lists inside a document that are printed as tables
STATES = ("state", "process", "role")  # columns with states, which have colours
_ONLY_WIDE = ("directoryId", "folder", "lastFetchTimestamp", "partitionEpoch", "tUs", "topicId")
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
        shown = _ROWS.get(name, list)(rows)
        print_rows(shown, utc=arguments.utc, is_wide=is_wide)
        return
    for key, value in document.items():
        if isinstance(value, list) and value and key in _TABLES:
            print(f"{key}:")
            print_rows(value, utc=arguments.utc, is_wide=is_wide, indent="  ")
        else:
            cell = cell_text(key, value, utc=arguments.utc)
            print(f"{_title(key)}: {coloured(cell, cell) if key in STATES else cell}")


def print_sentence(
    arguments: argparse.Namespace, sentence: str, document: Mapping[str, object]
) -> None:
    """Prints the result of a change: `sentence`, or the response as JSON or YAML."""
    if is_data(arguments):
        print_data(arguments, document)
    else:
        print(printable(sentence))


def broker_rows(brokers: Sequence[Mapping[str, object]]) -> list[Document]:
    """Returns the row of each broker, from its document."""
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


def _broker_state(broker: Mapping[str, object]) -> str:
    if not broker["registered"]:
        return RegistrationState.UNREGISTERED.value
    state = RegistrationState.FENCED if broker["fenced"] else RegistrationState.UNFENCED
    if broker["inControlledShutdown"]:
        return f"{state}, {RegistrationState.IN_CONTROLLED_SHUTDOWN}"
    return state.value


def _process_state(agent: object) -> object:
    return agent["state"] if isinstance(agent, dict) else None


def _addresses(listeners: object) -> list[str]:
    if not isinstance(listeners, list):
        return []  # of an unregistered broker
    return [f"{listener['host']}:{listener['port']}" for listener in listeners]


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


def _campaign_rows(campaigns: Sequence[Document]) -> list[Document]:
    """Returns the row of each campaign, with its finished runs of all runs in one column."""
    return [
        {key: campaign[key] for key in ("name", "state")}
        | {"runs": f"{campaign['runsDone']}/{campaign['runs']}"}
        | {key: campaign[key] for key in campaign if key not in ("runsDone", "runs", "damage")}
        for campaign in campaigns
    ]


_ROWS = {"brokers": broker_rows, "topics": _topic_rows, "campaigns": _campaign_rows}


def print_rows(
    rows: Sequence[Document], *, utc: bool, is_wide: bool = False, indent: str = ""
) -> None:
    """Prints aligned columns without a table library, whose import would take 0.1 s.

    On a terminal a row fits its width, except if `is_wide`: without room, columns without a value
    and times are left out, and the widest of the other columns are cut, but no state.
    """
    keys = list(dict.fromkeys(key for row in rows for key in row))
    shown = [key for key in keys if is_wide or key not in (*_ONLY_WIDE, "listeners")]
    cells = {key: [cell_text(key, row.get(key), utc=utc) for row in rows] for key in shown}
    widths = {key: max(map(len, [_title(key), *cells[key]])) for key in shown}
    if not is_wide:
        empty = [key for key in shown if not any(cells[key])]
        widths = _fitted(widths, len(indent), empty)
    print((indent + GAP.join(_cut(_title(key), size) for key, size in widths.items())).rstrip())
    for number in range(len(rows)):
        padded = (_padded(key, cells[key][number], size) for key, size in widths.items())
        print((indent + GAP.join(padded)).rstrip())


def _fitted(widths: dict[str, int], indent: int, empty: Sequence[str]) -> dict[str, int]:
    """Returns the columns and their widths with which a row fits the terminal."""
    columns = width()
    fitted = dict(widths)
    if columns is None:
        return fitted
    for key in (*empty, *(key for key in reversed(widths) if _is_time(key))):
        if key in fitted and _total(fitted) + indent > columns:
            del fitted[key]
    while _total(fitted) + indent > columns:
        widest = max((key for key in fitted if key not in STATES), key=fitted.__getitem__)
        if fitted[widest] <= COLUMN_MIN:
            break
        fitted[widest] -= 1
    return fitted


def _total(widths: Mapping[str, int]) -> int:
    return sum(widths.values()) + len(GAP) * (len(widths) - 1)


def _padded(key: str, cell: str, size: int) -> str:
    return coloured(_cut(cell, size), cell) if key in STATES else _cut(cell, size)


def _cut(cell: str, size: int) -> str:
    return cell.ljust(size) if len(cell) <= size else f"{cell[: size - 1]}…"


def _title(key: str) -> str:
    """Returns the heading of a key: a time is printed as clock time, so it loses its unit."""
    return key.removesuffix("Ms") if _is_time(key) else key


def _is_time(key: str) -> bool:
    return key.endswith(("TimeMs", "Timestamp")) or key in ("timeMs", "timestamp")


def cell_text(key: str, value: object, *, utc: bool) -> str:
    """Formats the value of a key as one line without control characters."""
    if isinstance(value, dict):
        pairs = ((name, item) for name, item in value.items() if item is not None)
        return " ".join(
            f"{printable(name)}={cell_text(name, item, utc=utc)}" for name, item in pairs
        )
    if isinstance(value, list):
        return ", ".join(cell_text(key, item, utc=utc) for item in value)
    if _is_time(key) and type(value) is int:
        return clock_text(value, utc=utc) if value >= 0 else ""
    if isinstance(value, bool):
        return str(value).lower()  # as JSON and YAML spell it
    return "" if value is None else printable(str(value))
