"""Formatted controllers that are killed: their log is gone, and none leads again without it."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kraftsim.cli.main import main
from kraftsim.controller.core.rpc import BrokerRegistrationResponse
from kraftsim.controller.core.uuid import parse_uuid, random_uuid, uuid_text
from kraftsim.storage.quorum_state import QUORUM_STATE
from tests.free_ports import free_ports
from tests.interop.quorum_running import CLUSTER_ID, IDS, Quorum, ask
from tests.interop.running import _running, eventually
from tests.limits import LIMIT_S
from tests.registrations import first_registration

pytestmark = pytest.mark.interop
FIRST, SECOND, THIRD = IDS


class FormattedQuorum(Quorum):
    """Controllers that run from property files, each with a formatted log directory of its own."""

    def log_directory(self, node_id: int) -> Path:
        return self.folder / f"controller-{node_id}" / "log"

    def _properties(self, node_id: int) -> str:
        return (
            f"process.roles=controller\nnode.id={node_id}\n"
            f"controller.quorum.bootstrap.servers={self.bootstrap_controllers}\n"
            f"listeners=CONTROLLER://127.0.0.1:{self.ports[node_id]}\n"
            f"controller.listener.names=CONTROLLER\nlog.dirs={self.log_directory(node_id)}\n"
        )

    def format(self, node_id: int, *options: str) -> bytes:
        """Formats the log directory; returns its directory id."""
        folder = self.log_directory(node_id).parent
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        config = folder / "kraftsim.properties"
        config.write_text(self._properties(node_id), "utf-8")
        assert 0 == main(["storage", "format", "-t", CLUSTER_ID, "-c", str(config), *options])
        meta = (self.log_directory(node_id) / "meta.properties").read_text("utf-8")
        (text,) = (line for line in meta.splitlines() if line.startswith("directory.id="))
        return parse_uuid(text.removeprefix("directory.id=").replace("\\", ""))

    def format_initial(self) -> None:
        for node_id in self.ports:
            self.format(node_id, "--initial-controllers", self.voters)

    def start_all(self, *node_ids: int) -> None:
        """Starts the controllers; returns when they listen."""
        for node_id in node_ids:
            folder, text = self.log_directory(node_id).parent, self._properties(node_id)
            process = _running(folder, ("controller", "run"), settings=text)
            self.processes[node_id] = self.running.enter_context(process)
        for node_id in node_ids:
            lines = self.processes[node_id].stdout
            assert lines is not None
            assert lines.readline() == (
                f"KRAFTSIM_BOOTSTRAP_CONTROLLERS=127.0.0.1:{self.ports[node_id]}\n"
            )

    def ends_without_its_log(self, node_id: int) -> None:
        """The controller is started again, and ends by itself with what to do."""
        config = self.log_directory(node_id).parent / "kraftsim.properties"
        done = kraftsim("controller", "run", "--config", str(config))
        assert 1 == done.returncode, done.stderr
        assert f"controller {node_id} has lost its log and its vote" in done.stderr
        assert str(self.log_directory(node_id)) in done.stderr
        assert "--no-initial-controllers), and add the new voter" in done.stderr
        assert "" == done.stdout

    def leads(self) -> None:
        """A controller leads, and registers a broker that it does not know."""
        eventually(self._registers, True, ignoring=OSError)

    def _registers(self) -> bool:
        leader = self.leader()
        if leader is None:
            return False
        response = ask(self.ports[leader], first_registration(1, CLUSTER_ID))
        assert isinstance(response, BrokerRegistrationResponse)
        return response.error_code == 0


def kraftsim(*words: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "kraftsim", *words)
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)


@pytest.fixture
def quorum(tmp_path: Path) -> Iterator[FormattedQuorum]:
    with ExitStack() as running:
        yield FormattedQuorum(
            tmp_path,
            ports=dict(zip(IDS, free_ports(len(IDS)), strict=True)),
            directories={node_id: uuid_text(random_uuid_of(node_id)) for node_id in IDS},
            running=running,
        )


def random_uuid_of(node_id: int) -> bytes:
    return random_uuid(lambda: (node_id - IDS[0] + 0.5) / len(IDS))


@pytest.mark.rule("9.37")
def test_three_controllers_killed_together_do_not_lead_again_with_an_empty_log(
    quorum: FormattedQuorum,
) -> None:
    quorum.format_initial()
    quorum.start_all(*IDS)
    quorum.leads()

    for node_id in IDS:
        quorum.kill(node_id)

    for node_id in IDS:
        quorum.ends_without_its_log(node_id)


@pytest.mark.rule("9.37", "10.51", "10.52")
def test_a_controller_killed_alone_comes_back_under_a_new_directory_id(
    quorum: FormattedQuorum,
) -> None:
    quorum.format_initial()
    quorum.start_all(*IDS)
    quorum.leads()
    killed = quorum.leader()
    assert killed is not None
    quorum.kill(killed)

    quorum.ends_without_its_log(killed)
    quorum.leads()

    quorum.remove_voter(killed, parse_uuid(quorum.directories[killed]))
    fresh = quorum.format(killed, "--no-initial-controllers")
    quorum.start_all(killed)
    eventually(lambda: killed in quorum.observers(), True, ignoring=OSError)
    quorum.add_voter(killed, fresh)
    eventually(lambda: quorum.voter_directories().get(killed), fresh, ignoring=OSError)


@pytest.mark.rule("9.37", "10.37", "10.51")
def test_the_first_controller_killed_alone_does_not_lead_beside_those_that_were_added(
    quorum: FormattedQuorum,
) -> None:
    quorum.format(FIRST, "--standalone")
    quorum.start_all(FIRST)
    quorum.leads()
    for node_id in (SECOND, THIRD):
        directory_id = quorum.format(node_id, "--no-initial-controllers")
        quorum.start_all(node_id)
        eventually(lambda node_id=node_id: node_id in quorum.observers(), True, ignoring=OSError)
        quorum.add_voter(node_id, directory_id)

    quorum.kill(FIRST)

    quorum.ends_without_its_log(FIRST)
    quorum.leads()
    assert quorum.leader() in (SECOND, THIRD)
    quorum.kill(SECOND)
    quorum.ends_without_its_log(SECOND)


@pytest.mark.rule("10.14")
def test_a_controller_that_starts_late_for_the_first_time_votes(quorum: FormattedQuorum) -> None:
    quorum.format_initial()
    quorum.start_all(FIRST, SECOND)
    quorum.leads()
    leader = quorum.leader()
    assert leader is not None
    quorum.kill(leader)
    (other,) = {FIRST, SECOND} - {leader}

    quorum.start_all(THIRD)

    eventually(quorum.leader, other, ignoring=OSError)
    quorum.leads()


def test_a_directory_that_cannot_be_marked_runs_no_controller(quorum: FormattedQuorum) -> None:
    quorum.format(FIRST, "--no-initial-controllers")
    directory = quorum.log_directory(FIRST)
    (directory / f"{QUORUM_STATE}.tmp").mkdir()
    config = directory.parent / "kraftsim.properties"

    done = kraftsim("controller", "run", "--config", str(config))

    assert 1 == done.returncode
    assert f"{directory / QUORUM_STATE}: Is a directory" in " ".join(done.stderr.split())
    assert "" == done.stdout
