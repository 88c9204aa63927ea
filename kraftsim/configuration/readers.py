"""Which classes of Kafka read a configuration, in a controller and in a broker.

A configuration that no class of a process reads has no effect there, and so in Kafka: kraftsim
accepts it without a warning.
"""

from collections.abc import Collection, Mapping
from functools import cache

from kraftsim.controller.core.value import value

from .roles import BROKER, CONTROLLER


@value
class Readers:
    """The names of the classes of Kafka 4.4.0 that read a configuration, in order."""

    controllers: tuple[str, ...]
    brokers: tuple[str, ...]

    def of(self, roles: Collection[str]) -> tuple[str, ...]:
        """Returns the classes that run in a process with these roles."""
        by_role = {CONTROLLER: self.controllers, BROKER: self.brokers}
        return tuple(sorted({name for role in roles for name in by_role[role]}))


@cache
def readers() -> Mapping[str, Readers]:
    """Returns the readers of each configuration of a node or a group."""
    from . import reader_rows  # not needed at every start

    found = {}
    for row in reader_rows.ROWS.splitlines():
        key, *columns = row.split("|")
        controllers, brokers = (tuple(filter(None, column.split(","))) for column in columns)
        found[key] = Readers(controllers=controllers, brokers=brokers)
    return found


def is_ignored(name: str, roles: Collection[str]) -> bool:
    """Returns True if no class of Kafka reads a configuration in a process with these roles."""
    row = readers().get(name)
    return row is not None and not row.of(roles)
