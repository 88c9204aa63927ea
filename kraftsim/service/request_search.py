"""Searches the requests that clients have sent (`request_journal.py`)."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, TypedDict

from kraftsim.controller.core.apis import ROWS
from kraftsim.controller.wire.apis.table import APIS, DECOMMISSION_BROKER, Api
from kraftsim.controller.wire.frames import decode_request
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.json_form import to_json
from kraftsim.scenarios.language.suggestions import nearest

from ..errors import UsageError
from .request_journal import JSON_BODY, NO_BODY, ReceivedRequest, RequestJournal

NEAR_MISSES_MAX = 3


class RequestDocument(TypedDict):
    """A request of a client.

    `tUs` is in microseconds since the start of the cluster, `timeMs` on the cluster's wall clock.
    `clientId` is None if the client sent none; `listener` is "http" for `POST /kafka/...`. `body`
    is empty if the request was larger than BODY_BYTES_MAX.
    """

    number: int
    tUs: int
    timeMs: int
    listener: str
    clientAddress: str
    clientId: str | None
    api: str
    version: int
    body: Document


class NearMiss(RequestDocument):
    """A request that does not meet all conditions, with a sentence for each that it does not."""

    unmet: list[str]


async def find(
    journal: RequestJournal, api: str | None, where: Mapping[str, str], start: int
) -> AsyncIterator[RequestDocument]:
    """Yields the requests of an API (None: of all) whose fields have these values.

    Requests with a number below `start` are left out. Other tasks run between two requests.
    """
    for number, received in _of(journal, api):
        if number >= start:
            document = _document(journal, number, received)
            if not _unmet(document["body"], where):
                yield document
            await asyncio.sleep(0)


async def near_misses(
    journal: RequestJournal, api: str | None, where: Mapping[str, str]
) -> list[NearMiss]:
    """Returns the requests that meet most of the conditions, each with those it does not."""
    nearest_first: list[NearMiss] = []
    for number, received in _of(journal, api):
        document = _document(journal, number, received)
        unmet = _unmet(document["body"], where)
        if unmet:
            nearest_first.append({**document, "unmet": unmet})
            nearest_first.sort(key=lambda miss: (len(miss["unmet"]), -miss["number"]))
            del nearest_first[NEAR_MISSES_MAX:]
        await asyncio.sleep(0)
    return nearest_first


def _of(journal: RequestJournal, api: str | None) -> list[tuple[int, ReceivedRequest]]:
    return [
        (number, received)
        for number, received in journal.numbered
        if api is None or _api_of(received).name == api
    ]


def api_named(name: str | None) -> str | None:
    """Returns `name` if it is None or the name of an API; otherwise raises UsageError."""
    names = [api.name for api in (*APIS.values(), DECOMMISSION_BROKER)]
    if name is not None and name not in names:
        raise UsageError(f"api: expected {nearest(name, names)}, got {name!r}")
    return name


def conditions_in(text: str | None) -> dict[str, str]:
    """Returns the conditions of a text such as "brokerId=1,wantFence=true".

    Raises UsageError for a condition without a field or without "=".
    """
    conditions = {}
    for item in text.split(",") if text else ():
        field, sign, value = item.partition("=")
        if not field or not sign:
            raise UsageError(
                f"where: expected FIELD=VALUE,... such as brokerId=1 or topics.name=orders, "
                f"got {item!r}"
            )
        conditions[field.strip()] = value.strip()
    return conditions


def _api_of(received: ReceivedRequest) -> Api:
    return APIS.get(received.header.api_key, DECOMMISSION_BROKER)


def _document(journal: RequestJournal, number: int, received: ReceivedRequest) -> RequestDocument:
    header, api = received.header, _api_of(received)
    return {
        "number": number,
        "tUs": received.t_us,
        "timeMs": journal.wall_ms(received),
        "listener": received.listener,
        "clientAddress": received.address,
        "clientId": header.client_id,
        "api": api.name,
        "version": header.api_version,
        "body": _body(received),
    }


def _body(received: ReceivedRequest) -> Document:
    header = received.header
    if header.body_offset == NO_BODY:
        return {}
    if header.body_offset == JSON_BODY:
        import json

        body: Document = json.loads(received.frame)
        return body
    request = decode_request(header, received.frame)
    document = to_json(APIS[header.api_key].request, request, header.api_version)
    payload = ROWS[header.api_key].payload
    if payload:
        _show_sizes(document, payload.split("."))
    return document


def _show_sizes(document: Any, path: Sequence[str]) -> None:
    """Puts the size in the place of each field with data of users, which is base64."""
    name, *inner = path
    if inner:
        for element in document[name]:
            _show_sizes(element, inner)
    elif document[name] is not None:
        document[name] = f"{len(b64decode(document[name]))} bytes"


def _unmet(body: object, where: Mapping[str, str]) -> list[str]:
    """Returns a sentence for each condition that the body of a request does not meet."""
    unmet = []
    for path, expected in where.items():
        values = [_text(value) for value in _values(body, path.split("."))]
        if expected not in values:
            got = ", ".join(values[:3]) if values else "no such field"
            unmet.append(f"{path}: expected {expected}, got {got}")
    return unmet


def _values(value: object, path: list[str]) -> Iterator[object]:
    """Yields the values at a path such as topics.name; of a list, those of every element."""
    if isinstance(value, list):
        for element in value:
            yield from _values(element, path)
    elif not path:
        yield value
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _values(value[path[0]], path[1:])


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    return str(value)
