"""Bugs that only a request finds which no well-behaved client sends."""

from dataclasses import replace
from typing import Any

from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.controller.core.state import Decision, State

from .mutant import Swaps, mutant

UNSET_EPOCH = -1  # default of the field; AlterPartition takes it for "do not check" (KIP-903)


@mutant(
    "M110",
    "A heartbeat without a broker epoch is taken for one of the present incarnation",
    defect="textbook: a default that skips a check; -1 in AlterPartition (KIP-903)",
    scenario="hostile-client",
    broken="stale-epoch-powerless",
)
def unset_epochs_are_not_checked(swaps: Swaps) -> None:
    """Gives the registered epoch to heartbeats whose epoch is -1."""
    handler: Any = HANDLERS[BrokerHeartbeatRequest]

    def buggy(state: State, request: BrokerHeartbeatRequest, now_ms: int) -> Decision:
        known = state.image.brokers.get(request.broker_id)
        if known is not None and request.broker_epoch == UNSET_EPOCH:
            request = replace(request, broker_epoch=known.broker_epoch)
        decision: Decision = handler(state, request, now_ms)
        return decision

    swaps.entry(HANDLERS, BrokerHeartbeatRequest, buggy)
