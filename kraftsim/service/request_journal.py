"""The requests that clients have sent to a service: for tests that ask what a client did.

The journal keeps the newest requests of the Kafka listeners and of `POST /kafka/...`; requests of
the simulated brokers do not pass through a listener and are not in it.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import NamedTuple, TypedDict

from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.apis.api_decommission_broker import DECOMMISSION_BROKER
from kraftsim.controller.wire.apis.table import APIS, Api
from kraftsim.controller.wire.frames import RequestHeader, decode_request
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.json_form import to_json
from kraftsim.scenarios.language.suggestions import nearest

from ..errors import CommandError

REQUESTS_MAX = 1_000
REQUEST_BYTES_MAX = 1024 * 1024  # of all of them: decoding takes some microseconds a byte
BODY_BYTES_MAX = 32 * 1024  # larger requests are kept without their bodies
NEAR_MISSES_MAX = 3


NO_BODY = -2  # body offset of a request that was too large to be kept
JSON_BODY = -1  # body offset of a request whose frame is its body as JSON


class ReceivedRequest(NamedTuple):
    """One request: when it came, where, from whom, and its bytes as they were sent."""

    t_us: int
    listener: str
    address: str
    header: RequestHeader
    frame: bytes


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


class RequestJournal:
    """The newest requests, at most REQUESTS_MAX and at most REQUEST_BYTES_MAX.

    It keeps bytes, which are decoded when somebody reads them: bytes cost the garbage collector
    nothing, and their size is known.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._requests: deque[tuple[int, str, str, RequestHeader, bytes]] = deque()
        self._size_bytes = 0
        self.next_number = 0

    def note(self, listener: str, address: str, header: RequestHeader, frame: bytes) -> None:
        """Adds a request; the oldest requests make room for it."""
        requests = self._requests
        if len(frame) > BODY_BYTES_MAX:
            header, frame = header._replace(body_offset=NO_BODY), b""
        requests.append((self._timeline.now_us, listener, address, header, frame))
        self.next_number += 1
        self._size_bytes += len(frame)
        while len(requests) > REQUESTS_MAX or self._size_bytes > REQUEST_BYTES_MAX:
            self._size_bytes -= len(requests.popleft()[-1])

    def note_json(self, api: Api, body: Document) -> None:
        """Adds a request that came as JSON over HTTP."""
        import json

        header = RequestHeader(api.key, api.max_version, 0, None, JSON_BODY)
        self.note("http", "", header, json.dumps(body).encode())

    async def find(
        self, api: str | None, where: Mapping[str, str], start: int
    ) -> AsyncIterator[RequestDocument]:
        """Yields the requests of an API (None: of all) whose fields have these values.

        Requests with a number below `start` are left out. Other tasks run between two requests.
        """
        for number, received in self._of(api):
            if number >= start:
                document = self._document(number, received)
                if not _unmet(document["body"], where):
                    yield document
                await asyncio.sleep(0)

    async def near_misses(self, api: str | None, where: Mapping[str, str]) -> list[NearMiss]:
        """Returns the requests that meet most of the conditions, each with those it does not."""
        nearest_first: list[NearMiss] = []
        for number, received in self._of(api):
            document = self._document(number, received)
            unmet = _unmet(document["body"], where)
            if unmet:
                nearest_first.append({**document, "unmet": unmet})
                nearest_first.sort(key=lambda miss: (len(miss["unmet"]), -miss["number"]))
                del nearest_first[NEAR_MISSES_MAX:]
            await asyncio.sleep(0)
        return nearest_first

    def _of(self, api: str | None) -> list[tuple[int, ReceivedRequest]]:
        """Returns the numbers and the requests of an API, the oldest first."""
        first = self.next_number - len(self._requests)
        numbered = enumerate(map(ReceivedRequest._make, self._requests), first)
        return [
            (number, received)
            for number, received in numbered
            if api is None or _api_of(received).name == api
        ]

    def _document(self, number: int, received: ReceivedRequest) -> RequestDocument:
        header = received.header
        return {
            "number": number,
            "tUs": received.t_us,
            "timeMs": self._timeline.wall_start_ms + received.t_us // 1000,
            "listener": received.listener,
            "clientAddress": received.address,
            "clientId": header.client_id,
            "api": _api_of(received).name,
            "version": header.api_version,
            "body": _body(received),
        }


def api_named(name: str | None) -> str | None:
    """Returns `name` if it is None or the name of an API; otherwise raises CommandError."""
    names = [api.name for api in (*APIS.values(), DECOMMISSION_BROKER)]
    if name is not None and name not in names:
        raise CommandError(f"api: expected {nearest(name, names)}, got {name!r}")
    return name


def conditions_in(text: str | None) -> dict[str, str]:
    """Returns the conditions of a text such as "brokerId=1,wantFence=true".

    Raises CommandError for a condition without a field or without "=".
    """
    conditions = {}
    for item in text.split(",") if text else ():
        field, sign, value = item.partition("=")
        if not field or not sign:
            raise CommandError(
                f"where: expected FIELD=VALUE,... such as brokerId=1 or topics.name=orders, "
                f"got {item!r}"
            )
        conditions[field.strip()] = value.strip()
    return conditions


def _api_of(received: ReceivedRequest) -> Api:
    return APIS.get(received.header.api_key, DECOMMISSION_BROKER)


def _body(received: ReceivedRequest) -> Document:
    header = received.header
    if header.body_offset == NO_BODY:
        return {}
    if header.body_offset == JSON_BODY:
        import json

        body: Document = json.loads(received.frame)
        return body
    request = decode_request(header, received.frame)
    return to_json(APIS[header.api_key].request, request, header.api_version)


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
