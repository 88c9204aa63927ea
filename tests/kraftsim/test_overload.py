"""A controller that gets three times the messages it can handle, in virtual time."""

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.message import Message

BROKERS = 40
SESSION_US = 9_000_000
# A broker sends a heartbeat every 2 s and a fetch every 0.5 s: together 100 messages a second, for
# which a controller has 10 ms each. At most two messages of each broker are under way.
SUSTAINABLE_MS, THREEFOLD_MS, HOPELESS_MS = 10, 30, 150


class Leases:
    """When the controller handled the last heartbeat of each broker, and its fences."""

    def __init__(self, kraft: Cluster) -> None:
        self._heartbeats_us: dict[int, int] = {}
        self._timeline = kraft.world.timeline
        self.fences: list[EventRow] = []
        self.gaps_us: list[int] = []  # between two heartbeats of a broker
        self.fence_ages_us: list[int] = []  # of the last heartbeat, at each fence
        kraft.world.network.arrived.append(self._arrived)
        kraft.world.journal.listeners.append(self._wrote)

    def _arrived(self, message: Message) -> None:
        if isinstance(message.request, BrokerHeartbeatRequest) and not message.is_reply:
            broker_id, now_us = message.request.broker_id, self._timeline.now_us
            self.gaps_us.append(now_us - self._heartbeats_us.get(broker_id, now_us))
            self._heartbeats_us[broker_id] = now_us

    def _wrote(self, row: EventRow) -> None:
        if row.kind == "broker_fenced":
            assert row.broker_id is not None, row
            self.fences.append(row)
            self.fence_ages_us.append(row.t_us - self._heartbeats_us.get(row.broker_id, 0))


async def slow(kraft: Cluster, each_ms: int, for_: str) -> None:
    """Makes the controller take so long for each message, and lets that time pass."""
    each = f"{each_ms}ms"
    await kraft.faults.add(
        {"proc.slow": {"on": "controllers", "low": each, "high": each, "for": for_}}
    )
    await kraft.clock.advance(for_)


@pytest.mark.slow
@pytest.mark.parametrize("each_ms", [SUSTAINABLE_MS, THREEFOLD_MS])
async def test_three_times_the_load_delays_heartbeats_and_fences_nobody(each_ms: int) -> None:
    """A broker sends its next heartbeat 2 s after the response: the load limits itself."""
    async with Cluster(brokers=BROKERS, clock="virtual", seed=7) as kraft:
        leases = Leases(kraft)

        await slow(kraft, each_ms, "2m")

        assert leases.fences == []
        assert max(leases.gaps_us) < SESSION_US
        assert (max(leases.gaps_us) > 4_000_000) == (each_ms == THREEFOLD_MS)


@pytest.mark.rule("2.34")
@pytest.mark.rule("2.36")
async def test_more_load_fences_only_brokers_whose_leases_have_run_out() -> None:
    async with Cluster(brokers=BROKERS, clock="virtual", seed=7) as kraft:
        leases = Leases(kraft)

        await slow(kraft, HOPELESS_MS, "2m")

        assert leases.fences
        assert min(leases.fence_ages_us) > SESSION_US


@pytest.mark.slow
@pytest.mark.parametrize("each_ms", [THREEFOLD_MS, HOPELESS_MS])
async def test_the_brokers_recover_within_a_session_after_the_load(each_ms: int) -> None:
    async with Cluster(brokers=BROKERS, clock="virtual", seed=7) as kraft:
        await slow(kraft, each_ms, "2m")

        await kraft.clock.advance("9s")
        assert not any(broker["fenced"] for broker in await kraft.brokers.list())

        leases = Leases(kraft)
        await kraft.clock.advance("2m")
        assert leases.fences == []
