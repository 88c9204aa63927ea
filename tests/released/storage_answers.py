"""Records what kafka-storage of released Kafka prints of features and of releases.

    python -m tests.released.storage_answers

writes tests/kraftsim/storage-answers-4.3.1.json, which tests without Java are held against.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tests.released.releases import NEWEST_WITH_TOOLS
from tests.released.run_tools import released_tools

RELEASE = NEWEST_WITH_TOOLS
ANSWERS = Path(__file__).parents[1] / "kraftsim" / f"storage-answers-{RELEASE.version}.json"
_TOOL = "kafka.tools.StorageTool"
_RELEASES = (
    *("3.3-IV2", "3.3-IV3", "3.4", "3.9", "3.9-IV0", "3.9.1", "4.0", "4.0-IV0", "4.0-IV1"),
    *("4.0-IV2", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2", "4.3", "4.3-IV0", "4.3.1", "4.3-IV9"),
    *("4.4-IV0", "4.4-IV1", "4.4-IV2", "4.4", "4.4.0", "4.5", "4.5-IV0", "4", "3.0-IV1", "foo", ""),
)
_FEATURES = (
    *("metadata.version=30", "metadata.version=7", "metadata.version=31", "metadata.version=6"),
    *("metadata.version=33", "metadata.version=34", "metadata.version=35", "metadata.version=0"),
    *("kraft.version=0", "kraft.version=1", "kraft.version=2", "kraft.version=-1"),
    *("transaction.version=0", "transaction.version=1", "transaction.version=2", "a=b=c"),
    *("group.version=1", "share.version=1", "share.version=2", "streams.version=1", "foo=1"),
    *("eligible.leader.replicas.version=0", "eligible.leader.replicas.version=1", "foo", "foo=x"),
    *("metadata.version=x", "metadata.version=4.3-IV0", " group.version = 1 ", "=1", "foo="),
    *("group.version=99999", "group.version=+1"),
)


def cases() -> Iterator[tuple[str, ...]]:
    """Yields the arguments of each command."""
    yield ("version-mapping",)
    yield from (("version-mapping", "--release-version", release) for release in _RELEASES)
    yield from (("feature-dependencies", "--feature", feature) for feature in _FEATURES)
    yield ("feature-dependencies", "-f", "metadata.version=22", "-f", "group.version=1")
    yield ("feature-dependencies", "-f", "metadata.version=22", "-f", "group.version=9")


def answers() -> list[dict[str, object]]:
    """Returns words, exit code, stdout and stderr of every command."""
    with (
        tempfile.TemporaryDirectory(prefix="kraftsim-storage-") as folder,
        released_tools(RELEASE, Path(folder)) as tools,
    ):
        return [{"words": list(words), **asdict(tools.run(_TOOL, words))} for words in cases()]


if __name__ == "__main__":
    ANSWERS.write_text(json.dumps(answers(), indent=1, ensure_ascii=False) + "\n", "utf-8")
