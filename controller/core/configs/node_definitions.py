"""Kafka's definitions of the configurations of a node, broker or controller, in each release.

The rows of `node_table.py` are in the order in which Kafka checks the values of a property file; a
name has a row for each of its definitions. Their columns, between bars: name, type, change, first
release, last release, default, valid values. The change is `c` for a configuration that the whole
cluster can change while it runs, `b` for one that only a single broker can change, `i` for an
internal one, `q` for a rate of throttled replication, which no property file has (`QuotaConfig`).
The default is NULL or REQUIRED, or the text that a property file would have.
"""

from collections.abc import Mapping
from functools import cache

from ..value import value
from . import node_table
from .configuration import RELEASES

NULL = "null"
REQUIRED = "(required)"


@value
class Definition:
    """A configuration of a node, as the releases from `since` to `until` define it."""

    name: str
    type_name: str
    default: str | None
    """The text that a property file would have; None for null, and without a default."""
    valid: str = ""
    """The valid values, as Kafka prints them: "[1,...]", "[a, b]"; "not empty" of a list."""
    since: str = RELEASES[0]
    until: str = RELEASES[-1]
    is_required: bool = False
    """Every property file must have it."""
    is_dynamic: bool = False
    """A running broker accepts a new value."""
    is_per_broker: bool = False
    """It may not be set for the whole cluster."""
    is_internal: bool = False
    """Kafka does not describe it unless it is set."""
    is_rate: bool = False
    """A rate of throttled replication, which only a running broker accepts."""


@cache
def definitions() -> tuple[Definition, ...]:
    """Returns the definitions of every release."""
    return tuple(_definition(*row.split("|")) for row in node_table.ROWS.splitlines())


def _definition(
    name: str, type_name: str, change: str, since: str, until: str, default: str, valid: str
) -> Definition:
    is_rate = "q" in change  # described like an internal one, without its default
    return Definition(
        name=name,
        type_name=type_name,
        default=None if default in (NULL, REQUIRED) or is_rate else default,
        valid=valid,
        since=since,
        until=until,
        is_required=default == REQUIRED,
        is_dynamic="c" in change or "b" in change or is_rate,
        is_per_broker="b" in change,
        is_internal="i" in change or is_rate,
        is_rate=is_rate,
    )


@cache
def definitions_of(release: str) -> Mapping[str, Definition]:
    """Returns what a property file of a release ("4.3") may have, in the order of the checks."""
    return {definition.name: definition for definition in _of(release) if not definition.is_rate}


@cache
def described(release: str) -> Mapping[str, Definition]:
    """Returns what a node of a release ("4.3") describes, in order of name."""
    return {definition.name: definition for definition in sorted(_of(release), key=_name)}


def _name(definition: Definition) -> str:
    return definition.name


def _of(release: str) -> list[Definition]:
    at = RELEASES.index(release)
    return [
        definition
        for definition in definitions()
        if RELEASES.index(definition.since) <= at <= RELEASES.index(definition.until)
    ]
