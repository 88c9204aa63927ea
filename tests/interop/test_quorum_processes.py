"""A quorum of three processes, killed for real: clients and agents go on."""

import secrets
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    QuorumEndpoint,
)
from kraftsim.controller.core.uuid import parse_uuid, uuid_text
from tests.interop.clients import KafkaPython
from tests.interop.conftest import Connect
from tests.interop.quorum_running import (
    CLUSTER_ID,
    IDS,
    Quorum,
    ask,
    free_ports,
    quorum_of_three,
)
from tests.interop.running import LIMIT_S, _running, eventually

pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # see KafkaPython.close
]
FLEET = {1001, 1002, 1003}


@pytest.mark.rule("10.36", "9.40", "0A.2")
@pytest.mark.parametrize("connect", [KafkaPython], indirect=True, ids=["KafkaPython"])
def test_clients_and_agents_go_on_when_the_active_controller_is_killed(
    tmp_path: Path, connect: Connect
) -> None:
    with quorum_of_three(tmp_path) as quorum:
        address = ("--controller", quorum.bootstrap_controllers, "--cluster-id", CLUSTER_ID)
        fleet = ("agent", *address, "--count", str(len(FLEET)), "--kafka-port", "0")
        with _running(tmp_path, fleet) as agents:
            assert agents.stdout is not None
            servers = agents.stdout.readline().strip().removeprefix("KRAFTSIM_BOOTSTRAP_SERVERS=")
            assert f"KRAFTSIM_AGENTS_RUNNING={len(FLEET)}\n" == agents.stdout.readline()
            client = connect(servers)
            client.create("before", 3, 3)
            killed = quorum.leader()
            assert killed is not None

            quorum.kill(killed)
            client.create("after", 3, 3)

            eventually(
                lambda: {"before", "after"} <= client.topics(), True, ignoring=client.failure
            )
            eventually(client.brokers, FLEET, ignoring=client.failure)
            assert quorum.leader() in set(IDS) - {killed}
            assert agents.poll() is None


@pytest.mark.rule("10.55")
def test_a_controller_with_a_new_disk_joins_by_itself(tmp_path: Path) -> None:
    with quorum_of_three(tmp_path) as quorum:
        eventually(lambda: quorum.leader() is not None, True, ignoring=OSError)
        leader = quorum.leader()
        killed = next(node_id for node_id in IDS if node_id != leader)
        quorum.kill(killed)

        fresh = b"a directory anew"
        quorum.start(
            *(killed, "--directory-id", uuid_text(fresh)),
            *("--set", "controller.quorum.auto.join.enable=true"),
        )
        eventually(lambda: quorum.voter_directories().get(killed), fresh, ignoring=OSError)
        assert set(IDS) == quorum.voter_ids()


@pytest.mark.rule("9.37")
def test_a_voter_whose_memory_is_gone_may_not_come_back_as_if_it_were_not(tmp_path: Path) -> None:
    """Under its old directory id it ends by itself; under a new one it joins and is added."""
    with quorum_of_three(tmp_path) as quorum:
        eventually(lambda: quorum.leader() is not None, True, ignoring=OSError)
        leader = quorum.leader()
        assert leader is not None
        killed = next(node_id for node_id in IDS if node_id != leader)
        old = parse_uuid(quorum.directories[killed])
        quorum.kill(killed)

        assert 1 == quorum.start(killed).wait(LIMIT_S)

        fresh = b"a directory anew"
        quorum.start(killed, "--directory-id", uuid_text(fresh))
        quorum.remove_voter(killed, old)
        quorum.add_voter(killed, fresh)
        assert fresh == quorum.voter_directories()[killed]


@pytest.mark.rule("5.65")
def test_a_controller_of_an_older_release_ends_in_a_cluster_whose_level_it_does_not_know(
    tmp_path: Path,
) -> None:
    with quorum_of_three(tmp_path) as quorum:
        eventually(lambda: quorum.leader() is not None, True, ignoring=OSError)
        (port,) = free_ports(1)
        observer = (
            "--listen",
            f"127.0.0.1:{port}",
            "--directory-id",
            uuid_text(b"older directory!"),
        )

        assert 1 == quorum.start(3010, *observer, "--profile", "kafka-4.1").wait(LIMIT_S)


@pytest.mark.rule("10.51", "10.52", "6.39")
def test_a_fourth_controller_takes_the_place_of_the_first_by_the_command_line(
    tmp_path: Path,
) -> None:
    with quorum_of_three(tmp_path) as quorum:
        fourth, directory = 3003, uuid_text(b"the fourth one's")
        (port,) = free_ports(1)
        address = f"127.0.0.1:{port}"
        quorum.start(fourth, "--directory-id", directory, "--listen", address)
        eventually(lambda: fourth in quorum.observers(), True, ignoring=OSError)

        added = kraftsim_controller(quorum, "add", f"{fourth}@{address}:{directory}")
        removed = kraftsim_controller(quorum, "remove", "3000")

        assert added == (
            f"Added controller 3003 with directory id {directory} "
            f"and endpoints: CONTROLLER://{address}\n"
        )
        first = quorum.directories[3000]
        assert f"Removed  KRaft controller 3000 with directory id {first}\n" == removed
        quorum.ports[fourth] = port
        eventually(quorum.voter_ids, {3001, 3002, 3003}, ignoring=OSError)


def kraftsim_controller(quorum: Quorum, *words: str) -> str:
    """What `kraftsim controller ...` prints; it succeeds."""
    command = (sys.executable, "-m", "kraftsim", "controller", *words)
    at = ("--bootstrap-controllers", quorum.bootstrap_controllers)
    done = subprocess.run((*command, *at), capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout


@pytest.mark.rule("10.39", "10.26")
def test_a_leader_that_is_told_to_end_hands_over_first(tmp_path: Path) -> None:
    with quorum_of_three(tmp_path) as quorum:
        eventually(lambda: quorum.leader() is not None, True, ignoring=OSError)
        leader = quorum.leader()
        assert leader is not None

        quorum.processes[leader].terminate()

        assert 0 == quorum.processes[leader].wait(LIMIT_S)
        others = set(IDS) - {leader}
        eventually(lambda: quorum.leader() in others, True, ignoring=OSError)


@pytest.mark.rule("10.57")
def test_a_broker_that_is_added_to_the_voters_ends_and_the_quorum_has_no_majority(
    tmp_path: Path,
) -> None:
    controller, kafka_port = free_ports(2)
    directory = uuid_text(secrets.token_bytes(16))
    voters = f"3000@127.0.0.1:{controller}:{directory}"
    run = ("controller", "run", "--node-id", "3000", "--voters", voters)
    fleet = ("agent", "--controller", f"127.0.0.1:{controller}", "--first-id", "1")
    cluster = ("--cluster-id", CLUSTER_ID)
    with ExitStack() as running:
        running.enter_context(_running(tmp_path, (*run, *cluster)))
        running.enter_context(
            _running(tmp_path, (*fleet, "--kafka-port", str(kafka_port), *cluster))
        )
        quorum = Quorum(tmp_path, {3000: controller}, {3000: directory}, running)
        eventually(quorum.observers, {1}, ignoring=OSError)
        endpoint = QuorumEndpoint(name="CONTROLLER", host="127.0.0.1", port=kafka_port)
        add = AddRaftVoterRequest(
            timeout_ms=5000,
            voter_id=1,
            voter_directory_id=quorum.observer_directories()[1],
            listeners=(endpoint,),
        )

        added = ask(controller, add)

        assert isinstance(added, AddRaftVoterResponse)
        assert (added.error_code, added.error_message) == (7, "The request timed out.")
