"""The policies of tests/released/policies in Python: they refuse the same, in the same words."""

from collections.abc import Mapping

from kraftsim.controller.core.policies import AlteredConfigs, NewTopic


def create_topic(topic: NewTopic) -> str | None:
    if topic.name.startswith("broken"):
        raise ValueError("broken policy")
    if not topic.name.startswith("refused"):
        return None
    assignments = topic.assignments
    listed = None if assignments is None else {i: list(a) for i, a in assignments.items()}
    parts = (topic.partitions, topic.replication_factor, listed, topic.configs)
    return " ".join([topic.name, *map(_java, parts)])


def alter_config(altered: AlteredConfigs) -> str | None:
    if altered.configs.get("segment.ms") == "666":
        raise ValueError("broken policy")
    if "retention.ms" not in altered.configs:
        return None
    resource = f"ConfigResource(type={altered.resource.name}, name='{altered.name}')"
    return f"{resource} {_java(altered.configs)}"


def _java(value: object) -> str:
    """Returns a value as Java prints it; a map is sorted."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}={_java(of)}" for key, of in sorted(value.items())) + "}"
    return "null" if value is None else str(value)
