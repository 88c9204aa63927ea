"""The configurations of brokers and controllers of each release: type, default, how they change.

The rows come from the released jars (`KafkaConfig.configDef`, `DynamicBrokerConfig`). The columns
are: name, type, change, first release, last release, default. The change is `c` for a
configuration that the whole cluster can change while it runs, `b` for one that only a single broker
can change, `i` for an internal one, which Kafka does not describe unless it is set. The default `~`
is null; a missing default is the empty string. The three rates of throttled replication are not in
`KafkaConfig`, but in `QuotaConfig`; Kafka describes them like internal ones.
"""

from functools import cache

from ..value import value
from . import broker_rows_a_to_k, broker_rows_l_to_z
from .configuration import RELEASES

NULL = "~"


@value(kw_only=False)
class BrokerConfig:
    """One configuration of brokers and controllers."""

    name: str
    type_name: str
    default: str | None
    is_dynamic: bool
    """A running broker accepts a new value."""
    is_per_broker: bool
    """It may not be set for the whole cluster."""
    is_internal: bool


@cache
def broker_configs(release: str) -> dict[str, BrokerConfig]:
    """Returns the configurations of a release ("4.3") by name, in order of name."""
    number = RELEASES.index(release)
    found = {}
    for line in (broker_rows_a_to_k.ROWS + broker_rows_l_to_z.ROWS).splitlines():
        name, type_name, change, since, until, *default = line.split(maxsplit=5)
        if RELEASES.index(since) <= number <= RELEASES.index(until):
            found[name] = BrokerConfig(
                name,
                type_name,
                None if default == [NULL] else "".join(default),
                is_dynamic="c" in change or "b" in change,
                is_per_broker="b" in change,
                is_internal="i" in change,
            )
    return found
