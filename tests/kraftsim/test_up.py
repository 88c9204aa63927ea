"""`kraftsim up` as a process: it announces itself, serves, and ends when it is told to."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from kraftsim.errors import UNREACHABLE
from tests.free_ports import free_port
from tests.limits import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
ANY_PORTS = ["--kafka-port", "0", "--controller-port", "0", "--http-port", "0"]
DIRECTORY = "JEXY6aqzQY-32P5TStzaFg"

pytestmark = pytest.mark.realtime


class Process:
    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kraftsim", *words],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            # A shell has its background jobs ignore it, and whoever they start inherits that.
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def error_line(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.readline()

    def announced(self) -> dict[str, str]:
        """The four KEY=value lines; they come when the cluster is ready."""
        return dict(self.line().rstrip("\n").split("=", 1) for _ in range(4))

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=LIMIT_S)
        assert "Traceback" not in err, err
        return self.process.returncode, out, err


@pytest.fixture
def started() -> Iterator[list[Process]]:
    processes: list[Process] = []
    yield processes
    for process in processes:
        if process.process.poll() is None:
            process.process.kill()
        process.process.communicate()


def start(started: list[Process], *words: str) -> Process:
    started.append(Process(*words))
    return started[-1]


def test_it_announces_itself_once_ready_and_ends_on_sigterm(
    started: list[Process], tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    up = start(started, "up", "--brokers", "2", "--ready-file", str(ready), *ANY_PORTS)
    told = up.announced()

    assert list(told) == [
        "KRAFTSIM_HTTP",
        "KRAFTSIM_BOOTSTRAP_SERVERS",
        "KRAFTSIM_BOOTSTRAP_CONTROLLERS",
        "KRAFTSIM_CLUSTER_ID",
    ]
    assert len(told["KRAFTSIM_BOOTSTRAP_SERVERS"].split(",")) == 2
    assert ready.read_text() == "".join(f"{key}={value}\n" for key, value in told.items())
    assert [path.name for path in tmp_path.iterdir()] == ["ready"]
    with urlopen(told["KRAFTSIM_HTTP"] + "/v1/brokers") as answer:
        assert [broker["fenced"] for broker in json.load(answer)["brokers"]] == [False, False]

    up.signal(signal.SIGTERM)
    code, out, _ = up.ended()
    assert (code, out) == (0, "")
    assert not ready.exists()


def test_it_ends_on_ctrl_c_while_somebody_follows_its_events(started: list[Process]) -> None:
    up = start(started, "up", "--brokers", "1", *ANY_PORTS)
    url = up.announced()["KRAFTSIM_HTTP"]
    events = start(started, "events", "--follow", "--from", "0", "--json", "--url", url)
    assert json.loads(events.line())["kind"] == "controller_elected"

    up.signal(signal.SIGINT)

    assert up.ended()[0] == 0
    assert events.ended()[0] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_services_that_run_end_well_at_a_signal(started: list[Process], number: int) -> None:
    up = start(started, "up", "--brokers", "0", *ANY_PORTS)
    told = up.announced()
    cluster = ("--cluster-id", told["KRAFTSIM_CLUSTER_ID"])
    address = told["KRAFTSIM_BOOTSTRAP_CONTROLLERS"]
    agents = start(started, "agent", "--controller", address, *cluster, "--count", "2")
    assert agents.line() == "KRAFTSIM_AGENTS_RUNNING=2\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        voter = f"3000@127.0.0.1:{server.getsockname()[1]}:{DIRECTORY}"
    words = ("controller", "run", "--node-id", "3000", *cluster, "--voters", voter)
    controller = start(started, *words)
    assert controller.line().startswith("KRAFTSIM_BOOTSTRAP_CONTROLLERS=")

    for process in (agents, controller, up):
        process.signal(number)
        code, _, err = process.ended()
        assert (code, "interrupted" in err) == (0, False)


def test_agents_that_still_wait_for_a_controller_are_interrupted(started: list[Process]) -> None:
    words = ("--controller", "127.0.0.1:1", "--cluster-id", "kraftsimTestCluster001")
    agents = start(started, "agent", *words)
    assert "waiting for a controller" in agents.error_line()

    agents.signal(signal.SIGINT)

    code, _, err = agents.ended()
    assert (code, err.splitlines()[-1]) == (130, "kraftsim: interrupted")


def test_a_follower_is_interrupted_with_130(started: list[Process]) -> None:
    up = start(started, "up", "--brokers", "0", *ANY_PORTS)
    url = up.announced()["KRAFTSIM_HTTP"]
    events = start(started, "events", "-f", "--url", url)
    assert "controller_elected" in events.line()

    events.signal(signal.SIGINT)

    assert events.ended()[0] == 130


def test_the_environment_leads_every_other_verb_to_it(started: list[Process]) -> None:
    up = start(started, "up", "--brokers", "2", "--clock", "virtual", *ANY_PORTS)
    told = up.announced()

    done = subprocess.run(
        [sys.executable, "-m", "kraftsim", "cluster", "cluster-id"],
        cwd=ROOT,
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"Cluster ID: {told['KRAFTSIM_CLUSTER_ID']}\n"


@pytest.mark.parametrize("option", ["--kafka-port", "--controller-port", "--http-port"])
def test_a_port_in_use_is_one_clear_line_and_the_ready_file_of_another_stays(
    started: list[Process], tmp_path: Path, option: str
) -> None:
    ready = tmp_path / "ready"
    ready.write_text("KRAFTSIM_HTTP=another")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = list(ANY_PORTS)
        ports[ports.index(option) + 1] = str(taken.getsockname()[1])
        up = start(started, "up", "--brokers", "1", "--ready-file", str(ready), *ports)
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        code, out, err = up.ended()

    assert (code, out) == (1, "")
    (line,) = [line for line in err.splitlines() if line.startswith("kraftsim: ")]
    assert f"{option}: {address} cannot be bound (in use): end the process" in line
    assert f"{option} 0 lets the system choose" in line
    assert ready.read_text() == "KRAFTSIM_HTTP=another"


def test_agents_name_the_option_of_a_port_in_use(started: list[Process]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ["--controller", "127.0.0.1:9", "--cluster-id", "x", "--kafka-port", str(port)]
        code, out, err = start(started, "agent", *words).ended()

    assert (code, out) == (1, "")
    assert err == (
        f"kraftsim: --kafka-port: 127.0.0.1:{port} cannot be bound (in use): end the process that "
        "listens there, or choose another port; --kafka-port 0 lets the system choose a free port\n"
    )


@pytest.mark.parametrize("option", ["--voters", "--listen"])
def test_a_controller_names_the_option_of_a_port_in_use(
    started: list[Process], option: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        voter = address if option == "--voters" else "127.0.0.1:9"
        words = ["--node-id", "3000", "--cluster-id", "x", "--voters", f"3000@{voter}:{DIRECTORY}"]
        listen = ["--listen", address] if option == "--listen" else []
        code, out, err = start(started, "controller", "run", *words, *listen).ended()

    assert (code, out) == (1, "")
    assert err == (
        f"kraftsim: {option}: {address} cannot be bound (in use): end the process that listens "
        "there, or choose another port\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--profile", "kafka-4.2"], "profile: expected 'kafka-4.4' (nearest)"),
        (["--clock", "virtul"], "clock: expected real, virtual, auto, skipping, scaled:K"),
        (["--brokers", "many"], "invalid int value: 'many'"),
        (["--brokers", "-1"], "brokers: expected 0 to"),
        (["--controllers", "0"], "controllers: expected 1 to 9, got 0"),
        (["--http-port", "70000"], "--http-port: expected 0 to 65535"),
        (["--metadata-version", "5.0"], "expected a metadata.version such as"),
    ],
)
def test_a_bad_option_is_a_fault_of_usage(
    started: list[Process], words: list[str], message: str
) -> None:
    code, out, err = start(started, "up", *ANY_PORTS, *words).ended()

    assert (code, out) == (2, "")
    assert message in err


def test_a_configuration_file_is_used_and_what_is_not_simulated_is_named(
    started: list[Process], tmp_path: Path
) -> None:
    config = tmp_path / "server.properties"
    config.write_text("broker.session.timeout.ms=400\nlisteners=A://:9\nbroker.session.timeout=1\n")
    up = start(started, "up", "--brokers", "2", "--config", str(config), *ANY_PORTS)
    url = up.announced()["KRAFTSIM_HTTP"]
    for words in (["broker", "kill", "2"], ["wait", "--broker", "2", "--state", "fenced"]):
        assert start(started, *words, "--url", url).ended()[0] == 0

    up.signal(signal.SIGTERM)
    code, _, err = up.ended()
    assert code == 0
    assert "listeners: no effect on a cluster" in err
    assert "listeners: no effect without process.roles" in err
    assert "broker.session.timeout (did you mean broker.session.timeout.ms?)" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        ("nonsense", "server.properties:1: expected key=value, got 'nonsense'"),
        (
            "broker.session.timeout.ms=soon",
            "server.properties: Invalid value soon for configuration broker.session.timeout.ms: "
            "Not a number of type INT",
        ),
    ],
)
def test_a_bad_configuration_file_is_one_clear_line(
    started: list[Process], tmp_path: Path, text: str | None, message: str
) -> None:
    config = tmp_path / "server.properties"
    if text is not None:
        config.write_text(text)
    code, out, err = start(started, "up", "--config", str(config), *ANY_PORTS).ended()

    assert (code != 0, out) == (True, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_a_ready_file_that_cannot_be_written_is_one_clear_line(
    started: list[Process], tmp_path: Path
) -> None:
    ready = tmp_path / "no" / "such" / "ready"
    code, out, err = start(started, "up", "--ready-file", str(ready), *ANY_PORTS).ended()

    assert (code, out) == (2, "")
    assert str(ready) in err.splitlines()[-1]


def accepts(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, timeout=LIMIT_S).close()
    except OSError:
        return False
    return True


def accepted(address: tuple[str, int], up: Process) -> None:
    """Knock until somebody opens."""
    end_s = time.monotonic() + LIMIT_S
    while not accepts(address):
        assert up.process.poll() is None, "it lives"
        assert time.monotonic() < end_s, "it listens"


def test_a_start_that_cannot_succeed_is_ended_by_sigterm(
    started: list[Process], tmp_path: Path
) -> None:
    config, port = tmp_path / "server.properties", free_port()
    config.write_text("initial.broker.registration.timeout.ms=1\n")  # every broker gives up
    ports = ["--kafka-port", "0", "--controller-port", str(port), "--http-port", "0"]
    up = start(started, "up", "--brokers", "1", "--config", str(config), *ports)
    accepted(("127.0.0.1", port), up)

    up.signal(signal.SIGTERM)

    assert up.ended()[:2] == (0, "")


def test_the_port_of_a_broker_is_open_while_its_process_lives(started: list[Process]) -> None:
    up = start(started, "up", "--brokers", "1", *ANY_PORTS)
    told = up.announced()
    host, _, port = told["KRAFTSIM_BOOTSTRAP_SERVERS"].rpartition(":")
    address = host, int(port)

    def broker(verb: str) -> None:
        url = told["KRAFTSIM_HTTP"] + "/sim/brokers/1/" + verb
        headers = {"Content-Type": "application/json"}
        with urlopen(Request(url, method="POST", headers=headers)) as answer:
            assert answer.status == 200

    assert accepts(address)
    broker("kill")
    assert not accepts(address)
    for _ in range(5):
        broker("restart")
    accepted(address, up)


def test_agents_register_unfence_and_drain(started: list[Process]) -> None:
    up = start(started, "up", "--brokers", "0", *ANY_PORTS)
    told = up.announced()
    agents = start(
        started,
        *("agent", "--controller", told["KRAFTSIM_BOOTSTRAP_CONTROLLERS"]),
        *("--cluster-id", told["KRAFTSIM_CLUSTER_ID"], "--count", "5", "--first-id", "11"),
    )
    assert agents.line() == "KRAFTSIM_AGENTS_RUNNING=5\n"
    with urlopen(told["KRAFTSIM_HTTP"] + "/v1/brokers") as answer:
        brokers = json.load(answer)["brokers"]
    assert [(broker["brokerId"], broker["fenced"]) for broker in brokers] == [
        (number, False) for number in range(11, 16)
    ]

    agents.signal(signal.SIGTERM)

    assert agents.ended()[0] == 0
    with urlopen(told["KRAFTSIM_HTTP"] + "/v1/brokers") as answer:
        assert all(broker["fenced"] for broker in json.load(answer)["brokers"])


@pytest.mark.parametrize(
    "words",
    [
        ["--controller", "nowhere"],
        ["--controller", "127.0.0.1:70000"],
        ["--controller", "127.0.0.1:9", "--count", "0"],
        ["--controller", "127.0.0.1:9", "--count", "5001"],
    ],
)
def test_agents_with_a_bad_option_are_a_fault_of_usage(
    started: list[Process], words: list[str]
) -> None:
    code, out, err = start(started, "agent", "--cluster-id", "x", *words).ended()

    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_down_ends_the_service_that_the_url_names(started: list[Process]) -> None:
    kept, ended = (start(started, "up", "--brokers", "1", *ANY_PORTS) for _ in range(2))
    urls = [up.announced()["KRAFTSIM_HTTP"] for up in (kept, ended)]

    code, out, _ = start(started, "down", "--url", urls[1]).ended()
    assert (code, urls[1] in out) == (0, True)
    assert ended.ended()[0] == 0
    assert start(started, "down", "--url", urls[1]).ended()[0] == UNREACHABLE
    assert start(started, "broker", "list", "--url", urls[0]).ended()[0] == 0

    code, out, _ = start(started, "down", "--json", "--url", urls[0]).ended()
    assert (code, [*json.loads(out)]) == (0, ["clusterId"])
