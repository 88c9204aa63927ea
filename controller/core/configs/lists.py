"""APPEND and SUBTRACT: changes of configurations that are lists."""

from ..profile import Profile
from .node_definitions import described
from .resources import ResourceType
from .topic_table import TOPIC_CONFIGS


def default_list(profile: Profile, resource_type: ResourceType, name: str) -> str | None:
    """Returns the default of a list, "" for null; None if the configuration is not a list.

    Kafka has lists of topics and brokers only: those of client metrics do not count.
    """
    if resource_type is ResourceType.BROKER:
        broker = described(profile.topic_configs).get(name)
        return broker.default or "" if broker and broker.type_name == "LIST" else None
    topic = TOPIC_CONFIGS[profile.topic_configs].get(name)
    if resource_type is not ResourceType.TOPIC or topic is None or not topic.is_list:
        return None
    return topic.default or ""


def appended(elements: str, text: str) -> str:
    """Returns the list with the elements of `text` that it lacks at its end."""
    parts = _without_empty(elements)
    for part in split(text):
        if part not in parts:
            parts.append(part)
    return ",".join(parts)


def subtracted(elements: str, text: str) -> str:
    """Returns the list without the first of each element of `text`."""
    parts = _without_empty(elements)
    for part in split(text):
        if part in parts:
            parts.remove(part)
    return ",".join(parts)


def _without_empty(elements: str) -> list[str]:
    return [part for part in elements.split(",") if part]


def split(text: str) -> list[str]:
    """Splits at commas as Java does, which drops empty parts at the end of a text with a comma."""
    parts = text.split(",")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts if parts != [""] or not text else []
