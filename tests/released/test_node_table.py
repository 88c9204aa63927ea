"""The table of a node's configurations is what the released jars say."""

from collections import Counter

import pytest

from kraftsim.controller.core.configs import node_table
from kraftsim.controller.core.configs.configuration import RELEASES
from kraftsim.controller.core.configs.node_definitions import (
    definitions,
    definitions_of,
    described,
)
from tests.released.node_table import TABLE, released_rows, source

SECRETS = ("ssl.key.password", "ssl.keystore.password", "ssl.truststore.password")


@pytest.mark.released
@pytest.mark.rule("7.2")
@pytest.mark.rule("7.3")
def test_the_released_jars_give_the_table() -> None:
    """Mend it with `python -m tests.released.node_table`."""
    assert source(released_rows()) == TABLE.read_text("utf-8")


def test_nobody_has_edited_the_table() -> None:
    assert source(node_table.ROWS.splitlines()) == TABLE.read_text("utf-8")


@pytest.mark.parametrize("release", RELEASES)
def test_a_name_has_one_definition_in_a_release(release: str) -> None:
    at = RELEASES.index(release)
    counts = Counter(
        definition.name
        for definition in definitions()
        if RELEASES.index(definition.since) <= at <= RELEASES.index(definition.until)
    )

    assert set(counts.values()) == {1}
    assert len(definitions()) > len(counts) > 320
    assert counts.keys() == described(release).keys()


@pytest.mark.parametrize("release", RELEASES)
def test_the_rates_of_throttled_replication_are_in_no_property_file(release: str) -> None:
    rates = described(release).keys() - definitions_of(release).keys()

    assert rates == {
        "follower.replication.throttled.rate",
        "leader.replication.throttled.rate",
        "replica.alter.log.dirs.io.max.bytes.per.second",
    }
    assert all(described(release)[name].is_dynamic for name in rates)
    assert all(described(release)[name].default is None for name in rates)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_of_a_listener_belongs_to_one_broker(release: str, name: str) -> None:
    definition = described(release)[name]

    assert (definition.type_name, definition.is_per_broker) == ("PASSWORD", True)


def test_a_broker_of_kafka_3_9_changes_its_advertised_listeners_alone() -> None:
    """`DynamicBrokerConfig` names them per-broker; later releases do not let them change."""
    per_broker = [described(release)["advertised.listeners"].is_per_broker for release in RELEASES]

    assert per_broker == [True, False, False, False]
