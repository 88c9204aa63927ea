"""Changes of configurations that the active controller refuses, one changed value at a time.

Kafka checks the values in the order in which it would write them; the first that fails decides
(rule 4.61a). Other values of a node are checked by the broker that a client asks.
"""

import re
from collections.abc import Mapping

from .. import feature_levels
from ..java_text import trim
from ..profile import Profile
from ..state import State
from .resources import ResourceType
from .validators import invalid

MIN_INSYNC_REPLICAS = "min.insync.replicas"
CORDONED_LOG_DIRS = "cordoned.log.dirs"
VALUE_CHARS_MAX = 32_767
_COMMA = r"[ \t\n\v\f\r]*,[ \t\n\v\f\r]*"


def check_altered(
    state: State,
    resource: tuple[ResourceType, str],
    altered: Mapping[str, str | None],
    current: Mapping[str, str],
    *,
    is_forwarded: bool,
) -> None:
    """Raises INVALID_CONFIG for the first of the altered values that may not be written.

    A value of None removes the configuration. `is_forwarded` is true if a broker sent the request
    for its client.
    """
    kind, name = resource
    for key, value in altered.items():
        if kind is ResourceType.BROKER and key == MIN_INSYNC_REPLICAS:
            _check_min_insync_replicas(state, name, value)
        if kind is ResourceType.BROKER and key == CORDONED_LOG_DIRS:
            _check_cordoned(state, value, current.get(key), is_forwarded=is_forwarded)
        is_bounded = state.profile.bounds_config_values
        if is_bounded and value is not None and len(value) > VALUE_CHARS_MAX:
            raise invalid(
                "The configuration value cannot be added because it exceeds the maximum value "
                f"size of {VALUE_CHARS_MAX} bytes."
            )


def _check_min_insync_replicas(state: State, node: str, value: str | None) -> None:
    """Refuses what would give brokers different min ISRs, on which the ELR depends (KIP-966)."""
    if not feature_levels.elr_enabled(state.image.features):
        return
    if node:
        raise invalid("Broker-level min.insync.replicas cannot be altered while ELR is enabled.")
    if value is None:
        raise invalid("Cluster-level min.insync.replicas cannot be removed while ELR is enabled.")


def _check_cordoned(
    state: State, value: str | None, current: str | None, *, is_forwarded: bool
) -> None:
    """Refuses directories that no broker has checked: only it knows its directories (KIP-1066)."""
    if not state.profile.checks_cordoned_directories:
        return
    if state.image.metadata_version < feature_levels.CORDONED_DIRECTORIES_FROM:
        level = feature_levels.LEVEL_NAMES[feature_levels.CORDONED_DIRECTORIES_FROM - 1]
        raise invalid(
            f"The {CORDONED_LOG_DIRS} configuration value cannot be set because it requires "
            f"metadata.version >= {level}"
        )
    if is_forwarded or value is None or not trim(value):
        return
    # Not LIST: an empty current value has one part, which is empty, as in 4.3.1.
    known = [] if current is None else re.split(_COMMA, trim(current))
    if not set(re.split(_COMMA, trim(value))) <= set(known):
        raise invalid(
            f"When updating {CORDONED_LOG_DIRS} via controllers,  the new value must be a subset "
            "of the current configuration value."
        )


def check_min_isr(profile: Profile, configs: Mapping[str, str], replication_factor: int) -> None:
    """Refuses a topic that could never have as many in-sync replicas as it requires (4.72)."""
    wanted = configs.get(MIN_INSYNC_REPLICAS)
    if profile.refuses_unreachable_min_isr and wanted and int(wanted) > replication_factor:
        raise invalid(
            f"{MIN_INSYNC_REPLICAS} ({trim(wanted)}) must not exceed the replication factor "
            f"({replication_factor})"
        )


def check_min_isr_of_topic(state: State, name: str, configs: Mapping[str, str]) -> None:
    """Refuses new configurations of an existing topic as `check_min_isr` does.

    The partition with the fewest replicas decides.
    """
    if not state.profile.refuses_unreachable_min_isr:
        return
    topic = state.image.topics[state.image.topic_ids[name]]
    fewest = min(len(partition.replicas) for partition in topic.partitions.values())
    check_min_isr(state.profile, configs, fewest)
