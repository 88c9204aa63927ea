"""Each configuration of a node acts, is refused, or has a warning with a reason of its own."""

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kraftsim.broker_agent.configurations import texts_of
from kraftsim.broker_agent.log.settings import NAMES
from kraftsim.configuration.configuration import configuration_of
from kraftsim.configuration.effects import NODE, sentences
from kraftsim.configuration.names import (
    OF_BROKERS,
    OF_THE_NODE,
    OF_ZOOKEEPER,
    SETTINGS,
    reason,
    setting_name,
)
from kraftsim.configuration.policies import POLICIES
from kraftsim.configuration.readers import readers
from kraftsim.configuration.roles import BROKER, CONTROLLER
from kraftsim.controller.core.configs.group_configs import GROUP_CONFIGS
from kraftsim.controller.core.configs.node_configs import NodeView
from kraftsim.controller.core.configs.node_definitions import (
    Definition,
    definitions,
    definitions_of,
)
from kraftsim.controller.core.configs.topic_table import BROKER_NAMES
from kraftsim.controller.core.configs.validators import INT
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.settings import LEAST, STANDARD_AUTHORIZER, Settings
from tests.builders import ControllerUnderTest
from tests.walk.story import USUAL, told
from tests.walk.verdicts import NODE_LIMITS_OF_GROUPS, OF_TOPICS, SETTINGS_TESTED

ROOT = Path(__file__).resolve().parent.parent.parent
KEYS = definitions_of(DEFAULT_PROFILE.topic_configs)
GROUP_VALUES = ("0", "2", "5", "6", "100", "4000", "14000", "20000", "50000", "65000")
OTHER_TEXTS = {
    "compression.type": "lz4",
    "log.cleanup.policy": "compact",
    "log.message.timestamp.type": "LogAppendTime",
    "log.cleaner.min.cleanable.ratio": "0.25",
}


def acts_elsewhere(name: str) -> bool:
    return name in (*OF_THE_NODE, *OF_BROKERS, *POLICIES) or setting_name(name) in SETTINGS


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


@pytest.mark.parametrize("roles", [(CONTROLLER,), (BROKER,), NODE], ids="+".join)
@pytest.mark.parametrize("definition", KEYS.values(), ids=list(KEYS))
def test_a_configuration_without_an_effect_has_a_warning_if_kafka_reads_it(
    definition: Definition, roles: tuple[str, ...]
) -> None:
    name = definition.name
    if acts_elsewhere(name):
        return
    try:
        configuration = configuration_of(DEFAULT_PROFILE, {name: definition.default or "1"})
    except ValueError:
        return
    classes = readers()[name].of(roles)
    acts = name in OF_LOGS if BROKER in roles else name in OF_TOPICS
    acts |= CONTROLLER in roles and name in NODE_LIMITS_OF_GROUPS
    warned = sentences(configuration, roles)

    assert bool(warned) == (bool(classes) and not acts)
    for sentence in warned:
        assert name in sentence
        assert ", ".join(classes) in sentence


def test_every_configuration_of_every_release_has_a_reason() -> None:
    for definition in definitions():
        name = definition.name
        is_refused = name.startswith(tuple(OF_ZOOKEEPER))
        if not (acts_elsewhere(name) or is_refused or definition.is_rate):
            assert reason(name)


OF_LOGS = [name for topic in NAMES for name in BROKER_NAMES.get(topic, ())]


@pytest.mark.parametrize("name", [name for name in OF_LOGS if name in KEYS])
def test_a_default_of_topics_in_a_brokers_file_acts_on_its_logs(name: str) -> None:
    def texts(**static: str) -> object:
        view = NodeView(node_id=1, profile=DEFAULT_PROFILE, image=Image(), static=static)
        return texts_of(view, "t")

    others = [text for text in other_texts(KEYS[name]) if text != KEYS[name].default]
    assert any(texts(**{name: text}) != texts() for text in others)


def replies_of_a_controller(**static: str) -> str:
    """Returns what a controller with a property file replies about a topic and about groups."""
    cluster = ControllerUnderTest(static=static)
    cluster.unfenced(1)
    replies: list[object] = [cluster.created("t").configs]
    for config in GROUP_CONFIGS[DEFAULT_PROFILE.topic_configs].values():
        for text in GROUP_VALUES if config.kind is INT else ():
            alterable = AlterableConfig(name=config.name, config_operation=0, value=text)
            resource = IncrementalAlterConfigsResource(
                resource_type=32, resource_name="g", configs=(alterable,)
            )
            request = IncrementalAlterConfigsRequest(resources=(resource,), validate_only=True)
            replies.append(cluster.accepted(request).responses)
    return repr(replies)


@cache
def usual_replies() -> str:
    return replies_of_a_controller()


@pytest.mark.slow
@pytest.mark.parametrize(
    "definition",
    [key for key in KEYS.values() if setting_name(key.name) not in SETTINGS],
    ids=lambda key: key.name,
)
def test_a_text_of_a_controllers_file_acts_or_is_listed(definition: Definition) -> None:
    acts = any(
        replies_of_a_controller(**{definition.name: text}) != usual_replies()
        for text in other_texts(definition)
    )

    assert acts == (definition.name in (*OF_TOPICS, *NODE_LIMITS_OF_GROUPS))


def other_texts(definition: Definition) -> Iterator[str]:
    if definition.type_name in ("INT", "LONG"):
        yield from (number for number in ("7", "40000", "70000") if number != definition.default)
    elif definition.type_name == "BOOLEAN":
        yield "true" if definition.default == "false" else "false"
    else:
        yield OTHER_TEXTS.get(definition.name, "other")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("num.replica.fetchers", "copies replicas"),
        ("log.dir.failure.timeout.ms", "reports a lost directory"),
        ("producer.id.expiration.ms", "forget a producer"),
        ("socket.receive.buffer.bytes", "buffers of the system"),
        ("request.timeout.ms", "times of their own"),
        ("early.start.listeners", "no authorizer"),
    ],
)
def test_a_reason_is_about_what_the_classes_do_that_read_the_key(name: str, words: str) -> None:
    assert words in reason(name)
