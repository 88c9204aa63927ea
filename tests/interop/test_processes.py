"""`kraftsim up` and `kraftsim agent` as processes: what they print, how they end, who sees them."""

import signal
from pathlib import Path

import pytest

from kraftsim.cli.main import main
from kraftsim.commands.agent import DRAIN_LIMIT_S
from kraftsim.controller.core.rpc import ApiVersionsRequest, ApiVersionsResponse
from kraftsim.errors import USAGE
from tests.interop.clients import Confluent, KafkaPython
from tests.interop.conftest import Connect
from tests.interop.running import (
    LIMIT_S,
    LONG_LEASE,
    _running,
    eventually,
    kraftsim_agents,
    kraftsim_up,
)
from tests.released.controller import Connection

pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # see KafkaPython.close
]

FLEET = range(1001, 1006)
API_VERSIONS, UNREGISTER_CONTROLLER = 18, 94
NAMED = ApiVersionsRequest(client_software_name="judge", client_software_version="1")


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


@pytest.mark.rule("5.1")
def test_a_fleet_has_a_broker_of_another_release(tmp_path: Path) -> None:
    with kraftsim_up(tmp_path, "--metadata-version", "4.3-IV0", brokers=0) as kraft:
        address = ("--controller", kraft.controller, "--cluster-id", kraft.cluster_id)
        options = ("--count", "2", "--kafka-port", "0", "--profiles", "1002=kafka-4.3")
        with _running(tmp_path, ("agent", *address, *options)) as agents:
            assert agents.stdout is not None, "piped"
            servers = agents.stdout.readline().strip().partition("=")[2].split(",")

            offered = [UNREGISTER_CONTROLLER in listed_apis(server) for server in servers]

    assert offered == [True, False]


def listed_apis(server: str) -> set[int]:
    """The keys of the APIs that the broker at an address lists."""
    connection = Connection(int(server.rpartition(":")[2]))
    response = connection.ask(API_VERSIONS, 3, NAMED)
    connection.close()
    assert isinstance(response, ApiVersionsResponse)
    return {api.api_key for api in response.api_keys}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1003=kafka-4.3", "--profiles: expected an id of a broker, 1001 to 1002, got 1003"),
        ("1001=kafka-4.33", "--profiles: 1001: expected 'kafka-4.3'"),
    ],
)
def test_wrong_profiles_of_a_fleet_are_refused(
    text: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    address = ("--controller", "127.0.0.1:1", "--cluster-id", "kraftsimTestCluster001")
    assert main(["agent", *address, "--count", "2", "--profiles", text]) == USAGE

    assert error in capsys.readouterr().err
