"""The listeners of `kraftsim agent`: of `--kafka-port`, or those that a property file sets."""

from collections.abc import Mapping

import pytest

from kraftsim.commands.agent_listeners import AgentListeners, agent_listeners
from kraftsim.configuration.configuration import configuration_of
from kraftsim.controller.core.profile import KAFKA_4_3
from tests.configuration.cases import BROKER

TWO = {
    "listeners": "INSIDE://127.0.0.1:9092,OUTSIDE://:19092",
    "advertised.listeners": "INSIDE://127.0.0.1:9092,OUTSIDE://kraft.test:29092",
    "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "INSIDE",
}


def listeners(
    pairs: Mapping[str, str], *, kafka_port: int | None = None, count: int = 1
) -> AgentListeners:
    return agent_listeners(kafka_port, configuration_of(KAFKA_4_3, {**BROKER, **pairs}), count)


def test_every_listener_of_the_file_is_bound_and_advertised() -> None:
    found = listeners(TWO)

    assert [(each.name, each.host, each.port) for each in found.listeners] == [
        ("INSIDE", "127.0.0.1", 9092),
        ("OUTSIDE", "0.0.0.0", 19092),
    ]
    assert [(each.advertised_host, each.advertised_port) for each in found.listeners] == [
        ("127.0.0.1", 9092),
        ("kraft.test", 29092),
    ]
    assert "INSIDE" == found.inter_broker


def test_the_option_takes_precedence_over_the_file() -> None:
    [listener] = listeners(TWO, kafka_port=7).listeners

    assert ("PLAINTEXT", "127.0.0.1", 7) == (listener.name, listener.host, listener.port)


def test_without_listeners_nothing_listens() -> None:
    without = {key: text for key, text in BROKER.items() if key != "listeners"}

    assert () == agent_listeners(None, configuration_of(KAFKA_4_3, without), 1).listeners


@pytest.mark.parametrize(
    ("pairs", "count", "message"),
    [
        (
            {"listeners": "PLAINTEXT://:9092"},
            1,
            "--config: advertised.listeners: expected a host for PLAINTEXT",
        ),
        (
            {"listeners": "PLAINTEXT://localhost:65535"},
            2,
            "PLAINTEXT: expected a port of at most 65534 for 2 brokers, got 65535",
        ),
    ],
)
def test_a_listener_that_cannot_be_bound_is_refused(
    pairs: Mapping[str, str], count: int, message: str
) -> None:
    with pytest.raises(ValueError) as refused:
        listeners(pairs, count=count)
    assert message in str(refused.value)
