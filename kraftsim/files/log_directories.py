"""The log directories of a node of Kafka's: which are formatted, and for which cluster and node.

`storage format` writes `meta.properties` into each of them, as `kafka-storage format` does. What is
found is what `kafka-storage info` of 4.3.1 finds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kraftsim.controller.core.java_text import parse_integer
from kraftsim.controller.core.uuid import parse_uuid

from .properties import read_properties

META_PROPERTIES = "meta.properties"
DEFAULT_DIRECTORY = "/tmp/kafka-logs"
_LEGACY, _KRAFT = 0, 1  # versions of meta.properties: of ZooKeeper and of KRaft
_KEYS = {
    _LEGACY: ("broker.id", "cluster.id", "directory.id"),
    _KRAFT: ("cluster.id", "directory.id", "node.id"),
}
_NUMBERS = ("broker.id", "node.id")


@dataclass(slots=True)
class Storage:
    """What is in log directories: `metadata` is that of the first that is formatted."""

    directories: list[str] = field(default_factory=list)
    metadata: dict[str, str] | None = None
    problems: list[str] = field(default_factory=list)


def directories_of(pairs: Mapping[str, str]) -> list[str]:
    """Returns the log directories of a node, in order, from its configurations."""
    return sorted({*_listed(pairs), pairs.get("metadata.log.dir", "")} - {""})


def metadata_directory_of(pairs: Mapping[str, str]) -> str:
    """Returns the directory of the metadata log: the first of log.dirs unless it has its own."""
    return pairs.get("metadata.log.dir") or next(iter(_listed(pairs)), DEFAULT_DIRECTORY)


def _listed(pairs: Mapping[str, str]) -> list[str]:
    listed = pairs.get("log.dirs") or pairs.get("log.dir", DEFAULT_DIRECTORY)
    return [name.strip() for name in listed.split(",") if name.strip()]


def read_storage(directories: Iterable[str]) -> Storage:
    """Reads `meta.properties` of each directory; a problem is a sentence of Kafka's."""
    storage = Storage()
    for directory in map(Path, directories):
        if not directory.is_dir():
            reason = "is not a directory" if directory.exists() else "does not exist"
            storage.problems.append(f"{directory} {reason}")
            continue
        storage.directories.append(str(directory))
        _add(storage, directory)
    if storage.metadata is not None and storage.metadata["version"] == str(_LEGACY):
        storage.problems.append(
            "The kafka configuration file appears to be for a cluster in KRaft mode, but the "
            "directories are formatted for legacy mode."
        )
    return storage


def _add(storage: Storage, directory: Path) -> None:
    """Adds the metadata of an existing directory, or the problem with it."""
    path = directory / META_PROPERTIES
    if not path.exists():
        storage.problems.append(f"{directory} is not formatted.")
        return
    try:
        metadata = metadata_of(read_properties(path))
    except ValueError as error:
        storage.problems.append(f"Error loading {path}: {error}")
        return
    if storage.metadata is None:
        storage.metadata = metadata
    elif metadata.get("cluster.id") != storage.metadata.get("cluster.id"):
        storage.problems.append("Mismatched cluster IDs between storage directories.")
    elif metadata.get("node.id") != storage.metadata.get("node.id"):
        storage.problems.append("Mismatched node IDs between storage directories.")


def metadata_of(pairs: Mapping[str, str]) -> dict[str, str]:
    """Returns the known keys of `meta.properties`; raises ValueError for an invalid file."""
    version = _number("version", pairs.get("version", str(_LEGACY)))
    if version not in _KEYS:
        raise ValueError(f"Unknown meta.properties version number {version}")
    found = {key: pairs[key] for key in _KEYS[version] if key in pairs}
    if version == _KRAFT and "cluster.id" not in found:
        raise ValueError("cluster.id was not found.")
    if version == _KRAFT and "node.id" not in found:
        raise ValueError("Failed to find node.id")
    for key in _NUMBERS:
        if key in found:
            found[key] = str(_number(key, found[key]))
    if "directory.id" in found:
        _check_directory(found["directory.id"])
    return found | {"version": str(version)}


def _number(key: str, text: str) -> int:
    number = parse_integer(text, 32)
    if number is None:
        raise ValueError(f"Unable to read {key} as a base-10 number.")
    return number


def _check_directory(text: str) -> None:
    try:
        parse_uuid(text)
    except ValueError as error:
        raise ValueError(f"Unable to read directory.id as a Uuid: {error}") from None
