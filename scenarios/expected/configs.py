"""Changes of configurations (rules 4.54 and 4.61a, ConfigurationControlManager).

The tables have values that every release accepts, and values that every release refuses.
"""

from collections.abc import Iterator

from kraftsim.controller.core import rpc

from ..oracles.breach_words import words
from ..oracles.log_configs import MIN_ISR
from ..oracles.shadow import Fact, Key
from .ask import Ask, Done, Draw, exactly, refused
from .brokers import STRANGER, UNSUPPORTED_VERSION
from .partition import Changes
from .view import View

UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION, INVALID_CONFIG = 3, 17, 40
INVALID_REQUEST, UNKNOWN_SERVER_ERROR, BROKER_ID_NOT_REGISTERED = 42, -1, 102
UNKNOWN, TOPIC, BROKER, LOGGER, METRICS, GROUP = 7, 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3
CLEANUP, THROTTLED = "cleanup.policy", "leader.replication.throttled.replicas"
LISTS = {CLEANUP: ("delete", ("compact", "delete")), THROTTLED: ("", ("0:1", "1:2", "0:2"))}
"""Lists of topics: the default, and elements."""
OF_TOPICS = (
    ("retention.ms", "86400000"),
    ("retention.bytes", "-1"),
    (CLEANUP, "compact"),
    (MIN_ISR, "1"),
    ("segment.bytes", "1048576"),
    ("min.cleanable.dirty.ratio", "0.25"),
    ("preallocate", "TRUE"),
    ("unclean.leader.election.enable", "false"),
    (MIN_ISR, "2"),
    ("compression.type", "zstd"),
    ("compression.gzip.level", "9"),
    ("compression.zstd.level", "-131072"),
    ("message.timestamp.type", "LogAppendTime"),
    (THROTTLED, "*"),
    ("segment.ms", "1"),
)
NOT_OF_TOPICS = (
    ("no.such.config", "1"),
    ("retention.ms", "x"),
    ("retention.ms", "9223372036854775808"),
    ("retention.ms", "-2"),
    ("max.message.bytes", "2147483648"),
    ("segment.bytes", "13"),
    ("segment.ms", "0"),
    ("index.interval.bytes", "-1"),
    (MIN_ISR, "0"),
    ("min.cleanable.dirty.ratio", "1.5"),
    ("min.cleanable.dirty.ratio", "-0.5"),
    ("preallocate", "yes"),
    (CLEANUP, "truncate"),
    ("compression.type", "rar"),
    ("compression.gzip.level", "0"),
    ("compression.gzip.level", "10"),
    ("compression.lz4.level", "18"),
    ("compression.zstd.level", "23"),
    ("message.timestamp.type", "Now"),
    (THROTTLED, "1"),
    ("remote.storage.enable", "true"),
)
OF_GROUPS = (
    ("consumer.session.timeout.ms", "60000"),
    ("consumer.heartbeat.interval.ms", "5000"),
    ("share.auto.offset.reset", "earliest"),
    ("share.isolation.level", "read_committed"),
)
NOT_OF_GROUPS = (
    ("retention.ms", "1"),
    ("consumer.session.timeout.ms", "44999"),
    ("consumer.session.timeout.ms", "60001"),
    ("consumer.heartbeat.interval.ms", "4999"),
    ("share.auto.offset.reset", "never"),
    ("share.isolation.level", "none"),
)
OF_METRICS = (
    ("interval.ms", "100"),
    ("interval.ms", "3600000"),
    ("metrics", "org.apache.kafka.producer.,org.apache.kafka.consumer."),
    ("match", "client_id=a.*,client_source_port=9092"),
)
NOT_OF_METRICS = (
    ("retention.ms", "1", INVALID_REQUEST),
    ("interval.ms", "99", INVALID_REQUEST),
    ("interval.ms", "3600001", INVALID_REQUEST),
    ("match", "client_id", INVALID_CONFIG),
    ("match", "nobody=1", INVALID_CONFIG),
    ("match", "client_id=(", INVALID_CONFIG),
)

Op = tuple[str, str | None, int]
"""The name of a configuration, its value and the operation."""
Request = rpc.IncrementalAlterConfigsRequest


