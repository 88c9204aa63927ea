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
    "listeners": "PLAINTEXT://:19092,OUTSIDE://127.0.0.2:29092,CTRL://127.0.0.2:19990,SAFE://:443",
    "advertised.listeners": "PLAINTEXT://here:19092,OUTSIDE://there:29093,SAFE://here:443",
    "listener.security.protocol.map": (
        "PLAINTEXT:PLAINTEXT,OUTSIDE:PLAINTEXT,CTRL:PLAINTEXT,SAFE:SSL"
    ),
    "controller.listener.names": "CTRL",
    "controller.quorum.voters": "1@127.0.0.1:19990",
}


def addresses(pairs: dict[str, str], **options: object) -> UpAddresses:
    """Returns the addresses of `up` with a configuration file and options."""
    unset = {"host": None, "advertised_host": None, "kafka_port": None, "controller_port": None}
    given = argparse.Namespace(**{**unset, "listeners": [], **options})
    return addresses_of(given, configuration_of(DEFAULT_PROFILE, pairs).node)


def test_a_cluster_has_the_plaintext_listeners_of_the_file() -> None:
    assert addresses(NODE) == UpAddresses(
        host="127.0.0.2",
        advertised_host="here",
        kafka_port=19092,
        controller_port=19990,
        listeners={"OUTSIDE": 29092},
    )


def test_what_of_the_file_has_no_effect_is_named(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        addresses(NODE)

    assert [record.getMessage().removeprefix("--config: ") for record in caplog.records] == [
        "listeners: SAFE has no effect: kraftsim has no TLS and no SASL",
        "advertised.listeners: OUTSIDE is at here, not at there: a cluster has one host",
        "advertised.listeners: clients of OUTSIDE get the port that is bound, not 29093",
    ]


def test_options_take_precedence() -> None:
    chosen = UpAddresses(
        host="127.0.0.3",
        advertised_host="example.com",
        kafka_port=0,
        controller_port=0,
        listeners={"OWN": 1},
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
    )
