"""Each configuration of a node acts, is refused, or has a warning with a reason of its own."""

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kraftsim.configuration.configuration import configuration_of, sentences
from kraftsim.configuration.names import OF_THE_NODE, REASONS, SETTINGS, setting_name
from kraftsim.configuration.policies import POLICIES
from kraftsim.controller.core.configs.node_definitions import Definition, definitions_of
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.settings import LEAST, STANDARD_AUTHORIZER, Settings
from tests.walk.story import USUAL, told
from tests.walk.verdicts import SETTINGS_TESTED

ROOT = Path(__file__).resolve().parent.parent.parent
KEYS = definitions_of(DEFAULT_PROFILE.topic_configs)


def acts_elsewhere(name: str) -> bool:
    return name in (*OF_THE_NODE, *POLICIES) or setting_name(name) in SETTINGS


def other_values(name: str) -> Iterator[Any]:
    usual = USUAL.get(name, getattr(Settings(), name))
    if isinstance(usual, bool):
        yield not usual
    elif isinstance(usual, str):
        yield STANDARD_AUTHORIZER
    else:
        yield from (usual * 2 + 1, max(LEAST.get(name, 1), usual // 10))


@cache
def usual_story() -> str:
    return told()


@pytest.mark.slow
@pytest.mark.parametrize("name", [setting.name for setting in fields(Settings)])
def test_a_setting_makes_a_difference_or_names_its_test(name: str) -> None:
    acts = any(told(**{name: value}) != usual_story() for value in other_values(name))

    assert acts != (name in SETTINGS_TESTED)


@pytest.mark.parametrize("name", sorted(SETTINGS_TESTED))
def test_the_test_of_a_setting_exists(name: str) -> None:
    file, _, test = SETTINGS_TESTED[name].partition("::")

    assert f"def {test}(" in (ROOT / file).read_text("utf-8")


@pytest.mark.parametrize("definition", KEYS.values(), ids=list(KEYS))
def test_a_configuration_without_an_effect_is_refused_or_has_a_warning(
    definition: Definition,
) -> None:
    if acts_elsewhere(definition.name):
        return
    try:
        configuration = configuration_of(
            DEFAULT_PROFILE, {definition.name: definition.default or "1"}
        )
    except ValueError:
        return
    assert any(definition.name.startswith(start) for start in REASONS)
    assert any(definition.name in sentence for sentence in sentences(configuration))
