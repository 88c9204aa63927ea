"""Replacements that several mutants use."""

from collections.abc import Callable
from typing import Any

from kraftsim.controller.core.brokers import heartbeats
from kraftsim.controller.core.brokers.heartbeats import ControlState
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.rpc import VoteRequest
from kraftsim.controller.core.state import Decision, State

from .mutant import Swaps

Rewrite = Callable[[Any], Any]


def rewritten(swaps: Swaps, request: type, kind: type, change: Rewrite) -> None:
    """Makes the handler of `request` apply `change` to its records of the type `kind`.

    A record for which `change` returns None is dropped.
    """
    handler: Any = HANDLERS[request]

    def buggy(state: State, message: Any, now_ms: int) -> Decision:
        decision: Decision = handler(state, message, now_ms)
        records = [
            change(record) if isinstance(record, kind) else record for record in decision.records
        ]
        return decision._replace(records=tuple(record for record in records if record is not None))

    swaps.entry(HANDLERS, request, buggy)


def meddling(swaps: Swaps, request: type, meddle: Callable[[State, Any, int], None]) -> None:
    """Makes the handler of `request` first call `meddle`, which changes soft state."""
    handler: Any = HANDLERS[request]

    def buggy(state: State, message: Any, now_ms: int) -> Decision:
        meddle(state, message, now_ms)
        decision: Decision = handler(state, message, now_ms)
        return decision

    swaps.entry(HANDLERS, request, buggy)


def next_state(swaps: Swaps, change: Callable[[ControlState, ControlState], ControlState]) -> None:
    """Replaces the broker's state after a heartbeat, `right` by rule 2.12.

    The new state is `change(right, current)`; `current` is the state before the heartbeat.
    """
    decides: Any = heartbeats._next_state

    def buggy(
        state: State, broker: Any, liveness: Any, current: ControlState, request: Any
    ) -> ControlState:
        return change(decides(state, broker, liveness, current, request), current)

    swaps.attribute(heartbeats, "_next_state", buggy)


def is_pre_vote(request: VoteRequest) -> bool:
    """Returns True if the request is a pre-vote."""
    return bool(request.topics[0].partitions[0].pre_vote)
