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

OF_BROKERS = (
    *("telemetry.max.bytes", "max.request.partition.size.limit"),
    *("socket.request.max.bytes", "quota.window.num", "quota.window.size.seconds"),
    *("replication.quota.window.num", "replication.quota.window.size.seconds"),
    "alter.log.dirs.replication.quota.window.num",
    "alter.log.dirs.replication.quota.window.size.seconds",
    *("replica.fetch.max.bytes", "replica.fetch.response.max.bytes", "replica.selector.class"),
)
"""What a broker takes from its property file, beside the defaults of topics."""

PLUGIN_PREFIXES = (
    *("listener.name.", "rsm.config.", "rlmm.config."),
    *("super.users", "allow.everyone.if.no.acl.found"),
)
"""The beginnings of names that belong to a listener, to remote storage or to an authorizer."""

NO_FILES = "simulated brokers keep their logs in memory, without files and threads"
NO_TIERS = "simulated brokers have no remote storage"
NO_GROUPS = "kraftsim has no groups and no transactions"
_OF_TOPICS = "logs of simulated brokers follow configurations of topics, not a property file"
_NO_COPIES = (
    "a replica copies what a leader in its process appends, and fetches from another process with "
    "Kafka's defaults"
)
_OWN_BOUNDS = (
    "simulated brokers keep waiting requests and fetch sessions within bounds of their own"
)
_METADATA_IN_MEMORY = "the metadata log is in memory, without segments: a snapshot cuts it off"
_NO_SECURITY = "kraftsim's Kafka listeners are plaintext and authenticate nobody"
_NO_SOCKETS = "one thread serves all connections, within bounds of its own"
_NO_QUOTA_PLUGIN = "kraftsim has no plugin of quotas"
_NO_REPORTERS = "kraftsim has no reporters: metrics are counters of `GET /metrics`"
_NO_COPYING_THREADS = "no thread of a simulated broker copies replicas"
_OWN_TIMES = "requests between the nodes of kraftsim have times of their own"
REASONS: Mapping[str, str] = {
    "log.dir.failure.": "a simulated broker reports a lost directory for as long as it runs",
    "replica.high.watermark.": NO_FILES,
    "num.replica": _NO_COPYING_THREADS,
    **dict.fromkeys(("request.timeout.", "controller.socket.timeout."), _OWN_TIMES),
    "socket.connection.setup.": "an attempt to connect ends with the request that waits for it",
    "producer.id.": "simulated brokers forget a producer that was idle for a day",
    **dict.fromkeys(
        ("socket.receive.", "socket.send.", "socket.listen."),
        "sockets have the buffers of the system, and the backlog of asyncio",
    ),
    "early.start.": "every listener is served at once: no authorizer has to load ACLs first",
    **dict.fromkeys(
        (
            *("log.cleaner.dedupe.", "log.cleaner.io.", "log.cleaner.threads", "log.initial."),
            *("log.cleaner.backoff.", "log.flush.", "log.index.", "log.preallocate"),
            *("log.segment.delete.", "log.retention.check.", "background.", "num.recovery."),
        ),
        NO_FILES,
    ),
    **dict.fromkeys(
        ("remote.", "log.remote.", "log.local.", "rsm.config.", "rlmm.config.", "follower."),
        NO_TIERS,
    ),
    **dict.fromkeys(("log.", "compression.", "message.", "max.decompressed."), _OF_TOPICS),
    "replica.": _NO_COPIES,
    "fetch.max.bytes": "simulated brokers put at most 57671680 bytes into the response to a Fetch",
    **dict.fromkeys(
        (
            *("fetch.", "max.incremental.fetch.", "delete.records.", "producer.purgatory."),
            "share.fetch.purgatory.",
        ),
        _OWN_BOUNDS,
    ),
    **dict.fromkeys(
        ("metadata.log.", "metadata.max.retention.", "internal.metadata."),
        _METADATA_IN_MEMORY,
    ),
    **dict.fromkeys(
        (
            *("group.", "offset", "transaction", "share.", "producer.", "add.partitions."),
            *("errors.deadletterqueue.", "max.share."),
        ),
        NO_GROUPS,
    ),
    "unstable.": "versions and features that a release does not offer are not simulated",
    **dict.fromkeys(
        (
            *("sasl.", "ssl.", "security.", "principal.", "delegation."),
            *("super.users", "allow.everyone.", "password."),
            *("connections.max.reauth.", "listener.name.", "connection.failed."),
        ),
        _NO_SECURITY,
    ),
    **dict.fromkeys(
        (*("connections.", "max.connection", "socket.", "queued.", "num.io.", "num.network."),),
        _NO_SOCKETS,
    ),
    "client.quota.": _NO_QUOTA_PLUGIN,
    **dict.fromkeys(("kafka.metrics.", "metric", "auto.include.jmx."), _NO_REPORTERS),
    "controller.performance.": "kraftsim measures no times of a controller's events",
    "leader.imbalance.per.": "controllers balance leaders however few are out of place, as Kafka's",
    "controller.quorum.append.": "a leader here appends the records of each request at once",
    "config.providers": "kraftsim takes values as they are, and calls no provider",
    "controlled.shutdown.": "a simulated broker that ends by a signal always shuts down in turn",
    "server.max.startup.": "the start of a process here has no limit of its own",
    "eligible.leader.replicas.": "the feature eligible.leader.replicas.version decides",
}
"""Why configurations have no effect, by their names or the beginnings of their names."""


def reason(name: str, tables: Sequence[Mapping[str, str]] = (REASONS,)) -> str:
    """Returns why a configuration of Kafka has no effect here: the first reason in the tables.

    Every configuration that has none is in a table (tests/walk/test_configurations.py).
    """
    rows = chain.from_iterable(table.items() for table in tables)
    return next(text for start, text in rows if name.startswith(start))


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
