"""Prints documents for people: rows as a table, a single object as `key: value` lines."""

import argparse
import re
from collections.abc import Mapping, Sequence

from kraftsim.controller.core.brokers.registration_state import RegistrationState
from kraftsim.controller.wire.json.document import Document

from ..printable import printable
from .output import is_data, print_data
from .terminal import GAP, clock_text, coloured, fitted, print_wrapped, row_width, width

STATES = ("state", "process", "role")  # columns with states, which have colours
_ONLY_WIDE = (
    *("directoryId", "folder", "highWatermark", "lastCaughtUpTimeMs", "lastFetchTimeMs"),
    *("lastFetchTimestamp", "lastKnownElr", "logStartTimeMs", "partitionEpoch", "tUs", "topicId"),
)
_DROPPED_FIRST = ("timestamp", "version", "control")  # then columns on the right
_NAME_MIN, _TEXT_MIN, _HEADING_MIN = 8, 12, 9  # characters that stay of a cut cell or heading
_NUMBER = re.compile(r"(-?\d+(/\d+)?)?")  # numbers are never cut: they would be other numbers
_DURATIONS = ("nowMs", "nextTimerMs", "sinceMs", "expiresInMs", "untilMs")  # of a clock
_INDENT = "  "  # of what is inside a document


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
        if isinstance(value, list) and value and isinstance(value[0], dict):
            print(f"{key}:")
            shown = _ROWS.get(key, list)(value)
            print_rows(shown, utc=arguments.utc, is_wide=is_wide, indent=_INDENT)
        elif isinstance(value, dict) and value:
            print(f"{key}:")
            for name, item in value.items():
                _print_value(name, item, utc=arguments.utc, is_wide=is_wide, indent=_INDENT)
        else:
            _print_value(key, value, utc=arguments.utc, is_wide=is_wide)


def _print_value(key: str, value: object, *, utc: bool, is_wide: bool, indent: str = "") -> None:
    cell = cell_text(key, value, utc=utc)
    start = f"{indent}{printable(_title(key))}:"
    if key in STATES:
        print(f"{start} {coloured(cell, cell)}")
    else:
        print_wrapped(f"{start} {cell}", indent=len(indent) + len(_INDENT), is_wide=is_wide)


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
        {"topic": topic["name"]} | row | {"topicId": topic["topicId"]}
        for topic in topics
        for row in _partition_rows(topic["partitions"])
    ]


def _partition_rows(partitions: object) -> list[Document]:
    assert isinstance(partitions, list), partitions
    return [
        {
            "partition": partition["partition"],
            "leader": "none" if partition["leader"] < 0 else partition["leader"],
            "epoch": partition["leaderEpoch"],
            "replicas": partition["replicas"],
            "isr": partition["isr"],
            "elr": partition["eligibleLeaderReplicas"],
            "logStart": partition["logStartOffset"],
            "logEnd": partition["logEndOffset"],
            "highWatermark": partition["highWatermark"],
            "lags": partition["replicaLags"],
            "lastCaughtUpTimeMs": partition["replicaLastCaughtUpTimesMs"],
            "lastFetchTimeMs": partition["replicaLastFetchTimesMs"],
            "logBytes": partition["logSizeBytes"],
            "logStartTimeMs": partition["logStartTimeMs"],
            "lastKnownElr": partition["lastKnownElr"],
            "partitionEpoch": partition["partitionEpoch"],
        }
        for partition in partitions
    ]


def _campaign_rows(campaigns: Sequence[Document]) -> list[Document]:
    """Returns the row of each campaign, with its finished runs of all runs in one column.

    The columns that matter most come first: a narrow terminal shows these.
    """
    kept = ("verdicts", "lastCommitTimeMs", "startTimeMs", "engines", "scenarios", "folder")
    return [
        {key: campaign[key] for key in ("name", "state")}
        | {"runs": f"{campaign['runsDone']}/{campaign['runs']}"}
        | {key: campaign[key] for key in kept}
        for campaign in campaigns
    ]


def _near_miss_rows(misses: Sequence[Document]) -> list[Document]:
    """Returns the row of each near miss: before the request itself, why it does not count."""
    return [
        {key: miss[key] for key in ("number", "timeMs", "api", "unmet")} | miss for miss in misses
    ]


def _fault_rows(faults: Sequence[Document]) -> list[Document]:
    """Returns the row of each fault, without its event, which its document has."""
    return [
        {key: fault[key] for key in ("id", "open", "spent", "hits", "nodes", "words")}
        for fault in faults
    ]


def _config_rows(configs: Sequence[Document]) -> list[Document]:
    """Returns the row of each configuration; sensitive values are in no document."""
    return [
        {
            "key": config["name"],
            "value": _shown(config, config["value"]),
            "source": config["source"],
            "type": config["type"],
            "readOnly": config["readOnly"],
            "synonyms": _synonyms(config),
        }
        for config in configs
    ]


