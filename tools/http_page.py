"""Writes docs/http.md: every path of the HTTP service, from the operations and Kafka's APIs.

`python -m tools.http_page` writes the page; tests/kraftsim/test_references.py fails if the page
differs from the result.
"""

from pathlib import Path
from typing import Any

from kraftsim.http.kafka_json import KAFKA_APIS
from kraftsim.http.openapi import openapi_document
from kraftsim.http.paths import KAFKA_API, kafka_path
from kraftsim.operations.operation import Operation
from kraftsim.operations.table import OPERATIONS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "http.md"
INTRODUCTION = """\
# HTTP

Written by `python -m tools.http_page` from the table of operations and Kafka's APIs; do not edit
this page. [service.md](service.md) has examples, [security.md](security.md) says which requests
are refused, and `/openapi.json` has schemas and examples of all. [cli.md](cli.md) lists the same
operations as commands.

- `/v1` reads and waits; `/sim` changes the cluster or explains it; `/kafka` takes Kafka's own
  requests as JSON.
- Keys are in lowerCamel. Parameters of `GET` are in the query, those of `POST` in a JSON object
  (`Content-Type: application/json`); a name in braces is part of the path. A parameter is given
  once.
- Lists are read in pages of at most `limit` items: the next page begins `from` the page's `next`.
  Brokers and topics end: `next` is null after the last of them, and a page without `limit` has them
  all. Events, requests and the log grow at the end: `next` is always a number, never below `from`,
  and at the end it is the number or offset at which to go on later. Controllers have no pages.
- `Accept: text/event-stream` streams events, from the newest on unless `from` is given;
  `Accept: application/x-ndjson` streams the log.
- A refused request has a status of 400 or more and `errorCode`, `error` and `message`. Durations
  are texts such as `20s` or `250ms`; a number, in JSON too, is seconds.

## Operations

| request | what it does | parameters | command | Python |
|---|---|---|---|---|"""
KAFKA_TITLE = f"""
## Kafka's APIs

`POST {KAFKA_API}` sends a request to the active controller. `?version=N` refuses a version that
is not supported.

| API | versions |
|---|---|"""
FIXED_TITLE = """
## Beside the operations

| request | what it does |
|---|---|"""


def render() -> str:
    """Returns the page."""
    rows = [_row(operation) for operation in OPERATIONS]
    apis = [
        f"| `{name}` | {api.min_version} to {api.max_version} |"
        for name, api in sorted(KAFKA_APIS.items())
    ]
    return "\n".join([INTRODUCTION, *rows, KAFKA_TITLE, *apis, FIXED_TITLE, *_fixed()]) + "\n"


def _row(operation: Operation) -> str:
    parameters = "; ".join(
        f"`{parameter.json_name}`: {parameter.help}" for parameter in operation.parameters
    )
    return (
        f"| `{operation.method} {operation.path}` | {operation.help} | {parameters} "
        f"| `{' '.join(operation.words)}` | `{operation.python}` |"
    )


def _fixed() -> list[str]:
    """Returns the rows of the paths that are neither operations nor Kafka's APIs."""
    document: Any = openapi_document()["paths"]
    known = {operation.path for operation in OPERATIONS} | {kafka_path(name) for name in KAFKA_APIS}
    return [
        f"| `{method.upper()} {path}` | {described['summary']} |"
        for path, item in document.items()
        if path not in known
        for method, described in item.items()
    ]


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
