"""What may differ between two alike clusters, replaced: addresses, ids, times, offsets, orders."""

import json
import re
from collections.abc import Callable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from tests.interop.tools.cluster import Addresses

_STACK = re.compile(r"\s+(at [\w.$/<>]+\(|\.\.\. \d+ more)")
# Words of 22 letters are no ids: an id has digits, or capitals where a word has none.
_UUID = re.compile(
    r"(?<![\w-])(?!--)(?=[\w-]*[\d_]|(?:[a-z-]*[A-Z]){6})(?=[\w-]*[A-Z])[\w-]{22}(?![\w-])"
)
_ADDING, _LISTING = "Adding ACLs for resource", "Current ACLs for resource"
_FEATURES_EPOCH = re.compile(r"(?<=\bEpoch: )\d+")
_ELECTED = re.compile(r"(?<= for partitions )\S.*")
_LOG_DIRS = re.compile(r'\{"brokers":.*')
_STATUS = re.compile(r"^(LeaderEpoch|HighWatermark|MaxFollowerLag|MaxFollowerLagTimeMs): .*")
_REPLICAS = re.compile(r"\[\{.*\}\]|\[ReplicaKey.*?\)\]")
_BROKER_LIST = re.compile(r"^\S[^\n]* -> \($.*?^\)$", re.MULTILINE | re.DOTALL)
_RATES = re.compile(r"(?<= records sent, ).*")
_NUMBER = re.compile(r"\d+\.\d+|(?<=[ ,])\d+(?= ms)")
_PART = re.compile(r"\{.*?\}|ReplicaKey\(.*?\)")


class Normal:
    """Replaces what only one cluster has by names that both have."""

    def __init__(self, addresses: Addresses, folder: Path) -> None:
        self._names: dict[str, str] = {str(folder): "FOLDER"}
        self._names |= {path: f"LOG-DIR-{id}" for id, path in addresses.log_dirs.items()}
        for kind, of_kind in (("broker", addresses.brokers), ("controller", addresses.controllers)):
            self._names |= _named(kind, of_kind)

    def lines(self, tool: str, text: str) -> list[str]:
        """Returns the lines that `tool` printed, without the frames of Java's stack traces."""
        for value, name in self._names.items():
            text = text.replace(value, name)
        normal = _OF_TOOL.get(tool, list)
        kept = [line for line in text.splitlines() if not _STACK.match(line)]
        return normal([_UUID.sub("UUID", line).rstrip() for line in kept])


def _named(kind: str, addresses: Mapping[int, str]) -> dict[str, str]:
    """A port alone gets a name of its width, so that columns stay as wide."""
    names = {}
    for node_id, address in addresses.items():
        host, port = address.split(":")
        names[address] = f"{host}:{kind}-{node_id}"
        names[port] = f"{kind[0]}{node_id:04}"
    return names


def _acls(lines: list[str]) -> list[str]:
    """Sorts the entries, which Kafka has in hash sets, by their resource.

    What `--add` lists after its entries is left out: a broker may not have the newest of them yet.
    """
    if any(line.startswith(_ADDING) for line in lines):
        lines = [*takewhile(lambda line: not line.startswith(_LISTING), lines)]
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.startswith((_ADDING, _LISTING)):
            blocks.append([])
        blocks[-1].append(line.strip())
    in_order = sorted([*block[:1], *sorted(block[1:])] for block in blocks)
    return [line for block in in_order for line in block]


def _features(lines: list[str]) -> list[str]:
    return [_FEATURES_EPOCH.sub("N", line) for line in lines]


def _elections(lines: list[str]) -> list[str]:
    """Kafka has the partitions in a hash set."""
    return [
        _ELECTED.sub(lambda names: ", ".join(sorted(names[0].split(", "))), line) for line in lines
    ]


def _quorum(lines: list[str]) -> list[str]:
    """Offsets and times move; the replicas, which Kafka has in hash maps, are sorted."""
    lines = [_replica_row(_STATUS.sub(r"\1: N", re.sub(" +", " ", line))) for line in lines]
    lines = [
        _REPLICAS.sub(lambda all: f"[{', '.join(sorted(_PART.findall(all[0])))}]", line)
        for line in lines
    ]
    return [*lines[:2], *sorted(lines[2:])] if lines and lines[0].startswith("NodeId") else lines


def _replica_row(line: str) -> str:
    cells = line.split("\t")
    if len(cells) == 7 and cells[0] != "NodeId":
        numbers = (re.sub(r"\d+", "N", cell) for cell in cells[2:6])
        line = "\t".join([*cells[:2], *numbers, cells[6]])
    return line


def _log_dirs(lines: list[str]) -> list[str]:
    """Sorts brokers and partitions, which Kafka has in hash maps."""
    return [
        _LOG_DIRS.sub(lambda found: json.dumps(_in_order(json.loads(found[0]))), line)
        for line in lines
    ]


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _in_order(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(map(_in_order, value), key=str)
    return value


def _performance(lines: list[str]) -> list[str]:
    return [_RATES.sub(lambda found: _NUMBER.sub("N", found[0]), line) for line in lines]


def _api_versions(lines: list[str]) -> list[str]:
    """Sorts the brokers, whose lists follow each other."""
    return "\n".join(sorted(_BROKER_LIST.findall("\n".join(lines))) or lines).split("\n")


_OF_TOOL: Mapping[str, Callable[[list[str]], list[str]]] = {
    "acls": _acls,
    "broker-api-versions": _api_versions,
    "features": _features,
    "leader-election": _elections,
    "log-dirs": _log_dirs,
    "metadata-quorum": _quorum,
    "producer-perf-test": _performance,
}