def _synonyms(config: Document) -> list[str]:
    synonyms = config["synonyms"]
    assert isinstance(synonyms, list), synonyms
    return [f"{row['source']}:{row['name']}={_shown(config, row['value'])}" for row in synonyms]


def _shown(config: Document, value: object) -> object:
    return "(sensitive)" if config["sensitive"] else value


_ROWS = {
    "configs": _config_rows,
    "faults": _fault_rows,
    "brokers": broker_rows,
    "topics": _topic_rows,
    "partitions": _partition_rows,
    "campaigns": _campaign_rows,
    "nearMisses": _near_miss_rows,
}


def print_rows(
    rows: Sequence[Document], *, utc: bool, is_wide: bool = False, indent: str = ""
) -> None:
    """Prints aligned columns without a table library, whose import would take 0.1 s.

    On a terminal a row fits its width, except if `is_wide`. Without room, columns without a value
    and those on the right are left out, times are short, and texts are cut, but no number.
    """
    keys = list(dict.fromkeys(key for row in rows for key in row))
    shown = [key for key in keys if is_wide or key not in (*_ONLY_WIDE, "listeners")]
    cells = {key: [cell_text(key, row.get(key), utc=utc) for row in rows] for key in shown}
    widths = _widths(cells)
    columns = None if is_wide else width()
    if columns is not None and row_width(widths.values()) > columns - len(indent):
        cells = {
            key: [cell_text(key, row.get(key), utc=utc, is_short=True) for row in rows]
            for key in shown
            if any(cells[key])
        }
        widths = _fitted(cells, columns - len(indent))
    print((indent + GAP.join(_cut(_title(key), size) for key, size in widths.items())).rstrip())
    for number in range(len(rows)):
        padded = (_padded(key, cells[key][number], size) for key, size in widths.items())
        print((indent + GAP.join(padded)).rstrip())


def _widths(cells: Mapping[str, Sequence[str]]) -> dict[str, int]:
    return {key: max(map(len, [_title(key), *column])) for key, column in cells.items()}


def _fitted(cells: Mapping[str, Sequence[str]], room: int) -> dict[str, int]:
    """Returns the columns and their widths with which a row has at most `room` characters."""
    first, *others = cells
    optional = [key for key in others if not _is_state(key)]
    minor = [key for key in _DROPPED_FIRST if key in optional]
    drops = dict.fromkeys([*minor, *reversed(optional)])
    least = {key: _least(key, cells[key], _TEXT_MIN) for key in others}
    least[first] = _least(first, cells[first], _NAME_MIN)
    return fitted(_widths(cells), least, list(drops), room)


def _least(key: str, column: Sequence[str], text_min: int) -> int:
    """Returns the width to which a column can be cut: headings of numbers, and texts."""
    needed = max(map(len, column), default=0)
    if _is_state(key) or _is_time(key):
        return max(needed, len(_title(key)))
    if all(map(_NUMBER.fullmatch, column)):
        return max(needed, min(len(_title(key)), _HEADING_MIN))
    return min(max(needed, len(_title(key))), text_min)


def _is_state(key: str) -> bool:
    return key.lower() in STATES  # Kafka's own tools have capital headings


def _padded(key: str, cell: str, size: int) -> str:
    return coloured(_cut(cell, size), cell) if _is_state(key) else _cut(cell, size)


def _cut(cell: str, size: int) -> str:
    return cell.ljust(size) if len(cell) <= size else f"{cell[: size - 1]}…"


def _title(key: str) -> str:
    """Returns the heading of a key: values are printed with their units, so it loses its own."""
    return key.removesuffix("Ms") if _is_time(key) or key in _DURATIONS else key


def _is_time(key: str) -> bool:
    return key.endswith(("TimeMs", "Timestamp")) or key in ("timeMs", "timestamp", "wallMs")


def cell_text(key: str, value: object, *, utc: bool, is_short: bool = False) -> str:
    """Formats the value of a key as one line without control characters.

    With `is_short` a time has no year and no milliseconds.
    """
    if isinstance(value, dict):
        pairs = ((name, item) for name, item in value.items() if item is not None)
        return " ".join(
            f"{printable(name)}={cell_text(name, item, utc=utc)}" for name, item in pairs
        )
    if isinstance(value, list):
        return ", ".join(cell_text(key, item, utc=utc) for item in value)
    if _is_time(key) and type(value) is int:
        return clock_text(value, utc=utc, is_short=is_short) if value >= 0 else ""
    if key in _DURATIONS and type(value) is int:
        return f"{value / 1000:.3f} s"
    if isinstance(value, bool):
        return str(value).lower()  # as JSON and YAML spell it
    return "" if value is None else printable(str(value))
