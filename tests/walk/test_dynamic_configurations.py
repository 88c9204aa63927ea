"""A dynamic configuration changes what is done afterwards, has a warning, or is refused."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from kraftsim.configuration.effects import NODE, reason_without_effect
from kraftsim.configuration.readers import is_ignored
from kraftsim.controller.core.configs.configuration import Configuration
from kraftsim.controller.core.configs.group_configs import GROUP_CONFIGS
from kraftsim.controller.core.configs.node_definitions import (
    Definition,
    definitions,
    definitions_of,
)
from kraftsim.controller.core.configs.topic_table import TOPIC_CONFIGS
from kraftsim.controller.core.configs.validators import BOOLEAN, INT, LONG
from kraftsim.controller.core.profile import DEFAULT_PROFILE, PROFILES, Profile
from kraftsim.controller.core.rpc import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from tests.builders import ControllerUnderTest
from tests.walk.page import reason_of_dynamic
from tests.walk.verdicts import AT_BROKERS, DYNAMIC_ACTING, DYNAMIC_REFUSED

RELEASE = DEFAULT_PROFILE.topic_configs
TOPIC, BROKER, GROUP = 2, 4, 32
NUMBERS = ("2", "7", "14000", "50000", "1200000")
LATER = (
    *((TOPIC, "t", name, "1000") for name in ("min.compaction.lag.ms", "max.compaction.lag.ms")),
    *(
        (GROUP, "g", f"{kind}.{name}", text)
        for kind in ("consumer", "share", "streams")
        for name in ("session.timeout.ms", "heartbeat.interval.ms")
        for text in ("5000", "15000", "45000")
    ),
)
"""Changes after the change of a configuration; they may contradict it."""
STATIC = {
    f"group.{kind}.min.session.timeout.ms": "1000" for kind in ("consumer", "share", "streams")
}
"""Sessions that may be shorter than a heartbeat."""
TEXTS = {
    "cleanup.policy": "compact",
    "log.cleanup.policy": "compact",
    "compression.type": "lz4",
    "log.cleaner.min.cleanable.ratio": "0.25",
    "min.cleanable.dirty.ratio": "0.25",
    "message.timestamp.type": "LogAppendTime",
    "log.message.timestamp.type": "LogAppendTime",
    "share.isolation.level": "read_committed",
    "share.auto.offset.reset": "earliest",
    "share.partition.max.record.locks": "3000",
    "cordoned.log.dirs": "*",
    "leader.replication.throttled.replicas": "*",
    "follower.replication.throttled.replicas": "*",
}
RESOURCES = {
    "topic": (TOPIC, "t", TOPIC_CONFIGS[RELEASE]),
    "group": (GROUP, "g", GROUP_CONFIGS[RELEASE]),
    "broker": (
        BROKER,
        "",
        {name: key for name, key in definitions_of(RELEASE).items() if key.is_dynamic},
    ),
}
KEYS = [(kind, name) for kind, (_, _, known) in RESOURCES.items() for name in known]


def consequences(*configs: tuple[int, str, str, str]) -> str | None:
    """Returns replies and records after a change; None if the change is refused."""
    cluster = ControllerUnderTest(unclean_leader_election_interval_ms=1000, static=STATIC)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 2, 3))
    for config in configs:
        if changed(cluster, config).error_code:
            return None
    mark = cluster.end
    replies: list[Any] = [cluster.created("u", (2, 3)).configs]
    replies += [changed(cluster, later, validate_only=True) for later in LATER]
    cluster.fenced(3, 2, 1)
    cluster.heartbeat(3)
    cluster.run_for("3s")
    return repr((replies, cluster.records_since(mark)))


def changed(
    cluster: ControllerUnderTest, config: tuple[int, str, str, str], *, validate_only: bool = False
) -> Any:
    resource_type, resource_name, name, text = config
    resource = IncrementalAlterConfigsResource(
        resource_type=resource_type,
        resource_name=resource_name,
        configs=(AlterableConfig(name=name, config_operation=0, value=text),),
    )
    request = IncrementalAlterConfigsRequest(resources=(resource,), validate_only=validate_only)
    return cluster.accepted(request).responses[0]


@cache
def usual() -> str | None:
    return consequences()


def texts_of(name: str, key: Configuration | Definition) -> Iterator[str]:
    kind = key.type_name if isinstance(key, Definition) else key.kind
    if name in TEXTS:
        yield TEXTS[name]
    elif kind in (INT, LONG, "INT", "LONG"):
        yield from NUMBERS
    elif kind in (BOOLEAN, "BOOLEAN"):
        yield "false" if key.default == "true" else "true"
    else:
        yield "other"


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), KEYS)
def test_a_dynamic_configuration_acts_or_is_listed(kind: str, name: str) -> None:
    resource_type, resource_name, known = RESOURCES[kind]

    found = [
        consequences((resource_type, resource_name, name, text))
        for text in texts_of(name, known[name])
    ]

    acts = any(after not in (None, usual()) for after in found)
    is_refused = all(after is None for after in found)
    assert acts == (name in DYNAMIC_ACTING[kind])
    assert is_refused == (name in DYNAMIC_REFUSED[kind])


@pytest.mark.parametrize(("kind", "name"), KEYS)
def test_a_dynamic_configuration_that_does_nothing_has_a_warning(kind: str, name: str) -> None:
    at_brokers = AT_BROKERS.get(kind, ())
    acts_or_is_refused = name in (*DYNAMIC_ACTING[kind], *DYNAMIC_REFUSED[kind], *at_brokers)

    is_silent = kind == "broker" and is_ignored(name, NODE)
    assert acts_or_is_refused or bool(reason_of_dynamic(kind, name)) != is_silent


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_every_dynamic_configuration_of_a_release_is_judged(profile: Profile) -> None:
    """A controller checks each that is written, also one that a running broker ignores."""
    for definition in definitions():
        reason_without_effect(profile, BROKER, definition.name)
    for name in TOPIC_CONFIGS[profile.topic_configs]:
        reason_without_effect(profile, TOPIC, name)
    assert reason_without_effect(profile, BROKER, "process.roles") is None
