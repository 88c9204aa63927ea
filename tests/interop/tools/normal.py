"""What may differ between two alike clusters, replaced: addresses, ids, times, offsets."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from tests.interop.tools.cluster import Addresses

_STACK = re.compile(r"\s+(at [\w.$/<>]+\(|\.\.\. \d+ more)")
_UUID = re.compile(r"(?<![\w-])[\w-]{22}(?![\w-])")
_EPOCH = re.compile(r"(?<=\tEpoch: )\d+")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?![\w.])")
_SPACES = re.compile(r" +")
_HEAD = re.compile(r"NodeId\b")
_REPLICAS = re.compile(r"\[\{.*\}\]")
_KEPT_NUMBERS = {"-1", "0", "1", "2", "3", "3000", "3001", "3002"}


class Normal:
    """Replaces what only one cluster has by names that both have."""

    def __init__(self, addresses: Addresses, folder: Path) -> None:
        self._names: dict[str, str] = {str(folder): "FOLDER"}
        for kind, of_kind in (("broker", addresses.brokers), ("controller", addresses.controllers)):
            self._names |= _named(kind, of_kind)

    def lines(self, tool: str, text: str) -> list[str]:
        """Returns the lines that `tool` printed, without the frames of Java's stack traces."""
        for value, name in self._names.items():
            text = text.replace(value, name)
        kept = [line for line in text.splitlines() if not _STACK.match(line)]
        return _in_order(tool, [_normal(tool, line) for line in kept])


def _in_order(tool: str, lines: list[str]) -> list[str]:
    """Sorts what Kafka keeps in hash maps."""
    if tool == "metadata-quorum":
        return [*lines[:2], *sorted(lines[2:])] if _HEAD.match("".join(lines[:1])) else lines
    return lines


def _normal(tool: str, line: str) -> str:
    line = _UUID.sub("UUID", line)
    line = _EPOCH.sub("N", line)
    if tool == "metadata-quorum":
        line = _NUMBER.sub(lambda n: n[0] if n[0] in _KEPT_NUMBERS else "N", line)
        line = _SPACES.sub(" ", line)
        line = _REPLICAS.sub(lambda replicas: str(sorted(json.loads(replicas[0]), key=str)), line)
    return line.rstrip()


def _named(kind: str, addresses: Mapping[int, str]) -> dict[str, str]:
    """A port alone has the width of its name, so that columns stay as wide."""
    names = {}
    for node_id, address in addresses.items():
        host, port = address.split(":")
        names[address] = f"{host}:{kind}-{node_id}"
        names[port] = f"{kind[0]}{node_id:04}"
    return names
