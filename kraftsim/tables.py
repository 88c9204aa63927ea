"""Documents for people: a table where there are rows, `key: value` where there is one thing."""

import json
from collections.abc import Mapping, Sequence

Document = Mapping[str, object]
LINE_CHARS_MAX = 10_000  # rows are lines, for people with `grep` as well; a terminal wraps them


def print_document(document: Document, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(document, indent=2))
        return
    rows = next(iter(document.values()), None)
    if isinstance(rows, list):
        _print_rows(rows)
        return
    for key, value in document.items():
        print(f"{key}: {_cell(value)}")


def _print_rows(rows: Sequence[Document]) -> None:
    from rich.console import Console
    from rich.table import Table

    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(row.get(column, "")) for column in columns))
    Console(width=LINE_CHARS_MAX, highlight=False).print(table)


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_cell(one)}" for key, one in value.items() if one is not None)
    if isinstance(value, list):
        return ", ".join(_cell(one) for one in value)
    return "" if value is None else str(value)
