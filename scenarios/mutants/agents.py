"""Bugs of brokers: registration, heartbeats and shutdown."""

from typing import Any

from kraftsim.broker_agent.agent import Agent
from kraftsim.broker_agent.metadata_fetch import MetadataFetch
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.time.timeline import NEVER_MS

from .mutant import Swaps, mutant


@mutant(
    "M11",
    "A stopped broker asks for its shutdown only in its next regular heartbeat",
    defect="KAFKA-13167, apache/kafka#11177",
    scenario="rolling-restart-brokers",
    broken="leads_to[2]",
)
def delays_shutdown_request(swaps: Swaps) -> None:
    """Delays the request to shut down until the next heartbeat is due."""
    request_stop = Agent.request_stop

    def buggy(agent: Agent, now_ms: int) -> Any:
        if agent.state is not ProcessState.RUNNING:
            return request_stop(agent, now_ms)
        agent.state = ProcessState.PENDING_CONTROLLED_SHUTDOWN
        return []

    swaps.attribute(Agent, "request_stop", buggy)


@mutant(
    "M14",
    "A broker waits a whole session timeout after a failure",
    defect="apache/kafka#19061",
    scenario="same-incarnation-resend",
    broken="leads_to[0]",
)
def backs_off_for_a_session(swaps: Swaps) -> None:
    """Sets the next try after a failure to one session later."""
    failed = Agent._failed

    def buggy(agent: Agent, reason: str, now_ms: int) -> None:
        failed(agent, reason, now_ms)
        agent._lease.schedule(now_ms + agent.config.session_timeout_ms)

    swaps.attribute(Agent, "_failed", buggy)


@mutant(
    "M15",
    "A broker sends heartbeats without a pause",
    defect="KAFKA-15950, apache/kafka#14903",
    scenario="heartbeat-amplification",
    broken="herds-drain",
)
def heartbeats_without_pause(swaps: Swaps) -> None:
    """Sets the next heartbeat to 10 ms after a reply."""
    succeeded = Agent._succeeded

    def buggy(agent: Agent, now_ms: int) -> None:
        succeeded(agent, now_ms)
        agent._lease.schedule(now_ms + 10)

    swaps.attribute(Agent, "_succeeded", buggy)


@mutant(
    "M56",
    "A broker whose controller is gone looks for no other",
    defect="textbook: lost wake-up",
    scenario="active-controller-crash",
    broken="healthy-brokers-are-unfenced",
)
def stops_looking_for_controller(swaps: Swaps) -> None:
    """Drops the next request of a running broker that looks for the controller."""
    retry_soon = Agent._retry_soon

    def buggy(agent: Agent, now_ms: int) -> None:
        retry_soon(agent, now_ms)
        if agent.state is ProcessState.RUNNING:
            agent._lease.schedule(NEVER_MS)

    swaps.attribute(Agent, "_retry_soon", buggy)


@mutant(
    "M89",
    "A broker with a stale epoch registers again",
    defect="textbook: a zombie that registers again (rule 1.49)",
    scenario="decommission-while-running",
    broken="never[0]",
)
def zombies_register_again(swaps: Swaps) -> None:
    """Makes a broker register again after every failed request, even if it was superseded."""
    failed = Agent._failed

    def buggy(agent: Agent, reason: str, now_ms: int) -> None:
        failed(agent, reason, now_ms)
        agent.broker_epoch = -1

    swaps.attribute(Agent, "_failed", buggy)


@mutant(
    "M90",
    "A broker without a registration never gives up",
    defect="textbook: no deadline for registration",
    scenario="wrong-cluster-id",
    broken="leads_to[0]",
)
def never_gives_up(swaps: Swaps) -> None:
    """Removes the deadline for the registration."""
    start = Agent.start

    def buggy(agent: Agent, now_ms: int) -> Any:
        sends = start(agent, now_ms)
        agent._give_up_ms = NEVER_MS
        return sends

    swaps.attribute(Agent, "start", buggy)


@mutant(
    "M92",
    "A broker sends its requests to the first known controller forever",
    defect="robot-head/crabka#591: an address that is resolved once",
    scenario="active-controller-crash",
    broken="never[0]",
)
def follows_the_first_leader(swaps: Swaps) -> None:
    """Keeps the first known leader as the leader for ever."""
    learn = MetadataFetch._learn
    first: dict[int, int] = {}

    def buggy(fetch: MetadataFetch, response: Any) -> bool:
        news, position = learn(fetch, response), fetch._position
        if position.leader_id != -1:
            position.leader_id = first.setdefault(fetch._config.broker_id, position.leader_id)
        return news

    swaps.attribute(MetadataFetch, "_learn", buggy)
