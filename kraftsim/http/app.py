"""The HTTP application: the operations, Kafka's APIs as JSON, events, health and OpenAPI."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from aiohttp import web

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import JsonError
from kraftsim.scenarios.language.suggestions import nearest

from ..api.argument_checks import LIMIT_MAX, check_page
from ..api.views.log_views import log_lines, start_in
from ..api.views.slices import ITEMS_AT_ONCE
from ..api.views.state_views import event_view
from ..errors import (
    CommandError,
    ConnectionClosed,
    OffsetGone,
    PortUnavailable,
    TryAgain,
    UnknownBroker,
    UnknownController,
    UnknownEvent,
    UnknownFault,
    UnknownLesson,
    UnknownSnapshot,
    UnknownTopic,
)
from ..operations.operation import Operation, arguments
from ..operations.table import LIST_EVENTS, OPERATIONS, SHOW_LOG
from .connections import REQUEST_S, HttpConnections
from .generation import announce_generation, only_of_generation
from .guard import guard
from .kafka_json import KAFKA_APIS, Note, answer_kafka_api, http_error_name
from .page import page_file
from .paths import KAFKA_API, LIVENESS, METRICS, OPENAPI, PAGE, PAGE_FILES, READINESS
from .responses import json_response, page_response, refusal, refusal_of

if TYPE_CHECKING:
    from kraftsim.simulation.event_row import EventRow

    from ..api.cluster import Cluster

log = logging.getLogger(__name__)

LINES = "application/x-ndjson"
BODY_BYTES_MAX = 1024 * 1024
EVENTS_QUEUED_MAX = 10_000  # per subscriber; a subscriber that lags further is disconnected
CURSOR_DIGITS_MAX = 18  # of an int64
OFFSET_OUT_OF_RANGE = 1  # Kafka's error code; no API of the controller returns it

_STATUS = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: 404,
    ErrorCode.TOPIC_ALREADY_EXISTS: 409,
    ErrorCode.BROKER_NOT_AVAILABLE: 404,
    ErrorCode.BROKER_ID_NOT_REGISTERED: 404,
    ErrorCode.DUPLICATE_BROKER_REGISTRATION: 409,
    ErrorCode.STALE_BROKER_EPOCH: 409,
    ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS: 409,
    ErrorCode.NOT_CONTROLLER: 421,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: 421,
    ErrorCode.VOTER_NOT_FOUND: 404,
    ErrorCode.DUPLICATE_VOTER: 409,
    ErrorCode.REQUEST_TIMED_OUT: 504,
    ErrorCode.UNKNOWN_SERVER_ERROR: 500,
}

UNKNOWN_NAMES: dict[type[Exception], str] = {
    UnknownBroker: "UNKNOWN_BROKER",
    UnknownController: "UNKNOWN_CONTROLLER",
    UnknownFault: "UNKNOWN_FAULT",
    UnknownLesson: "UNKNOWN_LESSON",
    UnknownSnapshot: "UNKNOWN_SNAPSHOT",
    UnknownTopic: "UNKNOWN_TOPIC",
    UnknownEvent: "UNKNOWN_EVENT",
}
UNKNOWN = tuple(UNKNOWN_NAMES)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def status_of(code: int) -> int:
    """Returns the HTTP status of a Kafka error code; 400 for an error not in the table."""
    if code == 0:
        return 200
    return _STATUS.get(ErrorCode(code), 400) if code in set(ErrorCode) else 400


def http_application(
    kraft: "Cluster", note: Note, connections: HttpConnections, scraped: Handler
) -> web.Application:
    """Returns the application that serves `kraft` on these connections.

    `note` adds a request to the journal of requests, `scraped` answers with the metrics.
    """
    application = web.Application(
        client_max_size=BODY_BYTES_MAX,
        middlewares=[
            connections.middleware(),
            _errors,
            guard(kraft.options, kraft.http_token, opens_lessons=kraft.opens_lessons),
            only_of_generation(kraft),
        ],
    )
    announce_generation(kraft, application)
    for operation in OPERATIONS:
        application.router.add_route(operation.method, operation.path, _route(kraft, operation))
    routes: tuple[tuple[str, str, Handler], ...] = (
        ("POST", KAFKA_API, _kafka(kraft, note)),
        ("GET", LIVENESS, _alive),
        ("GET", READINESS, _ready(kraft)),
        ("GET", OPENAPI, _openapi),
        ("GET", METRICS, scraped),
        ("GET", PAGE, page_file),
        ("GET", PAGE_FILES, page_file),
    )
    for method, path, handler in routes:
        application.router.add_route(method, path, handler)
    return application


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turns every exception of a handler into an HTTP status and a JSON document."""
    try:
        return await handler(request)
    except ApiError as error:
        return refusal(
            status_of(error.code), error.message, http_error_name(error.code), error.code
        )
    except UNKNOWN as error:
        return refusal(404, str(error), UNKNOWN_NAMES[type(error)])
    except OffsetGone as error:
        return refusal(416, str(error), "OFFSET_OUT_OF_RANGE", OFFSET_OUT_OF_RANGE)
    except TimeoutError as error:
        return refusal(504, str(error), "TIMED_OUT")
    except (PortUnavailable, TryAgain) as error:
        return refusal(503, str(error), "NOT_AVAILABLE")
    except ConnectionClosed as error:
        return refusal(502, str(error), "CONNECTION_CLOSED")
    except (CommandError, JsonError, ValueError) as error:
        return refusal(400, str(error), "INVALID_REQUEST", ErrorCode.INVALID_REQUEST)
    except OSError as error:
        return refusal(503, str(error), "NOT_AVAILABLE")
    except web.HTTPException as error:
        return _refused_by_aiohttp(request, error)
    except Exception:  # a defect of kraftsim: reported as 500, and the service continues
        log.exception("%s %s", request.method, request.path)
        return refusal(
            500, "the service failed: its log on stderr has the exception", "UNKNOWN_SERVER_ERROR"
        )


