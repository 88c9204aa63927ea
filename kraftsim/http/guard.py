"""Refuses HTTP requests that no user of this service has sent: the rules of docs/security.md.

A web page in a browser of this machine can send requests to loopback. It cannot set the header
Host or Origin, nor send JSON to another origin without asking first, nor know the token.
"""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

from ..options import ClusterOptions
from .paths import LESSONS, LIVENESS, PAGE, PAGE_FILES, READINESS

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

JSON = "application/json"
PAGE_FOLDER = PAGE_FILES.partition("{")[0]


def guard(options: ClusterOptions, token: str | None, *, opens_lessons: bool) -> Middleware:
    """Returns the middleware that refuses a request with 401, 403 or 415, or lets it pass.

    With a `token`, every request must carry it but those for health, for the page and, with
    `opens_lessons`, for lessons.
    """
    names = {"localhost", options.host.lower(), (options.advertised_host or "").lower()} - {""}

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if token is None or not _carries(request, token):
            _check_host(request, names)
        if not _is_page(request):
            _check_origin(request)
        if request.method == "POST" and request.content_type != JSON:
            raise web.HTTPUnsupportedMediaType(
                text=f"Content-Type: expected {JSON}, got {request.content_type[:64]!r} "
                "(with curl: --json '{}')"
            )
        if token is not None and not _is_open(request, opens_lessons=opens_lessons):
            _check_token(request, token)
        return await handler(request)

    return check


def _is_open(request: web.Request, *, opens_lessons: bool) -> bool:
    """Returns True for a request that needs no token: of health, the page, or open lessons."""
    is_lesson = request.path == LESSONS or request.path.startswith(f"{LESSONS}/")
    is_health = request.path in (LIVENESS, READINESS)
    return is_health or _is_page(request) or (opens_lessons and is_lesson)


def _is_page(request: web.Request) -> bool:
    """Returns True for a file of the page: it has no secret, and links of other sites open it."""
    return request.method == "GET" and (
        request.path == PAGE or request.path.startswith(PAGE_FOLDER)
    )


def _check_host(request: web.Request, names: set[str]) -> None:
    """Refuses a host name that an attacker's name server may have resolved to this machine."""
    host = _name_of(request.headers.get("Host", ""))
    if host not in names and not _is_address(host):
        expected = ", ".join(sorted(names))
        raise web.HTTPForbidden(
            text=f"Host: expected an IP address or {expected}, got {host[:64]!r}: start the "
            "service with --advertised-host, or send its token"
        )


def _check_origin(request: web.Request) -> None:
    """Refuses requests of web pages of other origins."""
    own = request.headers.get("Host", "")
    for origin in request.headers.getall("Origin", ()):
        if urlsplit(origin).netloc == own:
            continue
        raise web.HTTPForbidden(
            text=f"Origin: expected the origin of this service, {own[:64]!r}, got {origin[:64]!r}"
        )
    for site in request.headers.getall("Sec-Fetch-Site", ()):
        if site in ("none", "same-origin"):
            continue
        raise web.HTTPForbidden(
            text=f"Sec-Fetch-Site: expected none or same-origin, got {site[:64]!r}"
        )


def _check_token(request: web.Request, token: str) -> None:
    if not _carries(request, token):
        raise web.HTTPUnauthorized(
            text="Authorization: expected 'Bearer TOKEN' with the token of this service: set "
            "KRAFTSIM_TOKEN to it",
            headers={"WWW-Authenticate": "Bearer"},
        )


def _carries(request: web.Request, token: str) -> bool:
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(sent.encode(), token.encode())


def _name_of(host: str) -> str:
    """Returns the host of a Host header, in lower case, without port and brackets."""
    if set(host) & set("@/?#\\"):
        return host
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return host


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
