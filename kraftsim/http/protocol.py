"""aiohttp's protocol of a connection, with errors as JSON where no middleware sees them."""

import logging

from aiohttp import web

from .responses import refusal, refusal_of

log = logging.getLogger(__name__)

Finished = tuple[web.StreamResponse, bool]


class HttpProtocol(web.RequestHandler):
    """Handles the requests of a connection; bytes that are no HTTP end it."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Returns the response to a request that aiohttp cannot handle; closes malformed ones."""
        if isinstance(exc, UnicodeEncodeError):  # aiohttp quotes a header Expect that is no UTF-8
            return refusal(417, "Expect: expected 100-continue", "EXPECTATION_FAILED")
        if status != 400:
            return super().handle_error(request, status, exc, message)
        reason = "expected an HTTP request, got " + " ".join((message or "other bytes").split())
        log.warning("http: closing the connection from %s: %s", request.remote, reason)
        response = refusal(400, reason, "BAD_REQUEST")
        response.force_close()
        return response

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> Finished:
        """Sends a response; aiohttp refuses a header Expect before any middleware runs."""
        if isinstance(resp, web.HTTPException):
            resp = refusal_of(resp)
        return await super().finish_response(request, resp, start_time)
