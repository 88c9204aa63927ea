"""What rules about requests do: refuse, lose, repeat, throttle and damage."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import refusal
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.time.timeline import Timeline

from .aim import Aim
from .arrival import Arrival, Change, ReplyTo
from .rule import GoOn, RequestRule

APPLIED = "the request was handled, and its reply is lost"
NOT_APPLIED = "the request was not handled"


class Count(RequestRule):
    """Counts requests or replies and changes nothing."""

    effect = "{}_observed"
    lets_pass = True


class Refuse(RequestRule):
    """Replies with `error`, instead of handling the request or, with `is_applied`, afterwards."""

    effect = "request_refused"

    def __init__(self, aim: Aim, error: ApiError, *, is_applied: bool) -> None:
        super().__init__(aim)
        self._error, self._is_applied = error, is_applied

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        reply = refusal(arrival.request, self._error)
        refused = partial(reply_to, reply)
        if self._is_applied:
            go_on(partial(_replaced, arrival, refused))
        else:
            arrival.prevent(reply)
            refused()


class Lose(RequestRule):
    """Loses the request or the reply. The sender is told nothing."""

    effect = "{}_lost"

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        arrival.lose(self.is_about_replies)


class Close(RequestRule):
    """Closes the connection instead of replying; with `is_applied` the request is handled first."""

    effect = "connection_closed"

    def __init__(self, aim: Aim, *, is_applied: bool) -> None:
        super().__init__(aim)
        self._is_applied = is_applied

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        outcome = APPLIED if self._is_applied else NOT_APPLIED
        reason = f"the fault {self.fault_id} closed the connection: {outcome}"
        close = partial(arrival.fail, reason, reply_to)
        if self._is_applied:
            go_on(partial(_instead, close))
        else:
            close()


class Repeat(RequestRule):
    """Handles the request twice; the sender gets the first reply."""

    effect = "request_repeated"

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        go_on(reply_to)
        go_on(partial(_ignore, arrival))


class Throttle(RequestRule):
    """Sets the throttle time of replies, in milliseconds, if the API has one."""

    effect = "reply_throttled"

    def __init__(self, aim: Aim, *, throttle_ms: int) -> None:
        super().__init__(aim)
        self._throttle_ms = throttle_ms

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        go_on(partial(self._throttled, arrival.request, reply_to))

    def _throttled(self, request: Request, reply_to: ReplyTo, reply: Reply | None) -> None:
        response: Any = refusal(request, reply) if isinstance(reply, ApiError) else reply
        if hasattr(response, "throttle_time_ms"):
            response = replace(response, throttle_time_ms=self._throttle_ms)
        reply_to(response)


class Damage(RequestRule):
    """Changes the bytes of replies, and then closes the connection if `closes`.

    Where a request has no bytes, as in the simulation, its connection fails.
    """

    effect = "reply_damaged"

    def __init__(self, aim: Aim, change: Change, *, closes: bool) -> None:
        super().__init__(aim)
        self._change, self._closes = change, closes

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        go_on(partial(self._damaged, arrival, reply_to))

    def _damaged(self, arrival: Arrival, reply_to: ReplyTo, reply: Reply | None) -> None:
        if reply is None:
            reply_to(None)
        else:
            fail = partial(self._fail, arrival, reply_to)
            arrival.send_damaged(reply, self._change, self._closes, fail)

    def _fail(self, arrival: Arrival, reply_to: ReplyTo, _: Reply | None) -> None:
        """Lets the connection of a request without bytes fail."""
        arrival.fail(f"the fault {self.fault_id} damaged the reply: {APPLIED}", reply_to)


class Trigger(RequestRule):
    """Makes a `change` to the cluster, and handles the request afterwards.

    With `is_applied` the request is handled first: the change comes with its reply.
    """

    effect = "request_met"

    def __init__(
        self, aim: Aim, timeline: Timeline, change: Callable[[], object], *, is_applied: bool
    ) -> None:
        super().__init__(aim)
        self._timeline, self._change, self._is_applied = timeline, change, is_applied

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        if self._is_applied:
            go_on(partial(self._replied, reply_to))
        else:
            self._make()
            go_on(reply_to)

    def _make(self) -> None:
        self._change()

    def _replied(self, reply_to: ReplyTo, reply: Reply | None) -> None:
        self._timeline.after(0, self._make)  # the node is in the middle of a step
        reply_to(reply)


def _ignore(arrival: Arrival, reply: Reply | None) -> None:
    """Sends the reply to a repetition to nobody."""
    arrival.ignore()


def _replaced(arrival: Arrival, refused: Callable[[], None], reply: Reply | None) -> None:
    """Sends the refusal, and the reply to nobody."""
    arrival.lose(is_handled=True)
    refused()


def _instead(action: Callable[[], None], reply: Reply | None) -> None:
    """Acts instead of sending a reply."""
    action()
