"""Property files, most of them wrong, as changes of three that a released Kafka accepts."""

from collections.abc import Mapping

Pairs = Mapping[str, str]

CONTROLLER: Pairs = {
    "process.roles": "controller",
    "node.id": "3000",
    "controller.quorum.voters": "3000@localhost:9093",
    "listeners": "CONTROLLER://localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT",
}
BROKER: Pairs = {
    "process.roles": "broker",
    "node.id": "1",
    "controller.quorum.bootstrap.servers": "localhost:9093",
    "listeners": "PLAINTEXT://localhost:9092",
    "controller.listener.names": "CONTROLLER",
}
BOTH: Pairs = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.quorum.bootstrap.servers": "localhost:9093",
    "listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
    "controller.listener.names": "CONTROLLER",
}
NODES = {"controller": CONTROLLER, "broker": BROKER, "both": BOTH}

ABSENT = "(absent)"
_SHARED: dict[str, tuple[str, ...]] = {
    "process.roles": (ABSENT, "", "controler", "controller,controller", "controller,"),
    "node.id": (ABSENT, "-1", "x", "2147483648"),
    "broker.id": ("7",),
    "controller.quorum.voters": (
        *("localhost:9093", "x@localhost:9093", "4@localhost", "4@localhost:x", "4@a:1,"),
        *("4@localhost:99999", "4@localhost:-1", "4@@:1", "1@a:1", "4@[::1]:9093,5@b:1"),
    ),
    "controller.quorum.bootstrap.servers": (ABSENT, "", "nohost", "h:x", "h:99999", "h:1,"),
    "controller.listener.names": (
        *(ABSENT, "", "PLAINTEXT", "FOO", "CONTROLLER,FOO", "controller", "SSL"),
    ),
    "listeners": (
        *(ABSENT, "", "CONTROLLER://localhost", "CONTROLLER:localhost:9093", "FOO://localhost:1"),
        *("CONTROLLER://a:1,CONTROLLER://b:2", "PLAINTEXT://a:1,CONTROLLER://b:1"),
        *("PLAINTEXT://127.0.0.1:1,CONTROLLER://[::1]:1", "PLAINTEXT://a:0,CONTROLLER://b:0"),
        *("PLAINTEXT://0.0.0.0:9092", "CONTROLLER://:9093", "SSL://a:1,CONTROLLER://b:2"),
        *("INSIDE://a:1,OUTSIDE://b:2", "controller://a:1", "CONTROLLER://a:1,"),
    ),
    "advertised.listeners": (
        *("PLAINTEXT://0.0.0.0:9092", "FOO://h:9092", "CONTROLLER://h:9092", ""),
        *("PLAINTEXT://h:1,PLAINTEXT://h:2", "PLAINTEXT://h:1,SSL://h:1", "CONTROLLER://0.0.0.0:1"),
    ),
    "listener.security.protocol.map": (
        *("PLAINTEXT:FOO", "PLAINTEXT", "PLAINTEXT:PLAINTEXT", "a:b:c", "CONTROLLER:plaintext"),
        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    ),
    "inter.broker.listener.name": ("FOO", "CONTROLLER", "PLAINTEXT", ""),
    "security.inter.broker.protocol": ("SSL", "FOO"),
    "early.start.listeners": ("FOO", "CONTROLLER"),
    "controller.quorum.auto.join.enable": ("true", "yes"),
}
_VALUES: dict[str, tuple[str, ...]] = {
    "broker.session.timeout.ms": ("0", "x", "1.5", "", " 9000 ", "2147483648"),
    "broker.heartbeat.interval.ms": ("-1", "10000"),
    "initial.broker.registration.timeout.ms": ("-1",),
    "num.partitions": ("0", "x"),
    "default.replication.factor": ("0",),
    "min.insync.replicas": ("0",),
    "unclean.leader.election.enable": ("yes", "TRUE", ""),
    "auto.leader.rebalance.enable": ("1",),
    "leader.imbalance.check.interval.seconds": ("0",),
    "metadata.max.idle.interval.ms": ("-1",),
    "metadata.log.max.record.bytes.between.snapshots": ("0",),
    "controller.quorum.fetch.timeout.ms": ("-1",),
    "controller.quorum.election.timeout.ms": ("-1", "9223372036854775808"),
    "controller.quorum.fetch.max.bytes": ("0",),
    "log.dirs": ("", ",", "/a,,/b", "/a,/a"),
    "log.dir": ("",),
    "log.retention.ms": ("0", "-2", "x"),
    "log.retention.hours": ("0",),
    "log.roll.ms": ("0",),
    "log.roll.jitter.ms": ("-1",),
    "log.cleaner.dedupe.buffer.size": ("1",),
    "log.cleaner.min.cleanable.ratio": ("2", "-0.5"),
    "log.cleanup.policy": ("foo", "", ","),
    "compression.type": ("foo",),
    "compression.gzip.level": ("10", "0"),
    "replica.fetch.wait.max.ms": ("40000",),
    "replica.lag.time.max.ms": ("1",),
    "queued.max.request.bytes": ("1",),
    "max.connections.per.ip": ("0",),
    "connections.max.idle.ms": ("0", "-1"),
    "offsets.topic.replication.factor": ("99999",),
    "group.consumer.migration.policy": ("x", "upgrade"),
    "remote.log.storage.manager.class.name": ("",),
    "remote.log.manager.task.retry.jitter": ("0.6",),
    "sasl.oauthbearer.assertion.algorithm": ("x",),
    "no.such.name": ("1",),
}
_SEVERAL: tuple[tuple[str, Pairs], ...] = (
    ("broker", {"node.id": "x", "process.roles": "y", "num.partitions": "0"}),
    ("broker", {"listeners": "FOO://a:1", "broker.id": "7"}),
    ("broker", {"broker.id": "7", "log.roll.ms": "0"}),
    ("broker", {"controller.quorum.bootstrap.servers": "h:1,", "log.roll.ms": "0"}),
    ("broker", {"log.retention.ms": "0", "controller.listener.names": "PLAINTEXT"}),
    ("broker", {"listener.security.protocol.map": "a:b:c", "controller.quorum.voters": "4@a:x"}),
    ("broker", {"inter.broker.listener.name": "A", "security.inter.broker.protocol": "PLAINTEXT"}),
    ("both", {"inter.broker.listener.name": "A", "advertised.listeners": "CONTROLLER://h:1"}),
    ("both", {"process.roles": "broker", "controller.quorum.auto.join.enable": "true"}),
    ("controller", {"process.roles": "broker", "inter.broker.listener.name": "A"}),
    ("controller", {"early.start.listeners": "FOO", "max.connections.per.ip": "0"}),
    ("controller", {"connections.max.idle.ms": "0", "inter.broker.listener.name": "CONTROLLER"}),
    (
        "broker",
        {
            "listeners": "INSIDE://a:1,OUTSIDE://b:2",
            "listener.security.protocol.map": (
                "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT"
            ),
        },
    ),
    (
        "broker",
        {
            "listeners": "INSIDE://a:1,OUTSIDE://0.0.0.0:2",
            "advertised.listeners": "INSIDE://a:1,OUTSIDE://b:2",
            "inter.broker.listener.name": "INSIDE",
            "listener.security.protocol.map": (
                "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT"
            ),
        },
    ),
)
_SYNTAX = (
    "a=1\nb = 2 \n  c=3",
    "a:1\nb 2\nc\t=\t3\nd : 4\n=1",
    "# no\n! no\na=1,\\\n   2\\\n#3\nb=\\\\\\\nc",
    "a\\=b\\:c=d\\=e\\u00fc\\t\\q\r\nf=\rg=1\\",
    "ü=ä\na=\\ud83d\\ude00\n",  # the file is in UTF-8, and Java reads it as ISO 8859-1
)


def cases() -> dict[str, str]:
    """Returns the text of every property file by a name that says what was changed."""
    changes = [
        (node, {key: value})
        for nodes, table in ((NODES, _SHARED), (("controller",), _VALUES))
        for node in nodes
        for key, values in table.items()
        for value in values
    ]
    texts = {_name(node, change): text_of(node, change) for node, change in (*changes, *_SEVERAL)}
    return texts | {node: text_of(node, {}) for node in NODES} | {text: text for text in _SYNTAX}


def text_of(node: str, change: Pairs) -> str:
    """Returns the property file of a node with changed pairs."""
    pairs = {**NODES[node], **change}
    return "".join(f"{key}={value}\n" for key, value in pairs.items() if value != ABSENT)


def _name(node: str, change: Pairs) -> str:
    return f"{node}: " + " ".join(f"{key}={value}" for key, value in change.items())
