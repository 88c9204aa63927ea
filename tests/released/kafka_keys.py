"""Writes the table of Kafka's configurations from the released jars.

    python -m tests.released.kafka_keys

writes kraftsim/configuration/kafka_keys.tsv; a new release needs an entry in RELEASES and a run.
"""

from typing import Any

from kraftsim.configuration.keys import TABLE
from tests.released.read_properties import keys_of
from tests.released.releases import RELEASES

HEADER = ("name", "type", "default", "valid", "since", "until")
Definition = tuple[str, ...]


def definition_of(key: dict[str, Any]) -> Definition:
    """Returns name, type, default and valid values as the table writes them."""
    valid = key["valid"]
    if not key["may_be_empty"]:
        valid = f"{valid}, not empty" if valid else "not empty"
    default = key["default"]
    return key["name"], key["type"], "null" if default is None else default, valid


def table() -> str:
    """Returns the table of every release: a row for each name and each of its definitions.

    The rows are in the order of the newest release.
    """
    versions = sorted(RELEASES, reverse=True)
    rows: list[tuple[Definition, list[str]]] = []
    for version in versions:
        position = 0
        for definition in map(definition_of, keys_of(RELEASES[version])):
            position = _insert(rows, definition, version, position) + 1
    names = {version: version.rpartition(".")[0] for version in versions}
    lines = [(*row, names[of[-1]], names[of[0]]) for row, of in rows]
    return "".join("\t".join(line) + "\n" for line in (HEADER, *lines))


def _insert(
    rows: list[tuple[Definition, list[str]]], definition: Definition, version: str, position: int
) -> int:
    """Adds the release to the row of the definition, and returns the index of the row.

    A new row follows the row of the configuration that the release defines before.
    """
    for index, (row, versions) in enumerate(rows):
        if row == definition:
            versions.append(version)
            return index
    rows.insert(position, (definition, [version]))
    return position


if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")
