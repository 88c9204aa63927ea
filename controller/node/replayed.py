"""Which configurations of the log a node replays (rule 7.9)."""

from ..core.configs.resources import ResourceType
from ..core.configs.topic_table import TOPIC_CONFIGS
from ..core.profile import Profile


def is_replayed(profile: Profile, resource_type: int, name: str) -> bool:
    """True unless the release skips a record of a configuration that it does not know.

    Names of brokers are never skipped: plugins have configurations of their own.
    """
    if not profile.skips_unknown_configs or resource_type == ResourceType.BROKER:
        return True
    if resource_type == ResourceType.TOPIC:
        return name in TOPIC_CONFIGS[profile.topic_configs]
    if resource_type == ResourceType.GROUP:
        from ..core.configs.group_configs import GROUP_CONFIGS  # not needed at every start

        return name in GROUP_CONFIGS[profile.topic_configs]
    from ..core.configs.metrics_configs import METRICS_CONFIGS

    return resource_type == ResourceType.CLIENT_METRICS and name in METRICS_CONFIGS
