"""Waits until a broker or a controller is in a state."""

from collections.abc import Callable, Sequence
from typing import Literal, overload

from kraftsim.scenarios.language.durations import microseconds
from kraftsim.scenarios.language.suggestions import whole_number

from ..errors import UnknownController
from .argument_checks import check_wait
from .broker_states import states_of
from .clock_verbs import ClockVerbs
from .documents import LeaderDocument
from .states import BrokerState, BrokerStatesDocument

BROKERS_SHOWN_MAX = 10  # brokers whose states are part of the message of a timeout


class Waiting(ClockVerbs):
    """The methods of `Cluster` that wait for a state."""

    @overload
    async def wait(
        self, broker: int, state: BrokerState, timeout: str | float = "20s"
    ) -> BrokerStatesDocument: ...

    @overload
    async def wait(
        self, *, leader: int | Literal["any"], timeout: str | float = "20s"
    ) -> LeaderDocument: ...

    async def wait(
        self,
        broker: int | None = None,
        state: str | None = None,
        timeout: str | float = "20s",
        *,
        leader: int | str | None = None,
    ) -> BrokerStatesDocument | LeaderDocument:
        """Waits until the broker is in `state`, or until the controller `leader` is active.

        `leader` is an id or "any". Returns the states of the broker, or the leader. Raises
        UsageError for other arguments, TimeoutError with the current states after `timeout`.
        """
        check_wait(broker, state, leader, timeout)
        if leader is not None:
            await self._wait_for_leader(leader, timeout)
            return self.leader()
        assert broker is not None, "check_wait requires it without a leader"
        assert state is not None, "check_wait requires it without a leader"
        await self._wait_for_broker(broker, state, timeout)
        return self.broker_states(broker)

    def states_of(self, broker_id: int) -> set[BrokerState]:
        """Returns every state in which the broker is now, of its registration and its process."""
        return states_of(self.world, broker_id)

    def broker_states(self, broker_id: int) -> BrokerStatesDocument:
        """Returns the states of the broker as a document, in order."""
        return {"brokerId": broker_id, "states": sorted(self.states_of(broker_id))}

    def leader(self) -> LeaderDocument:
        """Returns the active controller and its epoch."""
        node = self.world.controller.node
        return {"leaderId": node.leader_id, "leaderEpoch": node.epoch}

    async def _wait_for_broker(self, broker: int, state: str, timeout: str | float) -> None:
        await self._until(
            lambda: state in self.states_of(broker),
            timeout,
            f"broker {broker} {state}",
            lambda: self._states_text((broker,)),
        )

    async def _wait_for_leader(self, leader: int | str, timeout: str | float) -> None:
        world = self.world
        leader_id = None if leader == "any" else whole_number(str(leader))
        if leader_id is not None and leader_id not in world.controllers:
            raise UnknownController(leader_id, sorted(world.controllers))

        def leads() -> bool:
            active = world.active
            return active is not None and leader_id in (None, active.node.config.node_id)

        expected = (
            "an active controller" if leader_id is None else f"controller {leader_id} to be active"
        )
        await self._until(leads, timeout, expected, self._roles)

    async def _until(
        self,
        condition: Callable[[], bool],
        timeout: str | float,
        expected: str,
        current: Callable[[], str],
    ) -> None:
        if not await self._clock.until(condition, microseconds(timeout), expected):
            raise TimeoutError(f"{self._in_vain(expected, timeout)}; {current()}")

    def _states_text(self, broker_ids: Sequence[int]) -> str:
        states = {b: sorted(self.states_of(b)) for b in broker_ids[:BROKERS_SHOWN_MAX]}
        return "; ".join(f"broker {b}: {', '.join(s)}" for b, s in states.items())

    def _roles(self) -> str:
        """Returns the role of every controller, for the message of a timeout."""
        roles = ((number, process.role) for number, process in self.world.controllers.items())
        return "; ".join(f"controller {number}: {role}" for number, role in roles)
