"""Prints documents for people: rows as a table, a single object as `key: value` lines."""

import json
from collections.abc import Sequence

from kraftsim.controller.core.brokers.registration_state import RegistrationState
from kraftsim.controller.wire.json.document import Document

_TABLES = ("voters", "observers")  # lists inside a document that are printed as tables


def print_document(document: Document, *, as_json: bool) -> None:
    """Prints a document as JSON, as a table or as `key: value` lines."""
    if as_json:
        print(json.dumps(document, indent=2))
        return
    name, rows = next(iter(document.items()), ("", None))  # list documents start with their rows
    if isinstance(rows, list):
        shown = {"brokers": _broker_rows, "topics": _topic_rows}.get(name, list)(rows)
        _print_rows(shown)
        return
    for key, value in document.items():
        if isinstance(value, list) and key in _TABLES:
            print(f"{key}:")
            _print_rows(value, indent="  ")
        else:
            print(f"{key}: {_cell(value)}")


def print_sentence(sentence: str, document: Document, *, as_json: bool) -> None:
    """Prints the result of a change: `sentence`, or the response as JSON."""
    if as_json:
        print_document(document, as_json=True)
    else:
        print(sentence)


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
        }
        for topic in topics
        for partition in _partitions(topic)
    ]


def _partitions(topic: Document) -> list[dict[str, int]]:
    partitions = topic["partitions"]
    assert isinstance(partitions, list), partitions
    return partitions


def _print_rows(rows: Sequence[Document], *, indent: str = "") -> None:
    """Prints aligned columns without a table library, whose import would take 0.1 s."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [columns, *([_cell(row.get(column)) for column in columns] for row in rows)]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print(indent + "  ".join(cells).rstrip())


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_cell(item)}" for key, item in value.items() if item is not None)
    if isinstance(value, list):
        return ", ".join(_cell(item) for item in value)
    return "" if value is None else str(value)