def _refused_by_aiohttp(request: web.Request, error: web.HTTPException) -> web.Response:
    """Turns an error of aiohttp, which keeps it with the request, into a JSON document."""
    error.with_traceback(None)  # of the frames that have the request: a cycle
    if isinstance(error, web.HTTPNotFound):
        paths = [operation.path for operation in OPERATIONS]
        expected = nearest(request.path, paths)
        return refusal(404, f"unknown path {request.path}: expected {expected}", "NOT_FOUND")
    if isinstance(error, web.HTTPRequestEntityTooLarge):
        return refusal(413, f"expected a body of at most {BODY_BYTES_MAX} bytes", "TOO_LARGE")
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return refusal(405, f"expected {allowed}, got {request.method}", "METHOD_NOT_ALLOWED")
    return refusal_of(error)


def _query(request: web.Request) -> dict[str, str]:
    """Returns the parameters of the query; raises CommandError if a name is there twice."""
    for name in request.query:
        if (count := len(request.query.getall(name))) > 1:
            raise CommandError(f"{name}: expected once in the query, got it {count} times")
    return dict(request.query)


async def _body(request: web.Request) -> dict[str, object]:
    try:
        text = await asyncio.wait_for(request.read(), REQUEST_S)
    except TimeoutError:
        raise web.HTTPRequestTimeout(text=f"expected the body within {REQUEST_S:g} s") from None
    if not text.strip():
        return {}
    try:
        document = json.loads(text, object_pairs_hook=_with_each_name_once)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"body: expected JSON, got {text[:40]!r} ({error})") from None
    if not isinstance(document, dict):
        raise CommandError(f"body: expected a JSON object, got {type(document).__name__}")
    _expect_unicode(document)
    return document


def _with_each_name_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CommandError(f"body: expected each name of an object once, got {twice[:40]!r} twice")
    return document


def _expect_unicode(document: Mapping[str, object]) -> None:
    """Raises CommandError for half of a surrogate pair, which no record can store."""
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise CommandError(f"body: expected text of whole characters, got {half!r}") from None


def _route(kraft: "Cluster", operation: Operation) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        values: dict[str, object] = {**_query(request)}
        if operation is LIST_EVENTS and _accepts(request, "text/event-stream"):
            return await _stream(kraft, request)
        if operation is SHOW_LOG and _accepts(request, LINES):
            typed = arguments(operation, values)
            return await _stream_log(kraft, request, **typed)  # type: ignore[arg-type]  # just typed
        if operation.method == "POST":
            body = await _body(request)
            for name in values.keys() & body.keys():
                raise CommandError(f"{name}: expected in the body, got it in the query too")
            values |= body
        for name in values.keys() & request.match_info.keys():
            raise CommandError(
                f"{name}: expected only in the path, got {values[name]!r} in the query or body too"
            )
        values |= request.match_info
        return await page_response(await operation.run(kraft, **arguments(operation, values)))

    return handle


def _accepts(request: web.Request, media_type: str) -> bool:
    return media_type in request.headers.get("Accept", "")


def _no_controller_api(name: str) -> str:
    """Says why controllers do not answer an API: brokers do, or Kafka has none of that name."""
    if any(api.name == name for api in APIS.values()):
        return (
            f"expected an API that controllers decide, got {name!r}: ask a broker at its Kafka "
            "listener (`kraftsim broker list --output wide` shows it)"
        )
    return f"expected {nearest(name, KAFKA_APIS)}, got {name!r}"


