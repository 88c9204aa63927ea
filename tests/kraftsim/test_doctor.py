"""`kraftsim doctor` finds what does not work, and says what to do next."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from kraftsim.cli.doctor import machine
from kraftsim.cli.doctor.finding import fail, ok, warn, worst
from kraftsim.cli.doctor.machine import check_ports
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import from_json
from tests.kraftsim.conftest import Service
from tests.released.controller import Connection

NOWHERE = "127.0.0.1:1"
PRODUCE = 0


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service(brokers=3, controllers=3)
    yield service
    service.close()


@pytest.fixture
def listening() -> Iterator[Service]:
    service = Service(brokers=1, kafka_port=0)
    yield service
    service.close()


def findings(service: Service, run: Any) -> tuple[int, str, dict[str, str]]:
    """The exit code, the status, and by status and check what was found and what to do next."""
    code, out, _ = run(f"doctor --json {service.kraft.http_url}")
    document = json.loads(out)
    return (
        code,
        document["status"],
        {
            f"{found['status']} {found['check']}": f"{found['found']}; {found['remedy']}"
            for found in document["checks"]
        },
    )


@pytest.mark.realtime
def test_a_healthy_cluster_passes_every_check_with_one_line_each(
    service: Service, run: Any
) -> None:
    code, out, err = run(f"doctor {service.kraft.http_url}")

    lines = out.splitlines()
    assert (0, "") == (code, err)
    named = [line.split()[1] for line in lines]
    cluster = ["service", "controllers", "brokers", "clock", "faults", "messages", "snapshots"]
    assert ["python", "machine", "spark", *cluster] == named
    assert all(line.startswith(("ok ", "warn ")) for line in lines)
    assert any("3 agree on leader 300" in line for line in lines)


@pytest.mark.realtime
def test_trouble_is_named_with_what_to_do_next(service: Service, run: Any) -> None:
    kraft = service.kraft
    service.do(kraft.brokers.kill(2))
    service.do(kraft.wait(broker=2, state="fenced"))
    follower = next(id for id in (3000, 3001, 3002) if id != kraft.quorum.leader()["leaderId"])
    service.do(kraft.controllers.kill(follower))
    service.do(kraft.faults.add({"net.partition": {"on": 1}}))

    code, status, found = findings(service, run)

    assert (0, "warn") == (code, status)
    assert found["warn brokers"].startswith("fenced or not registered: 2; `kraftsim broker show ")
    assert found["warn controllers"].startswith(f"not running: {follower}; `kraftsim controller st")
    assert "1 open: " in found["warn faults"]
    assert "`kraftsim fault remove ID`" in found["warn faults"]


@pytest.mark.realtime
def test_messages_that_are_lost_with_acks_0_are_counted(run: Any) -> None:
    service = Service(brokers=1, kafka_port=0)
    port = int(service.kraft.bootstrap_servers.split(",")[0].rpartition(":")[2])
    topics = [{"name": "absent", "partitionData": [{"index": 0}]}]
    request = from_json(APIS[PRODUCE].request, {"acks": 0, "topicData": topics})
    for _ in range(2):
        with closing(Connection(port)) as connection, pytest.raises(ConnectionError):
            connection.ask(PRODUCE, 9, request)

    code, status, found = findings(service, run)
    service.close()

    assert (0, "warn") == (code, status)
    assert found["warn messages"].startswith("2 Produce requests with acks=0 were refused, ")


@pytest.mark.realtime
def test_a_cluster_without_a_leader_or_a_serving_broker_fails(service: Service, run: Any) -> None:
    for broker_id in (1, 2, 3):
        service.do(service.kraft.brokers.kill(broker_id))
        service.do(service.kraft.wait(broker=broker_id, state="fenced"))
    for node_id in (3000, 3001, 3002):
        service.do(service.kraft.controllers.kill(node_id))

    code, status, found = findings(service, run)

    assert (1, "fail") == (code, status)
    assert found["fail controllers"].startswith("no active controller: 0 of 3 are running; ")
    assert found["fail brokers"].startswith("none of 3 is unfenced; ")


@pytest.mark.realtime
def test_a_clock_that_stands_while_a_call_waits_fails(service: Service, run: Any) -> None:
    kraft = service.kraft
    service.do(kraft.clock.pause())
    waiting = threading.Thread(target=service.do, args=[kraft.clock.sleep("1s")])
    waiting.start()
    try:
        service.do(kraft.clock.show())
        code, _, found = findings(service, run)
    finally:
        service.do(kraft.clock.resume())
        waiting.join()

    assert 1 == code
    assert found["fail clock"].startswith("stands while 1 wait for it: ")


def test_no_service_fails_only_at_an_address_that_was_named(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(f"doctor {NOWHERE}")
    assert 1 == code
    assert "fail  service" in out
    assert "start one with `kraftsim up`" in out

    monkeypatch.delenv("KRAFTSIM_HTTP", raising=False)
    monkeypatch.setattr("kraftsim.http.client.DEFAULT_URL", f"http://{NOWHERE}")
    code, out, _ = run("doctor")
    assert 0 == code
    assert "warn  service" in out


def test_a_port_that_is_in_use_is_named_with_its_option(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(machine, "PORTS", {port: "--http-port"})
        (found,) = check_ports()

    assert ("warn", f"127.0.0.1:{port} cannot be bound (in use)") == (found.status, found.found)
    assert "kraftsim up --http-port 0" in found.remedy


def test_the_worst_finding_decides() -> None:
    good, doubtful, bad = ok("a", "x"), warn("b", "x", "y"), fail("c", "x", "y")

    assert ["ok", "ok", "warn", "fail"] == [
        worst(found) for found in ([], [good], [doubtful, good], [good, bad, doubtful])
    ]


@pytest.mark.realtime
def test_a_client_with_an_api_or_version_that_a_listener_lacks_is_named(
    listening: Service, run: Any
) -> None:
    service = listening
    port = service.kraft.bootstrap_servers.split(",")[0].rpartition(":")[2]
    for key, version, client in ((3, 99, b"old tool"), (3, 99, b"old tool"), (62, 1, b"")):
        head = key.to_bytes(2, "big") + version.to_bytes(2, "big") + bytes(4)
        frame = head + len(client).to_bytes(2, "big") + client + b"\0"
        with socket.create_connection(("127.0.0.1", int(port)), 10) as connection:
            connection.sendall(len(frame).to_bytes(4, "big") + frame)
            assert connection.recv(1) == b""

    code, out, _ = run(f"doctor --json {service.kraft.http_url}")
    found = [row["found"] for row in json.loads(out)["checks"] if row["check"] == "clients"]

    assert code == 0
    assert found == [
        "client 'old tool' at 127.0.0.1 sent Metadata version 99 to broker-1, which does not have "
        "it (2 requests)",
        "a client without an id at 127.0.0.1 sent BrokerRegistration version 1 to broker-1, which "
        "does not have it (1 requests)",
    ]