def _alter(kind: int, name: str, *ops: Op, validate_only: bool = False) -> Request:
    return rpc.IncrementalAlterConfigsRequest(
        resources=(_resource(kind, name, *ops),), validate_only=validate_only
    )


def _resource(kind: int, name: str, *ops: Op) -> rpc.IncrementalAlterConfigsResource:
    configs = tuple(
        rpc.AlterableConfig(name=key, config_operation=operation, value=value)
        for key, value, operation in ops
    )
    return rpc.IncrementalAlterConfigsResource(
        resource_type=kind, resource_name=name, configs=configs
    )


def _topic(view: View, turn: int) -> str | None:
    known = view.topics
    return str(known[turn % len(known)][1]["name"]) if known else None


def _fact(view: View, kind: int, name: str) -> Fact:
    return view.shadow.facts.get(("Config", kind, name), {})


def _changes(view: View, kind: int, name: str, after: Fact) -> Changes:
    """Returns the facts that change once a resource has the configurations `after`.

    A changed min ISR clears the ELRs of the topic (rule 4.23).
    """
    key: Key = "Config", kind, name
    before = _fact(view, kind, name)
    changes: Changes = {} if after == before else {key: after or None}
    if kind == TOPIC and view.has_elr and after.get(MIN_ISR) != before.get(MIN_ISR):
        changes |= dict(_cleared(view, name))
    return changes


def _cleared(view: View, topic: str | None) -> Iterator[tuple[Key, Fact]]:
    for key, fact in view.partitions:
        is_concerned = topic is None or view.topic_of(key) == topic
        if is_concerned and (fact["eligible_leader_replicas"] or fact["last_known_elr"]):
            empty = {"eligible_leader_replicas": (), "last_known_elr": ()}
            yield key, {**fact, **empty, "partition_epoch": fact["partition_epoch"] + 1}


