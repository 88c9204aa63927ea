"""The listeners of the brokers and controllers of `kraftsim up`, from `--config` and options."""

import argparse
import logging

import pytest

from kraftsim.commands.up_addresses import UpAddresses, addresses_of
from kraftsim.configuration.configuration import configuration_of
from kraftsim.controller.core.profile import DEFAULT_PROFILE

NODE = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "listeners": "PLAINTEXT://:19092,OUTSIDE://127.0.0.2:29092,CTRL://127.0.0.2:19990",
    "advertised.listeners": "PLAINTEXT://here:19092,OUTSIDE://there:29093",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,OUTSIDE:PLAINTEXT,CTRL:PLAINTEXT",
    "controller.listener.names": "CTRL",
    "controller.quorum.voters": "1@127.0.0.1:19990",
}


def addresses(pairs: dict[str, str], **options: object) -> UpAddresses:
    """Returns the addresses of `up` with a configuration file and options."""
    unset = {"host": None, "advertised_host": None, "kafka_port": None, "controller_port": None}
    lists: dict[str, object] = {"listeners": [], "advertised_listeners": []}
    given = argparse.Namespace(**{**unset, **lists, **options})
    return addresses_of(given, configuration_of(DEFAULT_PROFILE, pairs).node)


def test_a_cluster_has_the_plaintext_listeners_of_the_file() -> None:
    assert addresses(NODE) == UpAddresses(
        host="127.0.0.2",
        advertised_host="here",
        kafka_port=19092,
        controller_port=19990,
        listeners={"OUTSIDE": 29092},
        advertised_listeners={"OUTSIDE": "there:29093"},
    )


def test_a_listener_is_advertised_at_its_own_host() -> None:
    of_containers = {
        **NODE,
        "listeners": "INSIDE://:1,OUTSIDE://:2,CTRL://:3",
        "advertised.listeners": "INSIDE://kafka:1,OUTSIDE://[::1]:5,CTRL://voter:3",
        "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CTRL:PLAINTEXT",
        "inter.broker.listener.name": "INSIDE",
    }

    chosen = addresses(of_containers, advertised_listeners=["OUTSIDE=localhost"])

    assert chosen.advertised_host == "kafka"
    assert addresses(of_containers).advertised_listeners["OUTSIDE"] == "[::1]:5"
    assert chosen.advertised_listeners == {"OUTSIDE": "localhost", "CONTROLLER": "voter"}


def test_an_advertised_host_that_the_user_gives_replaces_those_of_the_file() -> None:
    chosen = addresses(NODE, advertised_host="example.com")

    assert (chosen.advertised_host, chosen.advertised_listeners) == ("example.com", {})


def test_a_listener_that_binds_another_host_is_named(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        addresses(NODE, host="127.0.0.3")

    assert [record.getMessage().removeprefix("--config: ") for record in caplog.records] == [
        "listeners: OUTSIDE is bound at 127.0.0.3, not at 127.0.0.2: a cluster binds one host",
        "listeners: CTRL is bound at 127.0.0.3, not at 127.0.0.2: a cluster binds one host",
    ]


def test_options_take_precedence() -> None:
    chosen = UpAddresses(
        host="127.0.0.3",
        advertised_host="example.com",
        kafka_port=0,
        controller_port=0,
        listeners={"OWN": 1},
        advertised_listeners={},
    )

    assert chosen == addresses(
        NODE,
        host="127.0.0.3",
        advertised_host="example.com",
        kafka_port=0,
        controller_port=0,
        listeners=["OWN=1"],
    )


def test_a_file_that_describes_no_node_changes_no_address() -> None:
    assert addresses({"broker.session.timeout.ms": "3000"}) == UpAddresses(
        host="127.0.0.1",
        advertised_host=None,
        kafka_port=9092,
        controller_port=9990,
        listeners={},
        advertised_listeners={},
    )
