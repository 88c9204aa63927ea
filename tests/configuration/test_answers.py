"""Property files are read and refused as released Kafka does, message by message."""

import json
from pathlib import Path
from typing import Any

import pytest

from kraftsim.configuration.configuration import configuration_of, releases_with
from kraftsim.configuration.values import ID_KEYS, Values
from kraftsim.controller.core.configs.configuration import RELEASES
from kraftsim.controller.core.configs.node_definitions import definitions_of
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.files.properties import read_properties
from tests.configuration.cases import cases
from tests.released.property_answers import ANSWERS, answers

RECORDED: dict[str, Any] = json.loads(ANSWERS.read_text("utf-8"))
ROLES = "process.roles"


def test_every_case_has_a_recorded_answer() -> None:
    assert list(RECORDED) == list(cases())
    assert sum(bool(answer["message"]) for answer in RECORDED.values()) > 150


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.rule("7.6")
@pytest.mark.rule("7.7")
def test_a_property_file_is_answered_as_by_kafka(name: str, tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text(cases()[name], "utf-8", newline="")

    pairs = read_properties(path)

    assert pairs == RECORDED[name]["pairs"]
    if ROLES in pairs:
        assert refusal(pairs) == RECORDED[name]["message"]


def refusal(pairs: dict[str, str]) -> str | None:
    try:
        configuration_of(KAFKA_4_3, pairs)
    except ValueError as error:
        return str(error)
    return None


def test_a_whole_node_needs_what_kafka_requires() -> None:
    required = [name for name, key in definitions_of("4.3").items() if key.is_required]

    assert required == [ROLES, "node.id", "controller.listener.names"]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.rule("7.1")
def test_every_default_is_a_valid_value(release: str) -> None:
    defaults = {
        key.name: key.default
        for key in definitions_of(release).values()
        if key.default and key.name not in ID_KEYS
    }

    assert Values(release, definitions_of(release), defaults, is_complete=False).words("log.dir")


def test_the_releases_that_have_a_configuration_are_its_first_to_its_last() -> None:
    named = [releases_with(name) for name in ("node.id", "zookeeper.connect", "no.such.name")]

    assert named == ["3.9 to 4.4", "3.9", None]


@pytest.mark.released
def test_the_recorded_answers_are_those_of_the_released_kafka() -> None:
    assert answers() == RECORDED
