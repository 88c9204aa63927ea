"""Changes and descriptions of configurations, of every kind of resource."""

from collections.abc import Iterator
from typing import Any

from tests.differential.generate.draft import Draft
from tests.differential.generate.topic_configs import TOPIC_VALUES
from tests.differential.sequence import Ask, Step
from tests.released.controller import NODE_ID

_TOPIC, _BROKER, _LOGGER, _METRICS, _GROUP = 2, 4, 8, 16, 32
_SET, _DELETE, _APPEND, _SUBTRACT = range(4)
MIN_ISR = "min.insync.replicas"
_BROKER_VALUES: dict[str, tuple[str, ...]] = {
    "min.insync.replicas": ("1", "2", "3", "0"),
    "unclean.leader.election.enable": ("true", "false"),
    "log.retention.ms": ("1000", "x", " 7"),
    "log.cleanup.policy": ("compact", "delete", "delete,compact"),
    "cordoned.log.dirs": ("", " ", "*", "/a", "/a,/b"),
    "num.io.threads": ("4", "9", "x"),
    "compression.type": ("gzip", "zstd"),
    "log.retention.hours": ("5",),
    "ssl.keystore.password": ("secret",),
    "sasl.jaas.config": ("secret",),
    "listener.name.controller.ssl.key.password": ("secret",),
    "node.id": ("7",),
    "no.such.config": ("1", ""),
    "max.connections.per.ip.overrides": ("h:5",),
    "listeners": ("CONTROLLER://:1",),
}
_GROUP_VALUES: dict[str, tuple[str, ...]] = {
    "consumer.session.timeout.ms": ("45000", "60000", "60001", "44999", "x"),
    "consumer.heartbeat.interval.ms": ("5000", "15000", "15001", "1", "0"),
    "share.session.timeout.ms": ("45000", "60001", "-1"),
    "share.heartbeat.interval.ms": ("5000", "4999"),
    "share.record.lock.duration.ms": ("15000", "60000", "60001", "999"),
    "share.auto.offset.reset": ("latest", "earliest", "by_duration:PT1H", "by_duration:1", "x"),
    "share.isolation.level": ("read_committed", "READ_COMMITTED"),
    "share.delivery.count.limit": ("2", "10", "11", "1"),
    "share.partition.max.record.locks": ("100", "99", "4000", "4001"),
    "streams.session.timeout.ms": ("50000", "60001"),
    "streams.num.standby.replicas": ("0", "2", "3", "-1"),
    "streams.initial.rebalance.delay.ms": ("0", "-1", "99999"),
    "consumer.assignment.interval.ms": ("0", "15000", "15001"),
    "errors.deadletterqueue.topic.name": ("dlq", "_dlq", "__dlq", " __dlq", ""),
    "errors.deadletterqueue.copy.record.enable": ("true", "x"),
    "streams.assignor.name": ("sticky", "nope", ""),
    "streams.rack.aware.assignment.tags": ("a,b", "a,a", "a , a", "a,,b", ",", ""),
    "streams.num.warmup.replicas": ("20", "21"),
    "streams.task.offset.interval.ms": ("15000", "14999"),
    "streams.acceptable.recovery.lag": ("0", "-1"),
    "consumer.assignor.offload.enable": ("false", "x"),
    "no.such.config": ("1",),
}
_METRICS_VALUES: dict[str, tuple[str, ...]] = {
    "metrics": ("a,b", "", "*"),
    "interval.ms": ("100", "99", "3600000", "3600001", "x", " 200"),
    "match": (
        "client_id=a",
        "client_id",
        "x=a",
        "client_id=[a",
        "client_source_port=1,client_id=a",
    ),
    "no.such.config": ("1",),
}
_VALUES = {
    _TOPIC: TOPIC_VALUES,
    _BROKER: _BROKER_VALUES,
    _LOGGER: {"no.such.logger": ("INFO",)},
    _METRICS: _METRICS_VALUES,
    _GROUP: _GROUP_VALUES,
}


def alter(draft: Draft) -> Ask:
    resources = [
        {"resourceType": kind, "resourceName": name, "configs": _operations(draft, kind)}
        for kind, name in _resources(draft)
    ]
    body = {"resources": resources, "validateOnly": draft.chance(0.12)}
    return Ask("IncrementalAlterConfigs", draft.random.randint(0, 1), body)


def alter_group(draft: Draft) -> Ask:
    """Several configurations of a group, so that the order of the checks is seen."""
    name = draft.prefix + draft.one_of("a", "b")
    draft.configured.add((_GROUP, name))
    configs = [*_operations(draft, _GROUP), *_operations(draft, _GROUP)]
    found = {config["name"]: config for config in configs}
    resource = {"resourceType": _GROUP, "resourceName": name, "configs": [*found.values()]}
    body = {"resources": [resource], "validateOnly": draft.chance(0.12)}
    return Ask("IncrementalAlterConfigs", draft.random.randint(0, 1), body)


