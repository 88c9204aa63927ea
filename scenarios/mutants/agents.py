"""Bugs of brokers: how they heartbeat, and how they leave."""

from typing import Any

from kraftsim.broker_agent.agent import Agent
from kraftsim.controller.timeline import NEVER_MS

from .mutant import Swaps, mutant


@mutant(
    "M15",
    "Heartbeats without a pause",
    defect="KAFKA-15950, apache/kafka#14903",
    scenario="heartbeat-amplification",
    broken="herds-drain",
)
def heartbeats_without_pause(swaps: Swaps) -> None:
    succeeded = Agent._succeeded

    def buggy(agent: Agent, now_ms: int) -> None:
        succeeded(agent, now_ms)
        agent._lease.ask_at(now_ms + 10)

    swaps.attribute(Agent, "_succeeded", buggy)


@mutant(
    "M14",
    "A broker waits a whole session after a failure",
    defect="apache/kafka#19061",
    scenario="same-incarnation-resend",
    broken="leads_to[0]",
)
def backs_off_for_a_session(swaps: Swaps) -> None:
    failed = Agent._failed

    def buggy(agent: Agent, why: str, now_ms: int) -> None:
        failed(agent, why, now_ms)
        agent._lease.ask_at(now_ms + agent.config.session_timeout_ms)

    swaps.attribute(Agent, "_failed", buggy)


@mutant(
    "M56",
    "A broker that is caught up never asks to be unfenced",
    defect="textbook: lost wake-up",
    scenario="steady-heartbeats",
    broken="start",
)
def never_asks_again(swaps: Swaps) -> None:
    def buggy(agent: Agent, reply: Any, now_ms: int) -> None:
        agent._lease.ask_at(NEVER_MS)

    swaps.attribute(Agent, "_on_heartbeat", buggy)
