"""Which configurations have no effect in a simulated cluster, and why.

A configuration that Kafka's own processes ignore needs no warning. Configurations of topics that
act on a broker's messages are those that its logs read.
"""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from kraftsim.broker_agent.log.settings import NAMES
from kraftsim.controller.core.configs.group_configs import GROUP_CONFIGS, LIMITS_OF_GROUPS
from kraftsim.controller.core.configs.node_definitions import described
from kraftsim.controller.core.configs.resources import ResourceType
from kraftsim.controller.core.configs.topic_table import BROKER_NAMES, TOPIC_CONFIGS
from kraftsim.controller.core.profile import Profile

from .names import NO_FILES, NO_GROUPS, NO_TIERS, PLUGIN_PREFIXES, REASONS, reason
from .readers import is_ignored, readers
from .roles import BROKER, CONTROLLER

if TYPE_CHECKING:
    from .configuration import Configuration  # not needed at every start

NODE = (BROKER, CONTROLLER)
"""The roles of a process that has brokers and controllers."""
_ACTING = (
    "cordoned.log.dirs",
    "follower.replication.throttled.rate",
    "leader.replication.throttled.rate",
    "replica.alter.log.dirs.io.max.bytes.per.second",
)
_OF_CONTROLLERS = ("unclean.leader.election.enable",)
_REASONS_OF_TOPICS = {
    **dict.fromkeys(("remote.", "local."), NO_TIERS),
    "errors.deadletterqueue.": NO_GROUPS,
    **dict.fromkeys(
        ("file.", "flush.", "index.", "internal.segment.", "preallocate", "segment.index."),
        NO_FILES,
    ),
    "max.decompressed.": "simulated brokers bound the size of every decompressed batch alike",
    "message.": "simulated brokers store messages in one format, and convert none",
    "segment.jitter.": "simulated logs begin a segment without a random delay",
}
"""Why configurations of topics have no effect, by the beginnings of their names."""
_REASONS_OF_BROKERS = {
    **dict.fromkeys(("remote.", "follower.fetch."), NO_TIERS),
    **dict.fromkeys(("log.cleaner.", "background.", "num.recovery."), NO_FILES),
    **dict.fromkeys(
        ("listeners", "listener.security.", "advertised."),
        "a simulated broker keeps the listeners with which it started",
    ),
}
"""The same of running brokers, which property files do not concern."""
QUOTAS = {
    "request_percentage": "simulated brokers have no threads whose time a request could take",
    "connection_creation_rate": "simulated brokers accept connections at any rate",
}
"""Why client quotas have no effect."""
_TOPIC_NAMES = {of_broker: topic for topic, names in BROKER_NAMES.items() for of_broker in names}


def sentences(configuration: "Configuration", roles: Collection[str]) -> list[str]:
    """Returns a sentence for each reason why configurations have no effect in this process.

    A process with these roles ignores the other configurations without a sentence, as Kafka does.
    """
    by_reason: dict[str, list[str]] = {}
    for name in configuration.without_effect:
        why = reason_in_file(name, roles)
        if why is not None:
            by_reason.setdefault(why, []).append(name)
    return [_sentence(sorted(names), why, roles) for why, names in by_reason.items()]


def _sentence(names: list[str], why: str, roles: Collection[str]) -> str:
    verb = "have" if names[1:] else "has"
    return f"{', '.join(names)} {verb} no effect: {why}{_parts_of_kafka(names, roles)}"


def _parts_of_kafka(names: Iterable[str], roles: Collection[str]) -> str:
    """Returns the classes that read configurations, as the end of a sentence."""
    rows = [readers()[name] for name in names if name in readers()]
    classes = sorted({of for row in rows for of in row.of(roles)})
    return f" (in Kafka {', '.join(classes)})" if classes else ""


def reason_in_file(name: str, roles: Collection[str]) -> str | None:
    """Returns why a configuration of a property file has no effect here, although it has in Kafka.

    None if Kafka ignores it in a process with these roles. None too for a limit by which a
    controller checks configurations of groups, and for a default of topics: brokers keep their logs
    by it, and controllers return it to the client that creates a topic.
    """
    if is_ignored(name, roles):
        return None
    if CONTROLLER in roles and name in LIMITS_OF_GROUPS:
        return None
    if BROKER not in roles and name in _TOPIC_NAMES:
        return None
    if name in _TOPIC_NAMES and _reason_of_topic(_TOPIC_NAMES[name]) is None:
        return None
    return reason(name)


def reason_without_effect(profile: Profile, resource_type: int, name: str) -> str | None:
    """Returns why a dynamic configuration has no effect; None if it has one.

    None too for a configuration that Kafka ignores: the release does not have the name, a running
    broker does not change it, or no class reads it.
    """
    release = profile.topic_configs
    if resource_type == ResourceType.TOPIC:
        return None if name not in TOPIC_CONFIGS[release] else _reason_of_topic(name)
    if resource_type == ResourceType.GROUP:
        known = name in GROUP_CONFIGS[release]
        return NO_GROUPS + _parts_of_kafka((name,), NODE) if known else None
    return _reason_of_broker(profile, name) if resource_type == ResourceType.BROKER else None


def _reason_of_topic(name: str) -> str | None:
    if name in (*NAMES, *_OF_CONTROLLERS):
        return None
    return reason(name, (_REASONS_OF_TOPICS,))


def _reason_of_broker(profile: Profile, name: str) -> str | None:
    """Returns why a configuration of a running broker, or of all, has no effect.

    The defaults of topics act, and those of `_ACTING`.
    """
    topic_name = _TOPIC_NAMES.get(name)
    if topic_name is not None:
        return _reason_of_topic(topic_name)
    definition = described(profile.topic_configs).get(name)
    is_dynamic = definition is not None and definition.is_dynamic
    if (
        not (is_dynamic or name.startswith(PLUGIN_PREFIXES))
        or name in _ACTING
        or is_ignored(name, NODE)
    ):
        return None
    why = reason(name, (_REASONS_OF_BROKERS, REASONS))
    return why + _parts_of_kafka((name,), NODE)
