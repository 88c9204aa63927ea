"""Reads what released Kafka said and wrote. See README.md for what there is."""

import json
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

RELEASES = ("3.9.1", "4.1.1", "4.3.1")
QUORUM_STATE = "quorum-state"
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Frame:
    """`data` is the frame without its length; `direction` is "req" or "rsp"."""

    release: str
    run: str
    seq: int
    connection: str
    direction: str
    client_id: str | None
    api_key: int
    api_version: int
    correlation_id: int
    data: bytes

    @property
    def place(self) -> str:
        return f"{self.release} {self.run} {self.seq}"


@dataclass(frozen=True, slots=True)
class LogFile:
    release: str
    run: str
    node: str
    name: str
    data: bytes

    @property
    def place(self) -> str:
        return f"{self.release} {self.run} {self.node}/{self.name}"


def runs(release: str) -> list[str]:
    return sorted({name.partition("/")[0] for name in _members(release)})


def frames(release: str, run: str, api_key: int | None = None) -> list[Frame]:
    """In the order of the wire."""
    return [found for found in _frames(release, run) if api_key is None or found.api_key == api_key]


def frame(release: str, run: str, seq: int) -> Frame:
    (found,) = (kept for kept in _frames(release, run) if kept.seq == seq)
    return found


def probes(release: str) -> list[dict[str, Any]]:
    """What the raw client of A6-errors asked, and what it was told."""
    return _json_lines(_members(release)["A6-errors/probes.jsonl"])


def metadata_logs(release: str) -> list[LogFile]:
    """Metadata logs, snapshots and bootstrap checkpoints of all nodes of all runs."""
    return [
        LogFile(release, run, node, name, data)
        for path, data in _members(release).items()
        for run, kind, *rest in [path.split("/")]
        if kind == "nodes"
        for node, name in [rest]
        if name != QUORUM_STATE
    ]


def quorum_states(release: str, run: str) -> dict[str, dict[str, Any]]:
    """By node: what its `quorum-state` said when the run had ended."""
    return {
        path.split("/")[2]: json.loads(data)
        for path, data in _members(release).items()
        if path.startswith(f"{run}/nodes/") and path.endswith(f"/{QUORUM_STATE}")
    }


def events(release: str, run: str) -> list[dict[str, Any]]:
    """What was done to the nodes of A2 and A3: `next_seq` is the seq of the frame that followed."""
    return _json_lines(_members(release)[f"{run}/events.jsonl"])


def dump(release: str, run: str, node: str, file: str) -> str | None:
    """What kafka-dump-log printed of that file, if it was dumped."""
    text = _members(release).get(f"{run}/dump/{node}/{file}.txt")
    return None if text is None else text.decode()


def tool(release: str, run: str, name: str) -> str:
    return _members(release)[f"{run}/tools/{name}.txt"].decode()


def tools(release: str, run: str) -> list[str]:
    """Names of the tool outputs that are kept of a run."""
    prefix = f"{run}/tools/"
    names = (name for name in _members(release) if name.startswith(prefix))
    return sorted(name.removeprefix(prefix).removesuffix(".txt") for name in names)


@cache
def _frames(release: str, run: str) -> list[Frame]:
    return [
        Frame(
            release,
            run,
            line["seq"],
            line["conn"],
            line["dir"],
            line["client_id"],
            line["api_key"],
            line["api_version"],
            line["correlation_id"],
            bytes.fromhex(line["hex"]),
        )
        for line in _json_lines(_members(release)[f"{run}/frames.jsonl"])
    ]


def _json_lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


@cache
def _members(release: str) -> dict[str, bytes]:
    members = {}
    with tarfile.open(HERE / f"{release}.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None, member.name
            members[member.name] = file.read()
    return members
