"""`kraftsim up` and `kraftsim agent` as processes: what they print, how they end, who sees them."""

import signal
from pathlib import Path

import pytest

from kraftsim.commands.agent import DRAIN_LIMIT_S
from tests.interop.clients import Confluent, KafkaPython
from tests.interop.conftest import Connect
from tests.interop.running import LIMIT_S, LONG_LEASE, eventually, kraftsim_agents, kraftsim_up

pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # see KafkaPython.close
]

FLEET = range(1001, 1006)


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("connect", [Confluent], indirect=True, ids=["Confluent"])
def test_up_ends_well_when_it_is_told_to_even_with_a_client_connected(
    tmp_path: Path, connect: Connect, signal_number: signal.Signals
) -> None:
    with kraftsim_up(tmp_path, brokers=3) as kraft:
        client = connect(kraft.bootstrap_servers)
        assert {1, 2, 3} == client.brokers()

        kraft.process.send_signal(signal_number)

        assert kraft.process.wait(LIMIT_S) == 0


def test_the_ready_file_says_what_stdout_says_while_the_cluster_runs(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready"

    with kraftsim_up(tmp_path, "--ready-file", str(ready_file), brokers=1) as kraft:
        told = ready_file.read_text("utf-8")
        assert "".join(f"{key}={value}\n" for key, value in kraft.addresses.items()) == told

    assert not ready_file.exists()


@pytest.mark.parametrize("connect", [KafkaPython], indirect=True, ids=["KafkaPython"])
def test_agents_of_another_process_join_the_cluster_and_are_fenced_when_it_is_killed(
    tmp_path: Path, connect: Connect
) -> None:
    with kraftsim_up(tmp_path, brokers=3) as kraft:
        client = connect(kraft.bootstrap_servers)
        assert isinstance(client, KafkaPython)

        with kraftsim_agents(tmp_path, kraft, count=5) as agents:
            eventually(client.brokers, {1, 2, 3, *FLEET}, ignoring=client.failure)
            agents.kill()
            for broker_id in FLEET:
                kraft.wait(broker_id, "fenced")

        fenced = {broker_id: broker_id in FLEET for broker_id in (1, 2, 3, *FLEET)}
        eventually(client.fencing, fenced, ignoring=client.failure)


def test_agents_that_are_told_to_end_give_their_leaderships_away_first(tmp_path: Path) -> None:
    """By controlled shutdown, since no lease runs out here."""
    with (
        kraftsim_up(tmp_path, brokers=1, settings=LONG_LEASE) as kraft,
        kraftsim_agents(tmp_path, kraft, count=2) as agents,
    ):
        kraft.create("orders", (1001, 1002, 1))
        agents.terminate()

        assert 0 == agents.wait(LIMIT_S)
        assert [1] == kraft.leaders("orders")


def test_agents_whose_controller_is_gone_do_not_wait_for_its_leave(tmp_path: Path) -> None:
    with (
        kraftsim_up(tmp_path, brokers=1) as kraft,
        kraftsim_agents(tmp_path, kraft, count=2) as agents,
    ):
        kraft.process.kill()
        kraft.process.wait(LIMIT_S)

        agents.terminate()

        assert 0 == agents.wait(DRAIN_LIMIT_S / 2)


@pytest.mark.rule("2.15")
def test_agents_that_are_told_twice_end_at_once(tmp_path: Path) -> None:
    """Nobody is let go while another broker has not seen what the controller wrote of it."""
    with (
        kraftsim_up(tmp_path, brokers=1, settings=LONG_LEASE) as kraft,
        kraftsim_agents(tmp_path, kraft, count=1) as agents,
    ):
        kraft.create("orders", (1001, 1))
        kraft.pause(1)
        agents.terminate()
        kraft.wait(1001, "in_controlled_shutdown")

        agents.terminate()

        assert 0 == agents.wait(DRAIN_LIMIT_S / 2)
