"""Validation of a topic's configurations (rule 4.54), and the values in force (rule 4.5)."""

from collections.abc import Mapping
from typing import Any

from ..hash_order import in_hash_order, in_properties_order
from ..log.records import BROKER_RESOURCE
from ..profile import Profile
from ..rpc import CreatableTopicConfig
from ..state import State
from . import node_configs
from .topic_table import BROKER_NAMES, TOPIC_CONFIGS
from .validators import invalid

_MIN_LAG, _MAX_LAG = "min.compaction.lag.ms", "max.compaction.lag.ms"


def in_checked_order(profile: Profile, configs: Mapping[str, str]) -> dict[str, str]:
    """Returns configurations, given in the order of a hash map, in the order of their checks.

    Kafka copies them for the checks: into Properties up to 4.1, into another hash map from 4.3 on.
    """
    copied = in_properties_order if profile.checks_properties else in_hash_order
    return {name: configs[name] for name in copied(configs)}


def check(configs: Mapping[str, str], profile: Profile, static: Mapping[str, str]) -> None:
    """Raises INVALID_CONFIG for invalid configurations.

    Names are checked first, in the order of `configs`, then values in the order of the table, then
    conflicts between values, also with those of `static`, the controller's property file.
    """
    known = TOPIC_CONFIGS[profile.topic_configs]
    for name in configs:
        if name not in known:
            raise invalid(f"Unknown topic config name: {name}")
    texts = {**_of_topics(static), **configs}
    values = {name: config.parse(texts[name]) for name, config in known.items() if name in texts}
    _check_together(values)


def _check_together(values: Mapping[str, Any]) -> None:
    least, most = values.get(_MIN_LAG, 0), values.get(_MAX_LAG, 2**63 - 1)
    if least > most:
        raise invalid(f"conflict topic config setting {_MIN_LAG} ({least}) > {_MAX_LAG} ({most})")
    if values.get("remote.storage.enable", False):
        raise invalid(
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage."
        )


def effective(state: State, own: Mapping[str, str]) -> tuple[CreatableTopicConfig, ...]:
    """Returns all configurations of a topic, sorted by name, with the value that applies.

    `own` are the configurations of the topic itself.
    """
    configs = state.image.configs
    static = {**node_configs.static_settings(state.settings), **state.static}
    shown = dict(_DEFAULTS[state.profile.topic_configs])
    for source, settings in (
        (node_configs.FROM_STATIC, static),
        (node_configs.FROM_CLUSTER_DEFAULT, configs.get((BROKER_RESOURCE, ""), {})),
        (node_configs.FROM_NODE, configs.get((BROKER_RESOURCE, str(state.node_id)), {})),
    ):
        for name, value in _of_topics(settings).items():
            if name in shown:
                shown[name] = _shown(name, value, source)
    shown |= {name: _shown(name, value, node_configs.FROM_TOPIC) for name, value in own.items()}
    return tuple(shown[name] for name in sorted(shown))


def _shown(name: str, value: str, source: int) -> CreatableTopicConfig:
    return CreatableTopicConfig(name=name, value=value, config_source=source)


_DEFAULTS = {
    release: {
        name: _shown(name, config.default, node_configs.FROM_DEFAULT)
        for name, config in configs.items()
        if config.default is not None
    }
    for release, configs in TOPIC_CONFIGS.items()
}
_TOPIC_NAMES = {setting: name for name, settings in BROKER_NAMES.items() for setting in settings}


def _of_topics(settings: Mapping[str, str]) -> dict[str, str]:
    """Translates a broker's settings to the topic configurations of the same meaning."""
    configs: dict[str, str] = {}
    for name in filter(None, map(_TOPIC_NAMES.get, settings)):
        setting = next(setting for setting in BROKER_NAMES[name] if setting in settings)
        configs[name] = node_configs.in_milliseconds(setting, settings[setting])
    return configs
