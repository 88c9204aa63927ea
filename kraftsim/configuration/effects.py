"""Which dynamic configurations have no effect in a simulated cluster, and why.

Configurations of topics that act on a broker's messages are those that its logs read.
"""

from kraftsim.broker_agent.log.settings import NAMES
from kraftsim.controller.core.configs.group_configs import GROUP_CONFIGS
from kraftsim.controller.core.configs.node_definitions import described
from kraftsim.controller.core.configs.resources import ResourceType
from kraftsim.controller.core.configs.topic_table import BROKER_NAMES, TOPIC_CONFIGS
from kraftsim.controller.core.profile import Profile

from .names import NO_GROUPS, PLUGIN_PREFIXES, REASONS, reason

_OF_CONTROLLERS = ("unclean.leader.election.enable",)
_NO_FILES = "simulated brokers keep their logs in memory, without files and threads"
_NO_TIERS = "simulated brokers have no remote storage"
_REASONS_OF_TOPICS = {
    **dict.fromkeys(("remote.", "local."), _NO_TIERS),
    "errors.deadletterqueue.": NO_GROUPS,
    **dict.fromkeys(
        ("file.", "flush.", "index.", "internal.segment.", "preallocate", "segment.index."),
        _NO_FILES,
    ),
}
"""Why configurations of topics have no effect, by the beginnings of their names."""
_REASONS_OF_BROKERS = {
    **dict.fromkeys(("remote.", "follower.fetch."), _NO_TIERS),
    **dict.fromkeys(("log.cleaner.", "background.", "num.re"), _NO_FILES),
}
"""The same of running brokers, which property files do not concern."""


def reason_without_effect(profile: Profile, resource_type: int, name: str) -> str | None:
    """Returns why a dynamic configuration has no effect; None if it has one.

    A name that the release does not have is None too: Kafka keeps it, and ignores it.
    """
    release = profile.topic_configs
    if resource_type == ResourceType.TOPIC:
        return None if name not in TOPIC_CONFIGS[release] else _reason_of_topic(name)
    if resource_type == ResourceType.GROUP:
        return NO_GROUPS if name in GROUP_CONFIGS[release] else None
    return _reason_of_broker(profile, name) if resource_type == ResourceType.BROKER else None


def _reason_of_topic(name: str) -> str | None:
    if name in (*NAMES, *_OF_CONTROLLERS):
        return None
    return reason(name, (_REASONS_OF_TOPICS,))


def _reason_of_broker(profile: Profile, name: str) -> str | None:
    """Returns why a configuration of a running broker, or of all, has no effect.

    The defaults of topics act, and `cordoned.log.dirs`.
    """
    topic_name = _TOPIC_NAMES.get(name)
    if topic_name is not None:
        return _reason_of_topic(topic_name)
    definition = described(profile.topic_configs).get(name)
    is_known = definition is not None or name.startswith(PLUGIN_PREFIXES)
    if not is_known or name == "cordoned.log.dirs":
        return None
    return reason(name, (_REASONS_OF_BROKERS, REASONS))


_TOPIC_NAMES = {of_broker: topic for topic, names in BROKER_NAMES.items() for of_broker in names}
