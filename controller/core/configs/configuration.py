"""One configuration of a table, and the tables of each release."""

from collections.abc import Iterable

from ..value import value
from .validators import DISTINCT_LIST, LIST, Kind, Validator, Value

RELEASES = ("3.9", "4.1", "4.3", "4.4")


@value(kw_only=False)
class Configuration:
    """One configuration, as the releases from `since` to `until` define it."""

    name: str
    kind: Kind
    default: str | None
    """None: replies show the configuration only if the topic sets it."""
    validator: Validator | None = None
    since: str = RELEASES[0]
    until: str = RELEASES[-1]

    @property
    def is_list(self) -> bool:
        """True if the value has elements between commas."""
        return self.kind in (LIST, DISTINCT_LIST)

    def parse(self, text: str) -> Value:
        """Returns the parsed value; raises INVALID_CONFIG if `text` is invalid."""
        value = self.kind(self.name, text)
        if self.validator is not None:
            self.validator(self.name, value)
        return value


def by_release(rows: Iterable[Configuration]) -> dict[str, dict[str, Configuration]]:
    """Returns the rows of each release by name, in their order."""
    rows = tuple(rows)
    return {
        release: {
            row.name: row
            for row in rows
            if RELEASES.index(row.since) <= number <= RELEASES.index(row.until)
        }
        for number, release in enumerate(RELEASES)
    }
