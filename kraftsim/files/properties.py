"""Reads a Kafka `.properties` file: `key=value`, comments (`#`, `!`), `\\` at a line's end."""

from collections.abc import Container, Mapping
from dataclasses import fields
from pathlib import Path

from kraftsim.controller.core.node_id import checked_id
from kraftsim.controller.core.settings import Settings
from kraftsim.scenarios.language.suggestions import whole_number

from ..options import setting_name

FILE_BYTES_MAX = 1024 * 1024
ID_KEYS, VOTERS = ("node.id", "broker.id"), "controller.quorum.voters"


def read_properties(path: Path) -> dict[str, str]:
    """Reads the key-value pairs of the file; ValueError with file and line for an invalid line."""
    if path.exists() and not path.is_file():  # a pipe or a device might never end
        raise ValueError(f"{path}: expected a regular file")
    if path.stat().st_size > FILE_BYTES_MAX:
        raise ValueError(f"{path}: expected at most {FILE_BYTES_MAX} bytes")
    pairs: dict[str, str] = {}
    pending = ""
    lines = path.read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        text = pending + line.strip()
        pending = ""
        if not text or text[0] in "#!":
            continue
        if text.endswith("\\"):
            text = text[:-1]
            if number < len(lines):
                pending = text
                continue
        key, separator, value = text.partition("=")
        if not separator:
            raise ValueError(f"{path}:{number}: expected key=value, got {line!r}")
        pairs[key.strip()] = value.strip()
    return pairs


def expect_id(pairs: Mapping[str, str], node_id: int | None) -> None:
    """Raises ValueError for an invalid id, or if the ids differ (rule 7.6).

    The ids are `node_id` (None: unknown), node.id and broker.id.
    """
    expected, whose = node_id, "--node-id"
    for key in ID_KEYS:
        if key in pairs:
            number = whole_number(pairs[key])
            configured_id = checked_id(f"--config: {key}", pairs[key] if number is None else number)
            if expected not in (None, configured_id):
                raise ValueError(
                    f"--config: {key}: expected {expected} of {whose}, got {configured_id}"
                )
            expected, whose = configured_id, key


def expect_no_voter(pairs: Mapping[str, str], broker_ids: Container[int]) -> None:
    """Raises ValueError if one of these brokers is a voter (rule 7.6)."""
    for voter in filter(None, pairs.get(VOTERS, "").split(",")):
        number = whole_number(voter.strip().partition("@")[0])
        if number is not None and number in broker_ids:
            raise ValueError(f"--config: {VOTERS}: expected ids that no broker has, got {number}")


def split_known(pairs: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Returns the settings that the simulation uses, and the sorted keys that it ignores."""
    names = {field.name for field in fields(Settings)}
    used = {key: value for key, value in pairs.items() if setting_name(key) in names}
    return used, sorted(set(pairs) - set(used))
