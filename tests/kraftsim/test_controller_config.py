"""`kraftsim controller run --config`: the node that a property file of Kafka describes."""

import argparse
from collections.abc import Mapping

import pytest

from kraftsim.commands.identity import Bound, bound_controller
from kraftsim.configuration.configuration import configuration_of
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.uuid import ZERO_UUID
from tests.configuration.cases import BOTH, BROKER, CONTROLLER

DYNAMIC = "3000@127.0.0.1:9990:AbcdefghijklmnopqrstuA"


def bound(pairs: Mapping[str, object], **options: object) -> Bound:
    absent = dict.fromkeys(("node_id", "voters", "listen", "directory_id", "metadata_version"))
    arguments = argparse.Namespace(**{**absent, "cluster_id": "c", **options})
    return bound_controller(arguments, configuration_of(KAFKA_4_3, pairs), KAFKA_4_3)


@pytest.mark.rule("7.8")
def test_static_voters_of_the_file_make_a_quorum_of_kraft_version_0() -> None:
    voters = "3001@b:2,3000@localhost:9093"
    node = bound({**CONTROLLER, "controller.quorum.voters": voters}).node

    assert (node.node_id, node.host, node.port) == (3000, "localhost", 9093)
    assert node.kraft_version == 0
    assert [(voter.voter_id, voter.voter_directory_id) for voter in node.voters] == [
        (3000, ZERO_UUID),
        (3001, ZERO_UUID),
    ]


def test_a_controller_binds_its_listener_and_names_the_advertised_one() -> None:
    controller = bound(
        {
            **CONTROLLER,
            "listeners": "CONTROLLER://:9093",
            "advertised.listeners": "CONTROLLER://kraft.test:19093",
        }
    )

    assert (controller.address, controller.option) == (("0.0.0.0", 9093), "--config")
    assert (controller.node.host, controller.node.port) == ("kraft.test", 19093)


def test_a_controller_names_its_listener_as_the_file_does() -> None:
    node = bound(
        {
            **CONTROLLER,
            "controller.listener.names": "CTRL",
            "listeners": "CTRL://a:1",
            "listener.security.protocol.map": "CTRL:PLAINTEXT",
        }
    ).node

    assert ("CTRL", "a", 1) == (node.endpoint.name, node.endpoint.host, node.endpoint.port)
    assert {"CTRL"} == {voter.endpoints[0].name for voter in node.voters}
    assert "CTRL" == node.properties["controller.listener.names"]


@pytest.mark.parametrize(("port", "advertised"), [(0, 40_000), (9093, 9093)])
def test_a_listener_of_port_0_is_advertised_with_the_port_that_it_bound(
    port: int, advertised: int
) -> None:
    controller = bound({**CONTROLLER, "listeners": f"CONTROLLER://localhost:{port}"})

    assert controller.node_at(40_000).port == advertised


@pytest.mark.parametrize("host", ["", "0.0.0.0"])
def test_a_listener_without_a_host_is_known_by_the_host_of_the_voters(host: str) -> None:
    controller = bound({**CONTROLLER, "listeners": f"CONTROLLER://{host}:9094"})

    assert controller.address == ("0.0.0.0", 9094)
    assert (controller.node.host, controller.node.port) == ("localhost", 9094)


def test_options_take_precedence_over_the_file() -> None:
    pairs = {**BOTH, "node.id": "3000"}

    chosen = bound(pairs, node_id=3000, voters=DYNAMIC, listen="127.0.0.1:5")

    assert (chosen.address, chosen.option) == (("127.0.0.1", 5), "--listen")
    assert (chosen.node.kraft_version, chosen.node.port) == (1, 5)


def test_of_both_roles_the_controller_runs() -> None:
    node = bound({**BOTH, "controller.quorum.voters": "1@localhost:9093"}).node

    assert (node.node_id, node.port) == (1, 9093)


@pytest.mark.parametrize(
    ("pairs", "options", "message"),
    [
        ({}, {}, "--node-id: expected an id, or a --config with node.id"),
        ({"node.id": 1}, {}, "--voters: expected ID@HOST:PORT:DIRECTORY,..., or a --config with"),
        (BROKER, {"voters": DYNAMIC}, "process.roles: expected controller, got broker"),
        (BOTH, {}, "--voters: expected ID@HOST:PORT:DIRECTORY,..., or a --config with"),
        (CONTROLLER, {"node_id": 1}, "--config: node.id: expected 1 of --node-id, got 3000"),
        (
            {
                **CONTROLLER,
                "controller.listener.names": "CTRL,OTHER",
                "listeners": "CTRL://a:1,OTHER://a:2",
                "listener.security.protocol.map": "CTRL:PLAINTEXT,OTHER:PLAINTEXT",
            },
            {},
            "--config: controller.listener.names: expected one listener, because",
        ),
        (
            {**BOTH, "node.id": "3000", "listeners": "CONTROLLER://:1,PLAINTEXT://a:2"},
            {"voters": "7@a:1:AbcdefghijklmnopqrstuA"},
            "--config: advertised.listeners: expected the host of the controller's listener",
        ),
    ],
)
def test_a_node_that_cannot_run_is_refused(
    pairs: Mapping[str, object], options: Mapping[str, object], message: str
) -> None:
    with pytest.raises(ValueError) as refused:
        bound(pairs, **options)
    assert message in str(refused.value)


def test_a_controller_knows_the_texts_of_its_file_beside_its_addresses() -> None:
    node = bound(
        {**CONTROLLER, "log.retention.ms": "5", "kraftsim.decommission.slice.records": "7"}
    ).node

    assert node.static == {"log.retention.ms": "5"}
    assert node.properties["log.retention.ms"] == "5"
