"""Conditions about brokers: their registrations in the log, and their processes."""

from dataclasses import dataclass
from typing import Annotated

from kraftsim.broker_agent.process_state import LASTING_STATES
from kraftsim.controller.core.brokers.registration_state import RegistrationState
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.node_id import NodeId
from kraftsim.simulation.topology import BROKERS_MAX

from ..language.constraints import Between, OneOf
from ..language.selectors import Selector
from ..stage.stage import Holds, Stage, every

BROKER_STATES = (
    RegistrationState.FENCED.value,
    RegistrationState.UNFENCED.value,
    RegistrationState.UNREGISTERED.value,
)
NO_NODES: tuple[NodeId, ...] = ()
PROCESS_STATES = tuple(state.value for state in LASTING_STATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerState:
    """True if `broker` names at least one broker and all of them are in `state`.

    `state` is a state of the registration (fenced, unfenced, unregistered) or of the process.
    With `seen_by` the registration is read from the metadata of that broker.
    """

    broker: Selector
    state: Annotated[str, OneOf((*BROKER_STATES, *PROCESS_STATES))]
    seen_by: Selector | None = None

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds."""
        number = self.broker.number
        if self.state in BROKER_STATES and self.seen_by is None:
            return self._watched_in_log(stage, number)
        if number is not None:
            return lambda: self._is(stage, number)
        return lambda: self._holds_for(stage.nodes(self.broker), stage)

    def _watched_in_log(self, stage: Stage, number: int | None) -> Holds:
        """Evaluates the condition only if records were committed, or the selector has other nodes.

        Conditions are checked after every event, and few events change a registration. All nodes
        with the id `number` have the same state, so they are not selected.
        """
        log, seen, holds = stage.world.committed_log, (-1, NO_NODES), False

        def holds_now() -> bool:
            nonlocal seen, holds
            now = log.end_offset, NO_NODES if number is not None else stage.nodes(self.broker)
            if now != seen:
                seen = now
                holds = (
                    self._holds_for(now[1], stage) if number is None else self._is(stage, number)
                )
            return holds

        return holds_now

    def _holds_for(self, nodes: tuple[NodeId, ...], stage: Stage) -> bool:
        return every(nodes, lambda node: self._is(stage, node.number))

    def _is(self, stage: Stage, broker_id: int) -> bool:
        if self.state not in BROKER_STATES:
            agent = stage.world.agents.get(broker_id)
            return agent is not None and agent.state == self.state
        known = self._image(stage).brokers.get(broker_id)
        if self.state == RegistrationState.UNREGISTERED:
            return known is None
        return known is not None and known.fenced == (self.state == RegistrationState.FENCED)

    def _image(self, stage: Stage) -> Image:
        if self.seen_by is None:
            return stage.world.committed
        observer, *_ = stage.nodes(self.seen_by)
        return stage.world.agents[observer.number].agent.image


@dataclass(frozen=True, slots=True, kw_only=True)
class FencedAtLeast:
    """True if at least this number of brokers is fenced."""

    fenced_at_least: Annotated[int, Between(1, BROKERS_MAX)]

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds."""
        log, seen, holds = stage.world.committed_log, -1, False

        def holds_now() -> bool:
            nonlocal seen, holds
            if log.end_offset != seen:
                seen = log.end_offset
                brokers = stage.world.committed.brokers.values()
                holds = sum(bool(broker.fenced) for broker in brokers) >= self.fenced_at_least
            return holds

        return holds_now
