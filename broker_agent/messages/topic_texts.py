"""The configurations of topics in force at a broker, as its logs need them."""

from collections.abc import Mapping

from kraftsim.controller.core.configs.node_configs import NodeView, topic_default
from kraftsim.controller.core.configs.topic_table import TOPIC_CONFIGS
from kraftsim.controller.core.log.records import TOPIC_RESOURCE

from ..log.settings import NAMES


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
