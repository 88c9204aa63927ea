"""Sends requests to the active controller of a cluster."""

import asyncio
from functools import partial

from kraftsim.controller.core.api_row import READ
from kraftsim.controller.core.apis import row_of
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc import (
    Request,
    Response,
)
from kraftsim.scenarios.language.durations import microseconds
from kraftsim.simulation.requests.rules import ConnectionFailed
from kraftsim.simulation.requests.spoken import Submit

from ...errors import ConnectionClosed
from ...first_of import first_of
from .live import Live

HOLD_LIMIT = "10s"  # an election takes 2 to 4 s; a request held for longer is refused
REQUEST_LIMIT_S = 30.0  # in real time; a virtual clock does not advance meanwhile


class ActiveController:
    """The active controller, whichever it is when a request is sent."""

    def __init__(self, live: Live) -> None:
        self._live = live

    async def request(self, request: Request, submit: Submit | None = None) -> Response:
        """Sends a request and returns the response, as `Cluster.request` does."""
        clock, world = self._live.clock, self._live.world
        is_held = world.active is None and row_of(request).controller is not READ
        if is_held and (not clock.is_standing or clock.moves_for_requests):
            limit_us = microseconds(HOLD_LIMIT)
            await clock.until(lambda: self._live.world.active is not None, limit_us, "a leader")
        replies: asyncio.Queue[Response | ApiError] = asyncio.Queue()
        with self._live.entered():
            self._live.recorder.request(request, bypasses=submit is not None)
            self._live.world.dispatch(request, replies.put_nowait, submit)
        limit_s = REQUEST_LIMIT_S
        if clock.jumps and clock.moves_for_requests:
            limit_us, reason = int(REQUEST_LIMIT_S * 1e6), "a response of the controller"
            is_parked = partial(self._live.world.request_rules.holds, request)
            if not await clock.until(lambda: not replies.empty(), limit_us, reason, is_parked):
                limit_s = 0.0  # the time of the cluster has passed
        if replies.empty():
            await first_of(_filled(replies), clock.closed.wait(), limit_s=limit_s)
            if replies.empty():
                clock.check_open()
        return _reply_in(replies)


async def _filled(replies: asyncio.Queue[Response | ApiError]) -> None:
    """Waits until there is a reply, and leaves it there."""
    replies.put_nowait(await replies.get())


def _reply_in(replies: asyncio.Queue[Response | ApiError]) -> Response:
    """Returns the reply, or raises it if it is an error, or if there is none."""
    if replies.empty():
        text = (
            f"no controller answered within {REQUEST_LIMIT_S:.0f} s: check that a majority of the "
            "voters runs, and that no fault holds or loses the request (`kraftsim fault list`)"
        )
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, text)
    reply = replies.get_nowait()
    if isinstance(reply, ConnectionFailed):
        raise ConnectionClosed(reply.message)
    if isinstance(reply, ApiError):
        try:
            raise reply
        finally:
            del reply  # the traceback leads to this frame: a cycle with the request
    return reply
