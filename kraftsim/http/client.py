"""The CLI's HTTP client; it uses the standard library only, so that the CLI starts fast."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from kraftsim.controller.wire.json.document import Document
from kraftsim.scenarios.language.durations import microseconds

from ..errors import CommandError, TimedOut, Unreachable, UsageError
from ..files.tokens import token_from
from ..printable import printable
from .paths import DEFAULT_URL, GENERATION

TIMEOUT_S = 120.0  # in addition to the timeout that the request asks the service for


class Refused(CommandError):
    """The service answered with an HTTP error.

    The message is the error and the message of the response body, or the HTTP status.
    """


def service_url(url_option: str | None) -> str:
    """Returns `url_option` (--url), else the environment's KRAFTSIM_HTTP, else DEFAULT_URL.

    Raises UsageError if it is not an HTTP URL with a host.
    """
    url = url_option or os.environ.get("KRAFTSIM_HTTP") or DEFAULT_URL
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is no number, or too large
        is_url = False
    if not is_url:
        name = "--url" if url_option else "KRAFTSIM_HTTP"
        raise UsageError(f"{name}: expected an address such as {DEFAULT_URL}, got {url!r}")
    return url.rstrip("/")


def call(
    url: str, method: str, path: str, arguments: Mapping[str, object], generation: int | None = None
) -> Document:
    """Calls an operation of the service and returns the JSON response.

    Arguments whose names are placeholders in `path` are filled in there; all others become the
    query or the body. With a `generation`, the service refuses the call if the cluster was reset
    since it had that number. Raises UsageError for an empty text in the path, Refused for an error
    response, TimedOut if a wait was in vain, Unreachable if no service answers.
    """
    rest = dict(arguments)
    path = re.sub(r"\{(\w+)\}", lambda name: _in_path(name[1], rest.pop(name[1])), path)
    body = None
    if method == "POST":
        body = json.dumps(rest).encode()
    elif rest:
        path += "?" + urlencode({k: str(v) for k, v in rest.items()})
    request = Request(
        url + path,
        data=body,
        method=method,
        headers={"Content-Type": "application/json"} | _authorization() | _of(generation),
    )
    waits_s = microseconds(str(arguments.get("timeout", "0s"))) / 1e6
    with _opened(request, url, timeout_s=TIMEOUT_S + waits_s) as response:
        return _document(response, url)


def _in_path(name: str, value: object) -> str:
    if value == "":
        raise UsageError(f"{name}: expected a text of at least one character, got ''")
    return quote(str(value), safe="")


def _authorization() -> dict[str, str]:
    """Returns the header with the token of KRAFTSIM_TOKEN, if that is set."""
    token = token_from(None)
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _of(generation: int | None) -> dict[str, str]:
    return {} if generation is None else {GENERATION: str(generation)}


def _document(response: IO[bytes], url: str) -> Document:
    try:
        document = json.load(response)
    except (ValueError, HTTPException, OSError) as error:
        raise Unreachable(
            f"{url}: expected the response of a kraftsim service, got {error}"
        ) from None
    if not isinstance(document, dict):
        raise Unreachable(
            f"{url}: expected the response of a kraftsim service, got JSON of type "
            f"{type(document).__name__}"
        )
    return document


def stream(url: str, path: str) -> Iterator[Document]:
    """Yields the documents of a stream of server-sent events, until the connection ends."""
    request = Request(url + path, headers={"Accept": "text/event-stream"} | _authorization())
    with _opened(request, url, timeout_s=None) as response:
        try:
            for line in response:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
        except (HTTPException, OSError):
            return


def _opened(request: Request, url: str, *, timeout_s: float | None) -> HTTPResponse:
    try:
        response: HTTPResponse = urlopen(request, timeout=timeout_s)
    except HTTPError as error:
        refused = TimedOut if error.code == HTTPStatus.GATEWAY_TIMEOUT else Refused
        raise refused(_refusal(error)) from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = " ".join(str(getattr(error, "reason", error)).split())
        raise Unreachable(
            f"{url}: no service answers ({reason}): start one with `kraftsim up`, or give another "
            "address with --url or KRAFTSIM_HTTP"
        ) from None
    return response


def _refusal(error: HTTPError) -> str:
    try:
        document = _document(error, "")
    except CommandError:
        return f"HTTP {error.code}"
    return printable(f"{document.get('error') or error.code}: {document.get('message', '')}")
