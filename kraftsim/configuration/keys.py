"""The table of Kafka's configurations of a node, by release.

`python -m tests.released.kafka_keys` writes it from the released jars.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kraftsim.controller.core.value import value

TABLE = Path(__file__).with_name("kafka_keys.tsv")
REQUIRED = "(required)"
NOT_EMPTY = "not empty"
RELEASES = ("3.9", "4.1", "4.3", "4.4")


@value(kw_only=False)
class Key:
    """A configuration of a node, as the releases from `since` to `until` define it.

    `default` is the text that a property file would have: "null" for a default of null, REQUIRED
    without default. `valid` names the valid values as Kafka does: "[1,...]", "[a, b]"; a list that
    must not be empty ends with NOT_EMPTY.
    """

    name: str
    type: str
    default: str
    valid: str
    since: str
    until: str

    @property
    def is_required(self) -> bool:
        """True if every property file must have it."""
        return self.default == REQUIRED


@cache
def every_key() -> tuple[Key, ...]:
    """Returns the keys of every release; a name has a row for each of its definitions."""
    rows = TABLE.read_text("utf-8").splitlines()[1:]
    return tuple(Key(*row.split("\t")) for row in rows)


@cache
def keys_of(release: str) -> Mapping[str, Key]:
    """Returns the keys of a release such as "4.3" by name, in the order of Kafka's checks."""
    at = RELEASES.index(release)
    return {
        key.name: key
        for key in every_key()
        if RELEASES.index(key.since) <= at <= RELEASES.index(key.until)
    }
