"""The names of configurations that Kafka's releases do not have, and why others have no effect."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain

from kraftsim.controller.core.configs.node_definitions import Definition, definitions
from kraftsim.controller.core.settings import LEAST, Settings

OWN_PREFIX = "kraftsim."

DRAFT_NAMES: Mapping[str, str] = {
    "broker.registration.timeout.ms": "broker.session.timeout.ms",
    "controller.connect": "controller.quorum.voters",
    "controller.id": "node.id",
}
"""Names in the text of KIP-631, with those that Kafka has instead (rule 7.1)."""

_QUORUM = "process.roles with controller.quorum.voters or controller.quorum.bootstrap.servers"
OF_ZOOKEEPER: Mapping[str, str] = {
    "zookeeper.": _QUORUM,
    "broker.id.generation.enable": "node.id",
    "reserved.broker.max.id": "node.id",
    "control.plane.listener.name": "controller.listener.names",
    "inter.broker.protocol.version": "--metadata-version of `kraftsim up`",
}
"""Names, and beginnings of names, for clusters with ZooKeeper; and what KRaft has instead."""

REMOVED: Mapping[str, str] = {
    "host.name": "listeners",
    "port": "listeners",
    "advertised.host.name": "advertised.listeners",
    "advertised.port": "advertised.listeners",
    "delegation.token.master.key": "delegation.token.secret.key",
    "eligible.leader.replicas.enable": "the feature eligible.leader.replicas.version",
    "group.coordinator.new.enable": "the feature group.version",
    "group.share.enable": "the feature share.version",
    "auto.include.jmx.reporter": "metric.reporters",
    "log.message.timestamp.difference.max.ms": (
        "log.message.timestamp.before.max.ms and log.message.timestamp.after.max.ms"
    ),
}
"""Names that a release no longer has, with what it has instead."""

OF_THE_NODE = (
    *("process.roles", "node.id", "broker.id", "broker.rack"),
    *("controller.quorum.voters", "controller.quorum.bootstrap.servers"),
    *("listeners", "advertised.listeners", "listener.security.protocol.map"),
    *("controller.listener.names", "inter.broker.listener.name"),
    *("log.dirs", "log.dir", "metadata.log.dir", "cordoned.log.dirs"),
)
"""What `kraftsim controller run` and `kraftsim agent` take from a property file."""

PLUGIN_PREFIXES = (
    *("listener.name.", "rsm.config.", "rlmm.config."),
    *("super.users", "allow.everyone.if.no.acl.found"),
)
"""The beginnings of names that belong to a listener, to remote storage or to an authorizer."""

_NO_MESSAGES = "logs of simulated brokers follow configurations of topics, not a property file"
NO_GROUPS = "kraftsim has no groups and no transactions"
_NO_SECURITY = "kraftsim's Kafka listeners are plaintext and authenticate nobody"
_NOT_SIMULATED = "kraftsim does not simulate it"
REASONS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("log.", "remote.", "compression.", "message.", "max.decompressed.", "replica."),
            *(
                "rsm.config.",
                "rlmm.config.",
                "fetch.",
                "max.incremental.fetch.",
                "follower.",
                "num.replica.",
                "num.recovery.",
            ),
            *("metadata.log.dir", "metadata.log.segment.", "metadata.max.retention."),
            *("background.", "max.request.partition.", "delete.records.", "producer.purgatory."),
        ),
        _NO_MESSAGES,
    ),
    **dict.fromkeys(
        (
            *("group.", "offset", "transaction", "share.", "producer.", "add.partitions."),
            *("errors.deadletterqueue.", "max.share.", "unstable."),
        ),
        NO_GROUPS,
    ),
    **dict.fromkeys(
        (
            *("sasl.", "ssl.", "security.", "principal.", "delegation."),
            *(
                "super.users",
                "allow.everyone.",
                "password.",
                "early.start.",
                "connections.max.reauth.",
                "listener.name.",
            ),
            "connection.failed.",
        ),
        _NO_SECURITY,
    ),
    **dict.fromkeys(
        (
            *("alter.log.dirs.", "quota.", "replication.quota.", "client.quota.", "telemetry."),
            *("auto.create.", "config.providers", "controlled.shutdown.", "leader.imbalance.per."),
            *("connections.", "max.connection", "socket.", "controller.socket.", "queued."),
            *("num.io.", "num.network.", "request.timeout.", "server.max.", "internal.metadata."),
            *("controller.performance.", "controller.quorum.append.", "controller.quorum.fetch."),
            *("kafka.metrics.", "metric"),
        ),
        _NOT_SIMULATED,
    ),
}
"""Why configurations have no effect, by their names or the beginnings of their names."""


def reason(name: str, tables: Sequence[Mapping[str, str]] = (REASONS,)) -> str:
    """Returns why a configuration of Kafka has no effect here: the first reason in the tables."""
    rows = chain.from_iterable(table.items() for table in tables)
    matching = (text for start, text in rows if name.startswith(start))
    return next(matching, _NOT_SIMULATED)


@cache
def own_keys() -> Mapping[str, Definition]:
    """Returns kraftsim's own configurations: the settings that are not Kafka's."""
    kafka = {definition.name for definition in definitions()}
    own = {}
    for setting in fields(Settings):
        dotted = setting.name.replace("_", ".")
        if dotted not in kafka:
            name, of_numbers = OWN_PREFIX + dotted, setting.name in LEAST
            kind = "INT" if of_numbers else "BOOLEAN"
            valid = f"[{LEAST[setting.name]},...]" if of_numbers else ""
            own[name] = Definition(
                name=name, type_name=kind, default=str(setting.default).lower(), valid=valid
            )
    return own


def setting_name(key: str) -> str:
    """Returns the attribute of Settings that a configuration sets, if it sets one."""
    return key.removeprefix(OWN_PREFIX).replace(".", "_")


SETTINGS = frozenset(setting.name for setting in fields(Settings))
