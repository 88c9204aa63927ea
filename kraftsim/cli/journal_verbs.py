"""`kraftsim events` and `kraftsim request list`: the journals of a cluster, one line per entry."""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from kraftsim.controller.wire.json.document import Document

from ..api.argument_checks import PAGE
from ..errors import GOOD
from ..http.client import call, service_url, stream
from ..operations.table import LIST_EVENTS
from ..printable import printable
from .output import hint_next, is_data, print_data, print_item
from .terminal import clock_text, is_narrow, print_wrapped

INDENT = 4  # of the rest of a line for which a terminal has no room


def add_event_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `events`."""
    parser.add_argument(
        "-f",
        "--follow",
        action="store_true",
        help="print further events as they happen, until Ctrl-C",
    )
    parser.add_argument(
        "--from",
        type=int,
        dest="from_",
        metavar="SEQ",
        help="number of the first event (default 0; with --follow the newest event)",
    )
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="number of events to print at most (1 to 10000, default 1000; --follow: no limit)",
    )


def print_events(arguments: argparse.Namespace) -> int:
    """Prints the events that the arguments choose, and returns the exit code."""
    LIST_EVENTS.check(arguments.from_, arguments.limit)
    url = service_url(arguments.url)
    if arguments.follow:
        _print_rows(arguments, _followed(arguments, url))
        return GOOD
    rows, following = _page(arguments, url)
    _print_rows(arguments, rows)
    if len(rows) == (arguments.limit or PAGE):
        hint_next(following)
    return GOOD


def _print_rows(arguments: argparse.Namespace, rows: Iterable[Document]) -> None:
    for row in rows:
        if is_data(arguments):
            print_item(arguments, row)
        else:
            _print_line(arguments, event_line, row)


def _print_line(
    arguments: argparse.Namespace, line: Callable[..., str], row: Mapping[str, object]
) -> None:
    is_wide = arguments.output == "wide"
    is_short = is_narrow() and not is_wide
    text = line(row, utc=arguments.utc, is_short=is_short)
    print_wrapped(text, indent=INDENT, is_wide=is_wide)


def _followed(arguments: argparse.Namespace, url: str) -> Iterator[Document]:
    query = "" if arguments.from_ is None else f"?from={arguments.from_}"
    return islice(stream(url, f"{LIST_EVENTS.path}{query}"), arguments.limit)


def _page(arguments: argparse.Namespace, url: str) -> tuple[list[Document], object]:
    """Returns the events of a page, and the number at which the next page begins."""
    named = {"from": arguments.from_, "limit": arguments.limit}
    page = {name: number for name, number in named.items() if number is not None}
    document = call(url, LIST_EVENTS.method, LIST_EVENTS.path, page)
    rows = document["events"]
    assert isinstance(rows, list), rows
    return rows, document["next"]


def event_line(row: Mapping[str, object], *, utc: bool, is_short: bool = False) -> str:
    """Formats an event as its time, number, node, kind, broker and details."""
    time_ms, detail = row["timeMs"], row["detail"]
    assert isinstance(time_ms, int), row
    assert isinstance(detail, dict), row
    details = " ".join(f"{key}={value}" for key, value in detail.items() if value is not None)
    broker = "" if row["brokerId"] is None else f" broker={row['brokerId']}"
    time = clock_text(time_ms, utc=utc, is_short=is_short)
    line = f"{time}  {row['seq']:>6}  {row['node']:<16} {row['kind']}{broker} {details}"
    return printable(line.rstrip())


def print_requests(arguments: argparse.Namespace, page: Document) -> None:
    """Prints a page of requests as --output says: JSON, YAML, or one line per request."""
    if is_data(arguments):
        print_data(arguments, page)
        return
    requests = page["requests"]
    assert isinstance(requests, list), page
    for request in requests:
        _print_line(arguments, request_line, request)
    if len(requests) == (arguments.limit or PAGE):
        hint_next(page["next"])


def request_line(request: Mapping[str, object], *, utc: bool, is_short: bool = False) -> str:
    """Formats a request as its time, number, listener, API, version, client and body."""
    time_ms = request["timeMs"]
    assert isinstance(time_ms, int), request
    client = " ".join(str(request[key]) for key in ("clientAddress", "clientId") if request[key])
    body = json.dumps(request["body"], ensure_ascii=False)
    time = clock_text(time_ms, utc=utc, is_short=is_short)
    return printable(
        f"{time}  {request['number']:>6}  {request['listener']!s:<16} "
        f"{request['api']} v{request['version']}{client and f' from {client}'} {body}"
    )
