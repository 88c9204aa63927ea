"""Parses the voters and the bootstrap servers of a quorum, with Kafka's messages (rule 7.7)."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kraftsim.controller.core.java_text import parse_integer

PORT_MAX = 65_535
VOTERS, SERVERS = "controller.quorum.voters", "controller.quorum.bootstrap.servers"
_HOST_PORT = re.compile(r"(?:.*?://)?\[?([0-9a-zA-Z\-%._:]*)\]?:([0-9]+)")


class QuorumAddress(NamedTuple):
    """The address of a controller."""

    host: str
    port: int


def voters_of(entries: Sequence[str]) -> dict[int, QuorumAddress]:
    """Parses `{id}@{host}:{port}` entries; the last entry of an id applies, as in Kafka.

    Raises ValueError for an invalid entry.
    """
    form = "Each entry should be in the form `{id}@{host}:{port}`."
    voters: dict[int, QuorumAddress] = {}
    for entry in entries:
        parts = entry.split("@")
        if len(parts) != 2:
            raise ValueError(f"Invalid configuration value for {VOTERS}. {form}")
        node_id = parse_integer(parts[0], 32)
        if node_id is None:
            raise ValueError(f"Failed to parse voter ID as an integer from {parts[0]}")
        failure = f"Failed to parse host name from entry {entry} for the configuration {VOTERS}."
        voters[node_id] = _address(parts[1], f"{failure} {form}")
    return voters


def servers_of(entries: Sequence[str]) -> tuple[QuorumAddress, ...]:
    """Parses `{host}:{port}` entries; raises ValueError for an invalid entry."""
    form = 'Each entry should be in the form "{host}:{port}"'
    return tuple(
        _address(
            entry, f"Failed to parse host name from {entry} for the configuration {SERVERS}. {form}"
        )
        for entry in entries
    )


def _address(text: str, failure: str) -> QuorumAddress:
    match = _HOST_PORT.fullmatch(text)
    if match is None:
        raise ValueError(failure)
    port = int(match[2])
    if port > PORT_MAX:
        raise ValueError(f"port out of range:{port}")
    return QuorumAddress(match[1], port)
