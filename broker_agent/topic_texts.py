"""The configurations of topics in force at a broker, as its logs need them."""

from collections.abc import Mapping

from kraftsim.controller.core.configs.node_configs import NodeView, topic_default
from kraftsim.controller.core.configs.topic_table import TOPIC_CONFIGS
from kraftsim.controller.core.log.records import BROKER_RESOURCE, TOPIC_RESOURCE

from . import configurations
from .hosted_agent import HostedAgent
from .log.settings import NAMES, LogSettings, settings_of


def texts_of(view: NodeView, topic: str) -> Mapping[str, str]:
    """Returns the values of a topic's configurations that act on its logs."""
    own = view.image.configs.get((TOPIC_RESOURCE, topic), {})
    known, levels = TOPIC_CONFIGS[view.profile.topic_configs], view.levels
    texts: dict[str, str] = {}
    for name in NAMES:
        text = own.get(name)
        if text is None:
            text = topic_default(levels, name)
        if text is None:
            text = known[name].default
        if text is not None:
            texts[name] = text
    return texts


def log_settings(hosted: HostedAgent, topic: str) -> LogSettings:
    """Returns the settings of a topic's logs at a broker, as they are now."""
    config, image = hosted.agent.config, hosted.agent.image
    resources = ((TOPIC_RESOURCE, topic), (BROKER_RESOURCE, str(config.broker_id)))
    # A change makes a new dictionary.
    found: list[Mapping[str, str] | None] = [
        image.configs.get(of) for of in (*resources, (BROKER_RESOURCE, ""))
    ]
    known = hosted.log_settings.get(topic)
    if known is not None and all(a is b for a, b in zip(known[0], found, strict=True)):
        return known[1]
    static = configurations.properties(config)
    view = NodeView(node_id=config.broker_id, profile=config.profile, image=image, static=static)
    settings = settings_of(texts_of(view, topic))
    hosted.log_settings[topic] = (found, settings)
    return settings
