"""`meta.properties`: for which cluster and node a directory is formatted, and its own id."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kraftsim.controller.core.uuid import is_reserved_directory, parse_uuid

from ..errors import FormatRefused
from ..files.log_directories import META_PROPERTIES, metadata_of
from ..files.properties import read_properties

__all__ = ["META_PROPERTIES", "MetaProperties", "expect_own_ids", "found_in", "meta_text"]

_ESCAPED = re.compile(r"[\\=:#! \t]")
_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class MetaProperties:
    """The content of `meta.properties`; `directory_id` is empty in directories of old releases."""

    cluster_id: str
    node_id: int
    directory_id: str

    def expect(self, directory: str, cluster_id: str, node_id: int) -> None:
        """Raises FormatRefused if the directory is that of another cluster or node."""
        path = Path(directory) / META_PROPERTIES
        if self.cluster_id != cluster_id:
            raise FormatRefused(
                f"Invalid cluster.id in: {path}. Expected {cluster_id}, but read {self.cluster_id}"
            )
        if self.node_id != node_id:
            raise FormatRefused(
                f"Stored node id {self.node_id} doesn't match previous node id {node_id} in "
                f"{path}. If you moved your data, make sure your configured node id matches. If "
                "you intend to create a new node, you should remove all data in your data "
                "directories."
            )


def expect_own_ids(found: Mapping[str, MetaProperties]) -> None:
    """Raises FormatRefused if a directory has a reserved id or that of another (rule 6.13)."""
    directory_of: dict[str, str] = {}
    for directory, meta in found.items():
        if not meta.directory_id:
            continue
        if is_reserved_directory(parse_uuid(meta.directory_id)):
            raise FormatRefused(
                f"Invalid reserved directory ID {meta.directory_id} found in {directory}"
            )
        first = directory_of.setdefault(meta.directory_id, directory)
        if first != directory:
            raise FormatRefused(
                f"Duplicate directory ID Optional[{meta.directory_id}] found. It was the ID of "
                f"{first}, but also of {directory}"
            )


def found_in(directory: Path) -> MetaProperties | None:
    """Returns the content of a formatted directory; None if it is absent or not formatted.

    Raises OSError or ValueError if the file cannot be read.
    """
    path = directory / META_PROPERTIES
    if directory.exists() and not directory.is_dir():
        raise NotADirectoryError(directory)
    if not path.exists():
        return None
    pairs = metadata_of(read_properties(path))
    return MetaProperties(
        cluster_id=pairs.get("cluster.id", ""),
        node_id=int(pairs.get("node.id", pairs.get("broker.id", "-1"))),
        directory_id=pairs.get("directory.id", ""),
    )


def meta_text(meta: MetaProperties, now_ms: int) -> str:
    """Returns the text of the file, as java.util.Properties stores it."""
    stored_at = time.strftime("%a %b %d %H:%M:%S UTC %Y", time.gmtime(now_ms // 1000))
    pairs = {
        "node.id": str(meta.node_id),
        "directory.id": meta.directory_id,
        "version": str(_VERSION),
        "cluster.id": meta.cluster_id,
    }
    lines = (f"{key}={_escaped(value)}" for key, value in pairs.items())
    return "\n".join(["#", f"#{stored_at}", *lines, ""])


def _escaped(value: str) -> str:
    return _ESCAPED.sub(lambda match: f"\\{match[0]}", value)