def alter_whole(draft: Draft) -> Ask:
    """A topic's min ISR, which its creation may have set, would be removed."""
    resources = [
        {"resourceType": kind, "resourceName": name, "configs": _settings(draft, kind)}
        for kind, name in _resources(draft)
        if kind != _TOPIC or draft.changes_min_isr
    ]
    body = {"resources": resources, "validateOnly": draft.chance(0.12)}
    return Ask("AlterConfigs", draft.random.randint(0, 2), body)


def describe(draft: Draft) -> Ask:
    resources = []
    for kind, name in _resources(draft):
        keys = sorted(_VALUES.get(kind, {"x": ()}))
        wanted = draft.random.sample(keys, 1) if draft.chance(0.3) else draft.one_of(None, [])
        resources.append({"resourceType": kind, "resourceName": name, "configurationKeys": wanted})
    version = draft.random.randint(1, 4)
    body = {"resources": resources, "includeSynonyms": draft.chance(0.7)}
    wants_texts = all(resource["resourceType"] in _DOCUMENTED for resource in resources)
    documented = {"includeDocumentation": wants_texts and draft.chance(0.3)}
    return Ask("DescribeConfigs", version, body | ({} if version < 3 else documented))


_DOCUMENTED = (_TOPIC, _GROUP, _METRICS)


def describe_with_texts(name: str) -> Ask:
    """Asks for the documentation of every configuration of a broker or controller."""
    resource = {"resourceType": _BROKER, "resourceName": name, "configurationKeys": None}
    body = {"resources": [resource], "includeSynonyms": False, "includeDocumentation": True}
    return Ask("DescribeConfigs", 4, body)


def _resources(draft: Draft) -> list[tuple[int, str]]:
    """Mostly one resource that exists; now and then several, the same twice, or none."""
    count = 1 if draft.chance(0.85) else draft.random.randint(0, 3)
    found = [_resource(draft) for _ in range(count)]
    draft.configured |= {(kind, name) for kind, name in found if kind not in (_TOPIC, _LOGGER)}
    return found * 2 if found and draft.chance(0.03) else found


def _resource(draft: Draft) -> tuple[int, str]:
    kind = draft.random.choices((_TOPIC, _BROKER, _GROUP, _METRICS, _LOGGER, 0), _WEIGHTS)[0]
    if kind == _TOPIC:
        odd = draft.one_of("", "a b", "no.such.topic")
        return kind, odd if draft.chance(0.05) else draft.topic_name()
    if kind == _BROKER:
        ids = (str(draft.broker_id()), str(NODE_ID), "", "", "x", "-1", "+1", "99")
        return kind, draft.random.choices(ids, (8, 4, 5, 5, 1, 1, 1, 1))[0]
    if kind == _LOGGER:
        return kind, draft.one_of("7", "x", "", str(NODE_ID))
    name = "" if draft.chance(0.05) else draft.prefix + draft.one_of("a", "b")
    return (draft.one_of(0, 3, -1), "x") if kind == 0 else (kind, name)


_LISTS = (".policy", ".replicas", "protocols", "listeners", ".dirs", ".tags", "metrics", "match")
_WEIGHTS = (40, 30, 14, 12, 2, 2)


def _operations(draft: Draft, kind: int) -> list[dict[str, Any]]:
    found = []
    for config in _settings(draft, kind):
        is_list = config["name"].endswith(_LISTS)
        weights = (60, 20, 30, 30) if is_list else (70, 20, 5, 5)
        operation = draft.random.choices(range(4), weights)[0]
        value = config["value"]
        if is_list and operation in (_APPEND, _SUBTRACT):
            value = value or ""  # Kafka's controller resigns if a list gets nothing
        value = None if operation == _DELETE and draft.chance(0.8) else value
        found.append({"name": config["name"], "configOperation": operation, "value": value})
    return found


def _settings(draft: Draft, kind: int) -> list[dict[str, Any]]:
    values = _VALUES.get(kind, {"x": ("1",)})
    count = min(1 if draft.chance(0.7) else draft.random.randint(0, 4), len(values))
    names = draft.random.sample(sorted(values), count)
    names = [name for name in names if name != MIN_ISR or draft.changes_min_isr]
    names += names[:1] if draft.chance(0.03) else []
    return [
        {"name": name, "value": None if draft.chance(0.04) else draft.one_of(*values[name])}
        for name in names
    ]


def restore(draft: Draft) -> list[Step]:
    """Delete the configurations of all resources that outlive a sequence."""
    return [
        Ask("IncrementalAlterConfigs", 1, {"resources": [resource], "validateOnly": False})
        for kind, name in sorted(draft.configured)
        for resource in _restored(draft, kind, name)
    ]


def _restored(draft: Draft, kind: int, name: str) -> Iterator[dict[str, Any]]:
    """The cluster's min ISR cannot be deleted while the ELR is enabled."""
    names = sorted(_VALUES.get(kind, {}).keys() - {MIN_ISR})
    deleted = [{"name": key, "configOperation": _DELETE, "value": None} for key in names]
    yield {"resourceType": kind, "resourceName": name, "configs": deleted}
    if kind == _BROKER and draft.changes_min_isr:
        operation = {"configOperation": _DELETE if name else _SET, "value": None if name else "1"}
        yield {
            "resourceType": kind,
            "resourceName": name,
            "configs": [{"name": MIN_ISR} | operation],
        }
