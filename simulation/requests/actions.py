"""What rules about requests do: refuse, lose, delay, repeat, hold, throttle and damage."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import refusal
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.time.timeline import Timeline

from .arrival import Arrival, Change, ReplyTo
from .rules import GoOn, RequestRule

HELD_MAX = 10_000  # requests that one rule holds; further requests are lost


class Count(RequestRule):
    """Counts requests and changes nothing."""

    lets_pass = True


class Refuse(RequestRule):
    """Replies with `error`, instead of handling the request or, with `is_applied`, afterwards."""

    def __init__(self, *of_rule: Any, error: ApiError, is_applied: bool) -> None:
        super().__init__(*of_rule)
        self._error, self._is_applied = error, is_applied

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        reply = refusal(arrival.request, self._error)
        if self._is_applied:
            go_on(lambda _: reply_to(reply))
        else:
            reply_to(reply)


class Lose(RequestRule):
    """Loses the request, or with `is_applied` its reply. The sender is told nothing."""

    def __init__(self, *of_rule: Any, is_applied: bool) -> None:
        super().__init__(*of_rule)
        self._is_applied = is_applied

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        if self._is_applied:
            go_on(_ignore)
        arrival.lose(self._is_applied)


class Close(RequestRule):
    """Closes the connection instead of replying; with `is_applied` the request is handled first."""

    def __init__(self, *of_rule: Any, is_applied: bool) -> None:
        super().__init__(*of_rule)
        self._is_applied = is_applied

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        if self._is_applied:
            go_on(lambda _: reply_to(None))
        else:
            reply_to(None)


class Postpone(RequestRule):
    """Handles the request `lag_us` microseconds later."""

    def __init__(self, *of_rule: Any, timeline: Timeline, lag_us: int) -> None:
        super().__init__(*of_rule)
        self._timeline, self._lag_us = timeline, lag_us

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        self._timeline.after(self._lag_us, partial(go_on, reply_to))


class Repeat(RequestRule):
    """Handles the request twice; the sender gets the first reply."""

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        go_on(reply_to)
        go_on(_ignore)


class Park(RequestRule):
    """Holds requests until the rule is lifted, and then handles them in order."""

    def __init__(self, *of_rule: Any) -> None:
        super().__init__(*of_rule)
        self._held: list[Callable[[], None]] = []

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        if len(self._held) < HELD_MAX:
            self._held.append(partial(go_on, reply_to))
            arrival.hold()
        else:
            arrival.lose(False)

    def lift(self) -> None:
        held, self._held = self._held, []
        for go_on in held:
            go_on()


class Throttle(RequestRule):
    """Sets the throttle time of replies, in milliseconds, if the API has one."""

    def __init__(self, *of_rule: Any, throttle_ms: int) -> None:
        super().__init__(*of_rule)
        self._throttle_ms = throttle_ms

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        def throttled(reply: Reply | None) -> None:
            response: Any = reply
            if isinstance(reply, ApiError):
                response = refusal(arrival.request, reply)
            if hasattr(response, "throttle_time_ms"):
                response = replace(response, throttle_time_ms=self._throttle_ms)
            reply_to(response)

        go_on(throttled)


class Damage(RequestRule):
    """Changes the bytes of replies, and then closes the connection if `closes`.

    Where a request has no bytes, as in the simulation, its connection fails.
    """

    def __init__(self, *of_rule: Any, change: Change, closes: bool) -> None:
        super().__init__(*of_rule)
        self._change, self._closes = change, closes

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        def damaged(reply: Reply | None) -> None:
            if reply is None:
                reply_to(None)
            else:
                arrival.send_damaged(reply, self._change, self._closes, reply_to)

        go_on(damaged)


def _ignore(reply: Reply | None) -> None:
    """Ignores a reply."""
