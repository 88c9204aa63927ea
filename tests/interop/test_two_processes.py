"""Brokers of `kraftsim up` and of `kraftsim agent`, which replicate from each other."""

from pathlib import Path

import pytest

from tests.free_ports import free_port
from tests.interop.running import kraftsim_agents, kraftsim_up
from tests.interop.test_released_broker import LEASE, RECORDS, write
from tests.interop.test_released_follower import read

pytestmark = pytest.mark.interop

OURS, THEIRS = 1, 1001


@pytest.mark.parametrize("leader", [OURS, THEIRS])
def test_a_follower_in_another_process_has_all_that_was_acknowledged(
    tmp_path: Path, leader: int
) -> None:
    port = free_port()
    with kraftsim_up(tmp_path, "--controllers", "1", brokers=1, settings=LEASE) as kraft:
        addresses = {OURS: kraft.broker_address(OURS), THEIRS: f"127.0.0.1:{port}"}
        with kraftsim_agents(
            tmp_path, kraft, "--kafka-port", str(port), count=1, settings=LEASE
        ) as agent:
            follower = OURS + THEIRS - leader
            kraft.create("orders", [leader, follower])
            write(addresses[leader], "orders")
            assert kraft.in_sync("orders") == [OURS, THEIRS]

            if leader == OURS:
                kraft.kill(OURS)
                kraft.wait(OURS, "fenced")
            else:
                agent.kill()
                kraft.wait(THEIRS, "fenced")
            write(addresses[follower], "orders")
            values = read(addresses[follower])

    assert (len(values), set(values)) == (2 * len(RECORDS), RECORDS)
