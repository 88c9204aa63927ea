"""`kraftsim controller add|remove` against a running cluster, and where there is none."""

import json
from typing import Any

import pytest

from tests.kraftsim.conftest import Service

DIRECTORY = "JEXY6aqzQY-32P5TStzaFg"

pytestmark = pytest.mark.realtime


@pytest.mark.rule("10.51", "10.52", "6.39")
def test_a_voter_is_removed_and_added_again(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(brokers=0, controllers=3)
    try:
        monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
        voters = json.loads(run("quorum show --json")[1])["voters"]
        leader = service.kraft.world.controller.node.leader_id
        listed = next(voter for voter in voters if voter["nodeId"] != leader)
        voter = listed["nodeId"]
        directory, address = listed["directoryId"], listed["endpoint"]

        removed = run(f"controller remove {voter}")
        service.do(service.kraft.clock.advance("3s"))
        added = run(f"controller add {voter}@{address}:{directory}")
        again = run(f"controller add {voter}@{address}:{directory}")
        unknown = run("controller remove 7")
    finally:
        service.close()

    assert removed == (0, f"Removed  KRaft controller {voter} with directory id {directory}\n", "")
    told = f"Added controller {voter} with directory id {directory} and endpoints: "
    assert added == (0, f"{told}CONTROLLER://{address}\n", "")
    assert again[0] == 1
    assert again[2].startswith("kraftsim: DUPLICATE_VOTER: The voter id for ReplicaKey(id=")
    assert unknown == (1, "", "kraftsim: no voter 7: expected one of 3000, 3001, 3002\n")


@pytest.mark.rule("10.57")
def test_a_broker_that_is_added_to_the_voters_ends_and_so_does_its_next_process(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(brokers=1, controllers=3, kafka_port=0)
    try:
        kraft = service.kraft
        monkeypatch.setenv("KRAFTSIM_HTTP", kraft.http_url)
        (observer,) = json.loads(run("quorum show --json")[1])["observers"]

        added = run(f"controller add 1@{kraft.bootstrap_servers}:{observer['directoryId']}")
        ended = [json.loads(run("broker show 1 --json")[1])["agent"]]
        service.do(kraft.brokers.restart(1))
        service.do(kraft.clock.advance("3s"))
        ended.append(json.loads(run("broker show 1 --json")[1])["agent"])
        voters = json.loads(run("quorum show --json")[1])["voters"]
    finally:
        service.close()

    assert added[0] == 0, "three controllers are a majority of four voters"
    assert [agent["state"] for agent in ended] == ["NOT_RUNNING"] * 2
    assert {agent["lastError"] for agent in ended} == {
        "a broker is among the voters: UpdateRaftVoter is refused, a fatal fault"
    }
    assert [1, 3000, 3001, 3002] == sorted(voter["nodeId"] for voter in voters)


@pytest.mark.parametrize(
    ("line", "code", "wrong"),
    [
        ("add 3003", 2, "expected id@host:port:directoryId, got '3003'"),
        ("remove 1 --bootstrap-controllers nowhere", 2, "expected host:port, got 'nowhere'"),
        ("remove 1 --url http://a:1 --bootstrap-controllers a:1", 2, "got both"),
    ],
)
def test_a_change_of_voters_says_what_is_wrong_with_it(
    run: Any, line: str, code: int, wrong: str
) -> None:
    ended, out, err = run(f"controller {line}")

    assert (code, "") == (ended, out)
    assert wrong in err


@pytest.mark.parametrize("line", ["remove 1", f"add 3003@127.0.0.1:9:{DIRECTORY}"])
def test_controllers_that_refuse_the_connection_are_unreachable(
    run: Any, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr("kraftsim.cli.controller_client.LEADER_LIMIT_S", float("inf"))

    code, out, err = run(f"controller {line} --bootstrap-controllers 127.0.0.1:1,127.0.0.1:2")

    assert (code, out) == (5, "")
    refused = "127.0.0.1:1 (Connection refused), 127.0.0.1:2 (Connection refused)"
    assert f"no Kafka listener answers at {refused}: start a controller with" in err


def test_where_nobody_leads_one_is_told_what_to_look_at(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kraftsim.cli.controller_client.LEADER_LIMIT_S", 0.2)
    service = Service(brokers=0, controllers=3, controller_port=0, clock="real")
    try:
        kraft = service.kraft
        leader_id = kraft.world.controller.node.leader_id
        for node_id in (leader_id, 3001 if leader_id == 3000 else 3000):
            service.do(kraft.controllers.kill(node_id))
        addresses = kraft.bootstrap_controllers
        code, out, err = run(f"controller remove 3000 --bootstrap-controllers {addresses}")
    finally:
        service.close()

    assert (code, out) == (1, "")
    assert f"no leader among {addresses.replace(',', ', ')}: give the addresses of all" in err


def test_an_http_port_in_place_of_a_controller_is_named_once(
    run: Any,
) -> None:
    service = Service(brokers=0)
    try:
        address = service.kraft.http_url.removeprefix("http://")
        code, _, err = run(f"controller remove 3000 --bootstrap-controllers {address}")
    finally:
        service.close()

    assert code == 5
    assert err.startswith(f"kraftsim: no Kafka listener answers at {address} (")
    assert err.count("that is an HTTP port") == 1
