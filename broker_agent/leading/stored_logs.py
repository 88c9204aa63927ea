"""A broker's logs as its process finds them: with the settings and the time that hold for them.

The modules of logs are imported with the first message.
"""

from typing import TYPE_CHECKING

from kraftsim.controller.core.image.partition import PartitionKey

from ..hosted_agent import HostedAgent

if TYPE_CHECKING:
    from ..log.log import Instant, Log
    from ..log.settings import LogSettings


def log_of(hosted: HostedAgent, key: PartitionKey) -> "Log":
    """Returns the log of a replica, an empty one if it has had no message."""
    from ..log.log import Log

    if key not in hosted.store.logs:
        hosted.store.logs[key] = Log(hosted.clock.now_ms)
    return hosted.store.logs[key]


def settings_of(hosted: HostedAgent, key: PartitionKey) -> "LogSettings":
    """Returns the settings of a log, by the configurations that the broker knows."""
    from ..configurations import log_settings

    agent = hosted.agent
    topic = agent.image.topics[key[0]].name
    return log_settings(agent.config, agent.image, topic, hosted.usage.log_settings)


def instant(hosted: HostedAgent) -> "Instant":
    """Returns the time of the broker, by its monotonic clock and by its wall clock."""
    from ..log.log import Instant

    now_ms = hosted.clock.now_ms
    return Instant(now_ms, now_ms + hosted.clock.wall_offset_ms)
