"""The command line against a running cluster: what it prints, and with which code it ends."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kraftsim.cli.cluster_verbs import endpoint_lines
from kraftsim.cli.terminal import clock_text
from kraftsim.errors import TIMED_OUT, UNREACHABLE
from tests.golden.recordings import tool
from tests.kraftsim.conftest import CLUSTER_ID, Service

pytestmark = pytest.mark.realtime


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service(brokers=3)
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    yield service
    service.close()


@pytest.mark.rule("6.26")
def test_the_cluster_id_is_printed_as_kafkas_tool_prints_it(service: Service, run: Any) -> None:
    assert run("cluster cluster-id") == (0, f"Cluster ID: {CLUSTER_ID}\n", "")
    code, _, err = run("cluster cluster-id -b localhost:9092 -c x.properties")
    assert (code, "--config has no effect" in err) == (0, True)
    assert "expected one of 127.0.0.1:9092" in run("cluster cluster-id -b other:9092")[2]
    assert json.loads(run("cluster cluster-id --json")[1]) == {"clusterId": CLUSTER_ID}


@pytest.mark.rule("6.27")
def test_endpoints_have_kafkas_columns_and_no_rack_when_nobody_has_one(
    service: Service, run: Any
) -> None:
    service.do(service.kraft.brokers.kill(2))
    service.do(service.kraft.wait(broker=2, state="fenced"))

    code, plain, _ = run("cluster list-endpoints")
    _, asked, _ = run("cluster list-endpoints --include-fenced-brokers")

    assert code == 0
    assert plain.splitlines() == [
        "ID         HOST      PORT       STATE      ENDPOINT_TYPE  ",
        "1          127.0.0.1 9092       unfenced   broker         ",
        "3          127.0.0.1 9094       unfenced   broker         ",
    ]
    assert asked.splitlines()[2] == "2          127.0.0.1 9093       fenced     broker         "
    assert run("cluster list-nodes")[1] == plain


def test_a_cluster_is_asked_why_by_the_number_of_an_event(service: Service, run: Any) -> None:
    service.do(service.kraft.brokers.kill(2))
    service.do(service.kraft.wait(broker=2, state="fenced"))
    events = [json.loads(line) for line in run("events --json")[1].splitlines()]
    (fence,) = (event["seq"] for event in events if event["kind"] == "broker_fenced")

    code, out, _ = run(f"explain {fence}")
    assert code == 0
    assert ["NOT_RUNNING", "lease of broker", "fenced"] == [
        next(said for said in ("NOT_RUNNING", "lease of broker", "fenced") if said in line)
        for line in out.splitlines()
    ]


def described(line: str) -> dict[str, Any]:
    broker_id, host, port, rack, state, _ = line.split()
    return {
        "brokerId": int(broker_id),
        "host": host,
        "port": int(port),
        "rack": None if rack == "null" else rack,
        "isFenced": state == "fenced",
    }


@pytest.mark.rule("6.27", "6.28")
@pytest.mark.parametrize("release", ["4.1.1", "4.3.1"])
@pytest.mark.parametrize(
    "name", ["cluster-list-endpoints-server", "cluster-list-endpoints-fenced-server-b2-fenced"]
)
def test_endpoints_with_racks_are_printed_byte_for_byte_as_kafkas_tool_does(
    release: str, name: str
) -> None:
    recorded = tool(release, "A1-single", name)
    printed = recorded.partition("--- stdout\n")[2].partition("\n--- stderr")[0]

    brokers = [described(line) for line in printed.strip("\n").splitlines()[1:]]

    assert "\n".join(endpoint_lines(brokers)) == printed.strip("\n")


@pytest.mark.rule("6.27")
def test_a_broker_without_a_rack_among_others_has_null() -> None:
    rows = [
        {"brokerId": 1, "host": "a", "port": 1, "rack": "rack-b", "isFenced": False},
        {"brokerId": 2, "host": "bc", "port": 2, "rack": None, "isFenced": True},
    ]

    assert list(endpoint_lines([dict(row) for row in rows])) == [
        "ID         HOST PORT       RACK   STATE      ENDPOINT_TYPE  ",
        "1          a  1          rack-b unfenced   broker         ",
        "2          bc 2          null   fenced     broker         ",
    ]


def test_nobody_at_all_has_columns_too() -> None:
    host = "HOST" + " " * 96

    assert list(endpoint_lines([])) == [f"ID         {host} PORT       STATE      ENDPOINT_TYPE  "]


def test_a_controller_is_unregistered_as_kafka_cluster_does(service: Service, run: Any) -> None:
    code, out, err = run("cluster unregister-controller --id 77")
    assert (code, out) == (1, "")
    assert err == (
        "kraftsim: CONTROLLER_ID_NOT_REGISTERED: Controller ID 77 is not currently registered.\n"
    )

    code, _, err = run("cluster unregister-controller -b a:1 -C b:2 --id 77")
    assert (code, "--bootstrap-server or --bootstrap-controller, got both" in err) == (2, True)


@pytest.mark.rule("6.26")
def test_a_broker_is_unregistered_once(service: Service, run: Any) -> None:
    assert run("cluster unregister -i 3") == (0, "Broker 3 is no longer registered.\n", "")

    code, out, err = run("cluster unregister --id 3")
    assert (code, out) == (1, "")
    assert err == ("kraftsim: BROKER_ID_NOT_REGISTERED: Broker ID 3 is not currently registered\n")


def test_a_last_replica_is_decommissioned_by_force(service: Service, run: Any) -> None:
    service.do(service.kraft.topics.create("alone", assignments=[(3,)]))

    code, _, err = run("cluster decommission -i 3")
    assert (code, err.split(": ")[1]) == (1, "BROKER_REQUIRED_FOR_PARTITIONS")
    assert run("cluster decommission -i 3 -f") == (0, "Broker 3 is decommissioned.\n", "")


def test_a_broker_is_killed_waited_for_and_restarted(service: Service, run: Any) -> None:
    assert run("broker kill 2")[0] == 0
    assert run("wait --broker 2 --state fenced")[0] == 0
    code, out, _ = run("broker restart 2 --json")

    assert (code, json.loads(out)["brokerId"]) == (0, 2)


def test_a_wait_for_a_leader_says_who_it_is(service: Service, run: Any) -> None:
    code, out, _ = run("wait --leader any --json")

    assert (code, json.loads(out)) == (0, {"leaderId": 3000, "leaderEpoch": 1})


def test_a_wait_in_vain_fails_and_says_where_the_broker_stands(service: Service, run: Any) -> None:
    code, out, err = run("wait --broker 2 --state fenced --timeout 2s")

    assert (code, out) == (TIMED_OUT, "")
    assert err == (
        "kraftsim: TIMED_OUT: expected broker 2 fenced within 2s; "
        "broker 2: RUNNING, registered, unfenced\n"
    )


READS = ["broker list", "broker show 1", "cluster show", "topic list", "log show"]


@pytest.mark.parametrize("line", READS)
def test_every_read_prints_json_for_programs_and_text_for_people(
    service: Service, run: Any, line: str
) -> None:
    service.do(service.kraft.topics.create("orders", partitions=1, replication_factor=3))

    code, document, _ = run(f"{line} --json")
    assert (code, type(json.loads(document))) == (0, dict)
    code, text, _ = run(line)
    assert code == 0
    assert "…" not in text


def test_a_list_is_one_line_a_row_with_nothing_left_out(service: Service, run: Any) -> None:
    _, out, _ = run("broker list")

    title, *rows = out.splitlines()
    assert title.split() == ["id", "state", "epoch", "rack", "leads", "process", "startTime"]
    start = clock_text(service.kraft.world.committed.brokers[1].start_time_ms, utc=False)
    assert [row.split() for row in rows] == [
        ["1", "unfenced", "13", "0", "RUNNING", start],
        ["2", "unfenced", "14", "0", "RUNNING", start],
        ["3", "unfenced", "15", "0", "RUNNING", start],
    ]


def test_one_broker_is_shown_field_by_field(service: Service, run: Any) -> None:
    _, out, _ = run("broker show 2")

    told = dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)
    assert (told["brokerId"], told["fenced"]) == ("2", "false")
    start = service.kraft.world.committed.brokers[2].start_time_ms
    assert told["startTime"] == clock_text(start, utc=False)


@pytest.mark.parametrize("verb", ["unregister -i 3", "decommission -i 3"])
def test_a_change_is_told_in_json_too(service: Service, run: Any, verb: str) -> None:
    code, out, _ = run(f"cluster {verb} --json")

    assert (code, json.loads(out)["errorCode"]) == (0, 0)


def test_events_are_lines_and_begin_where_they_are_wanted(service: Service, run: Any) -> None:
    _, out, _ = run("events --json --from 2 --limit 3")
    _, text, _ = run("events --limit 1")

    assert [json.loads(line)["seq"] for line in out.splitlines()] == [2, 3, 4]
    assert "controller_elected" in text


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("brokr", "did you mean 'broker'?"),
        ("broker kil 2", "did you mean 'kill'?"),
        ("cluster list-endpoint", "did you mean 'list-endpoints'?"),
        ("up --brokerz 3", "did you mean '--brokers'?"),
        ("wait --broker 1 --state fenced --timeoutt 3s", "did you mean '--timeout'?"),
        ("broker list --jsn", "did you mean '--json'?"),
        ("quorum transfer", "did you mean 'transfer-leadership'?"),
        ("up --broker 3", "did you mean '--brokers'?"),
        ("scenario run x --until", "did you mean '--until-failure'?"),
        ("scenario lst", "did you mean 'list'?"),
        ("scenario list --tag leasse", "expected 'lease' (nearest)"),
        ("scenario run --tag leasse", "expected 'lease' (nearest)"),
        ("scenario list --tag nix", "expected one of 16 (all: `kraftsim scenario list --json`)"),
        (
            "scenario run gc-pause",
            "'gc-pause-longer-than-lease' or 'gc-pause-shorter-than-lease' (nearest)",
        ),
        ("explain nix", "(all: `kraftsim scenario list`), or the path of a file"),
        ("scenario run mute-broker --mutant M4", "bug 'M4': expected 'M41' or 'M42' or"),
        ("scenario explore --mutant m4", "bug 'm4': expected 'M41' or 'M42' or"),
        ("scenario mutants nix", "(all: docs/bugs.md)"),
        ("broker describe 1", "(did you mean 'show'?)"),
        ("config describe topic t", "(did you mean 'get'?)"),
        ("config alter topic t a=b", "(did you mean 'set'?)"),
    ],
)
def test_an_unknown_word_names_the_nearest(run: Any, line: str, hint: str) -> None:
    code, out, err = run(line)

    assert (code, out) == (2, "")
    assert hint in err


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("wait", "wait: expected both broker and state, or only leader, got none of them"),
        ("wait --broker 2", "or only leader, got broker"),
        ("wait --broker 2 --state fenced --leader any", "got broker and state and leader"),
        ("wait --broker 2 --state fence", "state: expected 'fenced' (nearest), got 'fence'"),
        ("wait --leader everybody", "leader: expected a controller's id or any, got 'everybody'"),
        ("wait --leader any --timeout soon", "timeout: expected a duration such as 11s"),
        ("events --limit 0", "limit: expected 1 to 10000, got 0"),
        ("events --follow --limit -1", "limit: expected 1 to 10000, got -1"),
        ("events --from -1", "from: expected 0 or above, got -1"),
        ("log show --limit 10001", "limit: expected 1 to 10000, got 10001"),
        ("quorum transfer-leadership --timeout soon", "timeout: expected a duration"),
        ("clock advance --by soon", "by: expected a duration such as 11s"),
        ("clock run-until --kind broker_fence", "kind: expected 'broker_fenced' (nearest)"),
        ("clock speed --factor 0.0001", "factor: expected a number from 0.001 to 1000"),
        ("clock lock --owner me --expiry soon", "expiry: expected a duration"),
        ("request list --api Foo", "api: expected Produce, Fetch, "),
        ("request list --where foo", "where: expected FIELD=VALUE,... such as brokerId=1"),
        ("request count --api Voet", "api: expected 'Vote' (nearest), got 'Voet'"),
        pytest.param(f"broker add --rack {'r' * 40_000}", "rack: expected at most", id="rack"),
    ],
)
def test_a_wrong_argument_is_refused_before_the_service_is_called(
    run: Any, line: str, wrong: str
) -> None:
    code, out, err = run(f"{line} --url http://127.0.0.1:1")

    assert (code, out) == (2, "")
    assert wrong in err


@pytest.mark.parametrize(
    "line",
    [
        "",
        "broker",
        "cluster",
        "broker show x",
        "cluster unregister",
        "up --clock",
        "scenario explore --voters 9",
    ],
)
def test_a_command_that_is_not_whole_is_a_fault_of_usage(run: Any, line: str) -> None:
    code, out, err = run(line)

    assert (code, out) == (2, "")
    assert "kraftsim" in err


def test_an_unknown_broker_is_refused_with_those_there_are(service: Service, run: Any) -> None:
    assert run("broker kill 9") == (
        1,
        "",
        "kraftsim: UNKNOWN_BROKER: no broker 9: expected one of 1, 2, 3\n",
    )


def test_where_no_cluster_answers_the_way_out_is_named(run: Any) -> None:
    code, out, err = run("broker list --url http://127.0.0.1:1")

    assert (code, out) == (UNREACHABLE, "")
    assert err.startswith("kraftsim: http://127.0.0.1:1: no service answers (")
    assert "start one with `kraftsim up`" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "url", ["nonsense", "ftp://127.0.0.1:1", "http://", "http://127.0.0.1:x", "http://h:99999"]
)
def test_an_address_that_is_none_is_refused(run: Any, url: str) -> None:
    code, out, err = run(f"broker list --url {url}")

    assert (code, out) == (2, "")
    assert err.startswith("kraftsim: --url: expected an address such as http://127.0.0.1:8090, got")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("verb", ["stop", "pause"])
def test_a_process_that_has_ended_is_neither_stopped_nor_paused(
    service: Service, run: Any, verb: str
) -> None:
    assert run("broker kill 1")[0] == 0

    code, _, err = run(f"broker {verb} 1")

    assert (code, "broker 1: expected a process that runs, got NOT_RUNNING" in err) == (1, True)


@pytest.mark.parametrize("host", ["256.1.1.1", "203.0.113.4"])
def test_a_host_that_is_none_of_this_machine_is_named(run: Any, host: str) -> None:
    code, _, err = run(f"up --host {host} --kafka-port 0 --controller-port 0 --http-port 0")

    assert (code, "host: expected an address of this machine" in err) == (2, True)


@pytest.mark.parametrize("greeting", [b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\n\r\n<html>", b""])
def test_somebody_who_is_no_cluster_is_told_apart(run: Any, greeting: bytes) -> None:
    def greet() -> None:
        connection, _ = listening.accept()
        connection.recv(65536)
        connection.sendall(greeting)
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=greet)
        thread.start()
        code, out, err = run(f"broker list --url http://127.0.0.1:{listening.getsockname()[1]}")
        thread.join()

    assert (code, out) == (UNREACHABLE, "")
    assert len(err.splitlines()) == 1


def test_the_address_of_the_option_goes_before_that_of_the_environment(
    service: Service, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = os.environ["KRAFTSIM_HTTP"]
    monkeypatch.setenv("KRAFTSIM_HTTP", "http://127.0.0.1:1")

    assert run("broker list")[0] == UNREACHABLE
    assert run(f"broker list --url {url}/")[0] == 0


def test_the_version_and_the_help_are_there_without_a_cluster(run: Any) -> None:
    code, out, _ = run("--version")
    assert (code, out.split()[0]) == (0, "kraftsim")
    code, out, _ = run("--help")
    assert (code, "wait" in out) == (0, True)
