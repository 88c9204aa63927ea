"""The policies of tests/released/policies in Python: they refuse the same, in the same words."""

from collections.abc import Mapping
from pathlib import Path

from kraftsim.configuration.policies import ALTER_CONFIG, CREATE_TOPIC, policies_of
from kraftsim.controller.core.policies import AlteredConfigs, NewTopic, Policies
from tests.differential.settings import Options
from tests.released.java import compiled
from tests.released.releases import Release

_JAVA = {CREATE_TOPIC: "CreatePolicy", ALTER_CONFIG: "AlterPolicy"}
_PYTHON = {
    CREATE_TOPIC: "tests.differential.policies:create_topic",
    ALTER_CONFIG: "tests.differential.policies:alter_config",
}
_SOURCES = Path(__file__).parents[1] / "released" / "policies"


def with_policies(
    release: Release, folder: Path, settings: Mapping[str, int | bool] | None = None
) -> Options:
    """Returns options with both policies; compiles those of the released controller."""
    folder.mkdir(exist_ok=True)
    ours = policies_of(_PYTHON)
    policies = Policies(
        new_topic=ours.new_topic,
        altered_configs=ours.altered_configs,
        names=tuple(_JAVA.items()),  # which both show in DescribeConfigs
    )
    classes = compiled(release, sorted(_SOURCES.glob("*.java")), folder)
    return Options(settings or {}, policies, classes)


def create_topic(topic: NewTopic) -> str | None:
    if topic.name.startswith("broken"):
        raise ValueError("broken policy")
    if not (topic.name.startswith("refused") or topic.name == "t3"):
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
