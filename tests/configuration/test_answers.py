"""Property files are read and refused as released Kafka does, message by message."""

import json
from pathlib import Path
from typing import Any

import pytest

from kraftsim.configuration.configuration import configuration_of, releases_with
from kraftsim.configuration.values import ID_KEYS, Values
from kraftsim.controller.core.configs.configuration import RELEASES
from kraftsim.controller.core.configs.node_definitions import definitions_of
from kraftsim.controller.core.profile import KAFKA_4_3, KAFKA_4_4, PROFILES, Profile
from kraftsim.files.properties import read_properties
from tests.configuration.cases import CONTROLLER, cases
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


@pytest.mark.rule("7.6")
@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_a_role_may_be_named_twice_from_4_3_on(profile: Profile) -> None:
    expected = "Duplicate role names found in `process.roles`: ArrayBuffer(controller, controller)"

    answer = refusal({**CONTROLLER, ROLES: "controller,controller"}, profile)

    assert answer == (expected if profile.topic_configs in ("3.9", "4.1") else None)


@pytest.mark.rule("7.6")
def test_two_ids_are_refused_in_the_words_of_the_release() -> None:
    pairs = {**CONTROLLER, "broker.id": "7"}

    assert refusal(pairs, KAFKA_4_3) == "You must set `node.id` to the same value as `broker.id`."
    assert refusal(pairs, KAFKA_4_4) == (
        "`node.id` and `broker.id` must be set to the same value. "
        "`broker.id` is deprecated, please use `node.id` instead."
    )


def refusal(pairs: dict[str, str], profile: Profile = KAFKA_4_3) -> str | None:
    try:
        configuration_of(profile, pairs)
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