def _set(view: View, turn: int) -> Ask | None:
    """One configuration of a topic is set, or removed if the topic has it."""
    name = _topic(view, turn // len(OF_TOPICS))
    if name is None:
        return None
    key, value = OF_TOPICS[turn % len(OF_TOPICS)]
    before = _fact(view, TOPIC, name)
    is_removed = turn % 2 == 1 and key in before
    after = {k: v for k, v in before.items() if k != key} if is_removed else before | {key: value}
    validates = turn % 7 == 6
    op = (key, None, DELETE) if is_removed else (key, value, SET)
    changes = {} if validates else _changes(view, TOPIC, name, after)
    request = _alter(TOPIC, name, op, validate_only=validates)
    return Ask(f"{key} of a topic", request, changes=None, flaw=exactly(changes))


def _set_wrongly(view: View, turn: int) -> Ask | None:
    name = _topic(view, turn // len(NOT_OF_TOPICS))
    if name is None:
        return None
    key, value = NOT_OF_TOPICS[turn % len(NOT_OF_TOPICS)]
    what = f"{key} of a topic that is {value!r}"
    return refused(what, _alter(TOPIC, name, (key, value, SET)), INVALID_CONFIG)


def _delete_absent(view: View, turn: int) -> Ask | None:
    name = _topic(view, turn)
    own = _fact(view, TOPIC, name or "")
    key = next((key for key, _ in OF_TOPICS if key not in own), None)
    if name is None or key is None:
        return None
    return Ask("to remove what is not set", _alter(TOPIC, name, (key, None, DELETE)))


def _change_list(view: View, turn: int) -> Ask | None:
    """Appends an element to a list, or subtracts it, whether or not the list has it."""
    name = _topic(view, turn // 2)
    if name is None:
        return None
    key = (CLEANUP, THROTTLED)[turn % 2]
    default, elements = LISTS[key]
    before = _fact(view, TOPIC, name)
    parts = [part for part in str(before.get(key, default)).split(",") if part]
    element = elements[turn // 2 % len(elements)]
    operation = SUBTRACT if turn % 3 else APPEND
    if "*" in parts or (operation == SUBTRACT and parts == [element]):
        return None  # a list that would become empty is not judged
    if operation == SUBTRACT:
        if element in parts:
            parts.remove(element)  # the first only, as List.remove
    elif element not in parts:
        parts.append(element)
    after = before | {key: ",".join(parts)}
    request = _alter(TOPIC, name, (key, element, operation))
    changes = _changes(view, TOPIC, name, after)
    return Ask(f"an element of {key}", request, changes=None, flaw=exactly(changes))


def _replace(view: View, turn: int) -> Ask | None:
    """AlterConfigs: a topic has the configurations of the request, and no others."""
    name = _topic(view, turn // len(OF_TOPICS))
    if name is None:
        return None
    key, value = OF_TOPICS[turn % len(OF_TOPICS)]
    configs = (rpc.LegacyConfig(name=key, value=value),) if turn % 4 else ()
    after: Fact = {config.name: config.value for config in configs}
    resource = rpc.AlterConfigsResource(resource_type=TOPIC, resource_name=name, configs=configs)
    changes = _changes(view, TOPIC, name, after)
    request = rpc.AlterConfigsRequest(resources=(resource,))
    return Ask("all configurations of a topic", request, changes=None, flaw=exactly(changes))


def _of_a_wrong_resource(view: View, turn: int) -> Ask:
    value = ("retention.ms", "1", SET)
    wrong: tuple[tuple[str, int, str, Op, int], ...] = (
        ("an unknown topic", TOPIC, "nobody", value, UNKNOWN_TOPIC_OR_PARTITION),
        ("a topic without a name", TOPIC, "", value, INVALID_REQUEST),
        ("a topic with a slash", TOPIC, "a/b", value, INVALID_TOPIC_EXCEPTION),
        ("a broker with letters", BROKER, "one", value, INVALID_REQUEST),
        ("broker -1", BROKER, "-1", value, INVALID_REQUEST),
        ("an unknown broker", BROKER, str(STRANGER), value, BROKER_ID_NOT_REGISTERED),
        ("an unknown type", UNKNOWN, "one", value, UNSUPPORTED_VERSION),
        ("metrics without a name", METRICS, "", ("interval.ms", "100", SET), INVALID_REQUEST),
        ("a logger of letters", LOGGER, "one", value, INVALID_REQUEST),
        ("loggers of another node", LOGGER, str(STRANGER), value, INVALID_REQUEST),
        ("an unknown logger", LOGGER, str(view.node_id), ("a", "INFO", SET), INVALID_CONFIG),
        ("no root logger", LOGGER, str(view.node_id), ("root", None, DELETE), INVALID_REQUEST),
        ("loggers as a list", LOGGER, str(view.node_id), ("a", "b", APPEND), INVALID_REQUEST),
    )
    words, kind, name, op, code = wrong[turn % len(wrong)]
    return refused(f"configurations of {words}", _alter(kind, name, op), code)


def _operate_wrongly(view: View, turn: int) -> Ask | None:
    name = _topic(view, turn)
    if name is None:
        return None
    twice = (_resource(TOPIC, name, ("retention.ms", "1", SET)),) * 2
    least, most = "min.compaction.lag.ms", "max.compaction.lag.ms"
    wrong: tuple[tuple[str, Request, int], ...] = (
        ("to append to a number", _alter(TOPIC, name, (MIN_ISR, "1", APPEND)), INVALID_CONFIG),
        ("to take from a number", _alter(TOPIC, name, (MIN_ISR, "1", SUBTRACT)), INVALID_CONFIG),
        ("an unknown operation", _alter(TOPIC, name, (MIN_ISR, "1", 4)), UNKNOWN_SERVER_ERROR),
        ("to append nothing", _alter(TOPIC, name, (CLEANUP, None, APPEND)), UNKNOWN_SERVER_ERROR),
        ("a topic twice", Request(resources=twice), INVALID_REQUEST),
        (
            "values that contradict each other",
            _alter(TOPIC, name, (least, "2", SET), (most, "1", SET)),
            INVALID_CONFIG,
        ),
    )
    words, request, code = wrong[turn % len(wrong)]
    return refused(words, request, code)


def _alter_two(view: View, turn: int) -> Ask | None:
    """Each resource of a request succeeds or fails by itself."""
    name = _topic(view, turn)
    if name is None:
        return None
    value = ("retention.ms", str(turn), SET)
    good, bad = _resource(TOPIC, name, value), _resource(TOPIC, "nobody", value)
    request = Request(resources=(good, bad) if turn % 2 else (bad, good))
    after = _fact(view, TOPIC, name) | {"retention.ms": str(turn)}
    expected = _changes(view, TOPIC, name, after)
    results = [(name, 0), ("nobody", UNKNOWN_TOPIC_OR_PARTITION)]

    def flaw(done: Done) -> str | None:
        told = done.reply.responses  # type: ignore[attr-defined]  # of IncrementalAlterConfigs
        got = sorted((result.resource_name, int(result.error_code)) for result in told)
        if got != sorted(results):
            return f"the reply has {words(got)}, expected {words(results)}"
        return exactly(expected)(done)

    codes = frozenset(code for _, code in results)
    return Ask("two topics, one unknown", request, codes, None, flaw)


def _alter_nodes(view: View, turn: int) -> Ask | None:
    """Configurations of one broker or of all brokers, whose values the controller hardly checks."""
    known = [str(broker["broker_id"]) for broker in view.brokers]
    name = ["", *known][turn % (len(known) + 1)]
    key, value = (("log.cleaner.threads", "2"), (MIN_ISR, "1"), ("no.such.config", "1"))[turn % 3]
    request = _alter(BROKER, name, (key, value, SET))
    if name and key == MIN_ISR and view.has_elr:
        return refused("the min ISR of one broker, with ELR", request, INVALID_CONFIG)
    after = _fact(view, BROKER, name) | {key: value}
    changes = _changes(view, BROKER, name, after)
    if key == MIN_ISR and view.has_elr:  # also with the value that it has already (KAFKA-14136)
        changes |= dict(_cleared(view, None))
    return Ask(f"{key} of brokers", request, changes=None, flaw=exactly(changes))


def _keep_min_isr(view: View, turn: int) -> Ask | None:
    """With ELR, the cluster keeps its min ISR (rule 4.61a)."""
    if not view.has_elr:
        return None
    request = _alter(BROKER, "", (MIN_ISR, None, DELETE))
    return refused("to remove the min ISR of all brokers, with ELR", request, INVALID_CONFIG)


def _alter_groups(view: View, turn: int) -> Ask:
    entries = OF_GROUPS + NOT_OF_GROUPS
    key, value = entries[turn % len(entries)]
    name = "" if turn % 11 == 10 else "asked"
    request = _alter(GROUP, name, (key, value, SET))
    if not view.profile.has_group_configs:
        return refused("configurations of a group", request, UNSUPPORTED_VERSION)
    if not name:
        return refused("configurations of a group without a name", request, INVALID_REQUEST)
    if (key, value) in NOT_OF_GROUPS:
        return refused(f"{key} of a group that is {value}", request, INVALID_CONFIG)
    after = _fact(view, GROUP, name) | {key: value}
    changes = _changes(view, GROUP, name, after)
    return Ask(f"{key} of a group", request, changes=None, flaw=exactly(changes))


def _alter_metrics(view: View, turn: int) -> Ask:
    key, value = OF_METRICS[turn % len(OF_METRICS)]
    after = _fact(view, METRICS, "asked") | {key: value}
    request = _alter(METRICS, "asked", (key, value, SET))
    changes = _changes(view, METRICS, "asked", after)
    return Ask(f"{key} of client metrics", request, changes=None, flaw=exactly(changes))


def _alter_metrics_wrongly(view: View, turn: int) -> Ask:
    key, value, code = NOT_OF_METRICS[turn % len(NOT_OF_METRICS)]
    request = _alter(METRICS, "asked", (key, value, SET))
    return refused(f"{key} of client metrics that is {value}", request, code)


DRAWS: tuple[Draw, ...] = (
    _set,
    _set_wrongly,
    _delete_absent,
    _change_list,
    _replace,
    _of_a_wrong_resource,
    _operate_wrongly,
    _alter_two,
    _alter_nodes,
    _keep_min_isr,
    _alter_groups,
    _alter_metrics,
    _alter_metrics_wrongly,
)