def _kafka(kraft: "Cluster", note: Note) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        name = request.match_info["api"]
        if name not in KAFKA_APIS:
            raise CommandError(_no_controller_api(name))
        query = _query(request)
        version = query.pop("version", None)
        for unknown in query:
            raise CommandError(f"POST {request.path}: expected version, got {unknown[:64]!r}")
        body = await _body(request)
        document = await answer_kafka_api(kraft, note, name, body, version)
        code = document.get("errorCode", 0)
        assert isinstance(code, int), code
        return json_response(document, 400 if _lacks_time(code, body) else status_of(code))

    return handle


def _lacks_time(code: int, body: Mapping[str, object]) -> bool:
    """Returns True for REQUEST_TIMED_OUT because of a timeout of 0 or less: a client's error."""
    timeout_ms = body.get("timeoutMs")
    is_timed_out = code == ErrorCode.REQUEST_TIMED_OUT
    return is_timed_out and isinstance(timeout_ms, int) and timeout_ms <= 0


async def _alive(_: web.Request) -> web.StreamResponse:
    return json_response({"status": "alive"})


def _ready(kraft: "Cluster") -> Handler:
    async def handle(_: web.Request) -> web.StreamResponse:
        node = kraft.world.controller.node
        return json_response({"ready": node.is_active}, 200 if node.is_active else 503)

    return handle


async def _openapi(_: web.Request) -> web.StreamResponse:
    module = await asyncio.to_thread(import_module, "kraftsim.http.openapi")  # slow, rarely asked
    return json_response(module.openapi_document())


# Seconds without an event after which a comment is sent. Writing it detects a client that has
# disconnected, and wakes a client that was interrupted just before it blocked in a read, since
# Python handles the signal only once the read returns.
QUIET_S = 5.0


async def _stream(kraft: "Cluster", request: web.Request) -> web.StreamResponse:
    """Streams events as server-sent events, starting at the row that `_cursor` returns.

    The stream ends if its reader lags, or if the cluster is reset.
    """
    generation = kraft.generation
    journal, timeline = kraft.world.journal, kraft.world.timeline
    start = _cursor(request, max(journal.last_seq, 0))
    rows: asyncio.Queue[EventRow] = asyncio.Queue(EVENTS_QUEUED_MAX)
    is_lagging = False
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)

    def on_row(row: "EventRow") -> None:
        nonlocal is_lagging
        is_lagging = is_lagging or rows.full()
        if not is_lagging:
            rows.put_nowait(row)

    journal.listeners.append(on_row)
    try:
        for sent, row in enumerate(journal.since(start), 1):
            await _write(response, row, timeline.wall_ms_at(row.t_us))
            if sent % ITEMS_AT_ONCE == 0:
                await asyncio.sleep(0)  # a reader that keeps up does not make a write wait
        while not rows.empty() or (not is_lagging and kraft.generation == generation):
            try:
                row = await asyncio.wait_for(rows.get(), QUIET_S)
            except TimeoutError:
                await response.write(b": nothing new\n\n")
            else:
                await _write(response, row, timeline.wall_ms_at(row.t_us))
        response.force_close()
    except (ConnectionError, asyncio.CancelledError):
        return response  # the client has disconnected
    finally:
        journal.listeners.remove(on_row)
    return response


async def _stream_log(
    kraft: "Cluster", request: web.Request, from_: int | None = None, limit: int = LIMIT_MAX
) -> web.StreamResponse:
    """Streams records as lines of JSON.

    Yields to the event loop between two pieces, so that a slow reader costs no broker its lease.
    """
    check_page(from_, limit)
    log = kraft.world.committed_log
    lines = log_lines(log, start_in(log, from_), limit)
    response = web.StreamResponse(headers={"Content-Type": LINES})
    await response.prepare(request)
    for piece in lines:
        await response.write(piece)
        await asyncio.sleep(0)
    return response


def _cursor(request: web.Request, newest: int) -> int:
    """Returns the first row to send: the row after Last-Event-ID, else `from`, else the newest."""
    last, start = request.headers.get("Last-Event-ID"), request.query.get("from", str(newest))
    text = last or start
    if not text.isdecimal() or len(text) > CURSOR_DIGITS_MAX:
        raise CommandError(f"cursor: expected the number of an event, got {text[:40]!r}")
    return int(text) + 1 if last else int(text)


async def _write(response: web.StreamResponse, row: "EventRow", time_ms: int) -> None:
    data = json.dumps(event_view(row, time_ms))
    await response.write(f"id: {row.seq}\nevent: {row.kind}\ndata: {data}\n\n".encode())
