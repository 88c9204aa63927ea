"""Draws what an administrator does: topics, configurations, features, quotas, credentials, brokers.

Many requests are refused: they name a topic that was deleted, or a broker that is dead. The
refusal must change nothing, which the properties check.
"""

from collections.abc import Callable, Mapping

from kraftsim.controller.core.profile import PROFILES

from .lot import Lot, Words

Draw = Callable[[Lot], Words]

INSTALLED = ("kafka-4.4", "kafka-4.3", "kafka-4.1", "kafka-3.9", "kip-631")
"""The releases that a broker may change to."""

NEW_TOPICS = ("n0", "n.1", "n_1")  # the last two collide: only one of them may exist (rule 4.52)
TOPIC_CONFIGS: Mapping[str, tuple[str | None, ...]] = {
    "min.insync.replicas": ("1", "2", None),
    "unclean.leader.election.enable": ("true", "false", None),
    "retention.ms": ("60000", None),
    "cleanup.policy": ("compact", "compact,delete", "never", None),
}
# Configurations of resources that need not exist.
OTHER_CONFIGS: Mapping[str, tuple[str, tuple[str | None, ...]]] = {
    "group": ("consumer.session.timeout.ms", ("50000", "1", None)),
    "client-metrics": ("interval.ms", ("1000", "1", None)),
}
FEATURES: Mapping[str, tuple[int, ...]] = {
    "eligible.leader.replicas.version": (0, 1),
    "group.version": (0, 1),
    "kraft.version": (0, 1),
    "transaction.version": (0, 2),
}
USERS = ("alice", "bob", "default")
# Quotas of users and clients, and of addresses; the last rate is refused.
RATES: Mapping[str, tuple[float | None, ...]] = {
    "producer_byte_rate": (1e6, 2e6, None),
    "request_percentage": (0.5, 50.0, None),
    "controller_mutation_rate": (1.5, None, 0.0),
}
CONNECTION_RATES = (10.0, 20.0, None, 0.5)
MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512")
PRINCIPALS = ("User:alice", "User:bob", "Group:all")


def _topic(lot: Lot) -> str:
    return lot.one_of((*lot.topics, *NEW_TOPICS))


def _partition(lot: Lot) -> Words:
    return {"name": _topic(lot), "partition": lot.stream.randint(0, 3)}


def _create(lot: Lot) -> Words:
    partitions, replication = lot.stream.randint(1, 8), lot.stream.randint(1, 3)
    return {"name": lot.one_of(NEW_TOPICS), "partitions": partitions, "replication": replication}


def _elect(lot: Lot) -> Words:
    return _partition(lot) | {"election": lot.one_of(("preferred", "unclean"))}


def _reassign(lot: Lot) -> Words:
    return _partition(lot) | {"to": lot.some_of(list(lot.brokers))}


def _config(lot: Lot) -> Words:
    if lot.chance(0.15):
        resource = lot.one_of(list(OTHER_CONFIGS))
        key, values = OTHER_CONFIGS[resource]
        value = lot.one_of(values)
        words: Words = {"resource": resource, "name": f"{resource}-1", "key": key}
        return words if value is None else words | {"value": value}
    return _topic_config(lot)


def _topic_config(lot: Lot) -> Words:
    key = lot.one_of(list(TOPIC_CONFIGS))
    words: Words = {"name": _topic(lot), "key": key}
    if key == "min.insync.replicas" and lot.chance(0.3):
        words |= {"resource": "broker", "name": "default"}
    value = lot.one_of(TOPIC_CONFIGS[key])
    return words if value is None else words | {"value": value}


def _features(lot: Lot) -> Words:
    if lot.are_voters_static and lot.chance(0.3):
        return {"feature": "kraft.version", "level": 1}
    if lot.chance(0.4):
        return {"feature": "metadata.version", "level": lot.stream.randint(14, 33)}
    feature = lot.one_of(list(FEATURES))
    return {"feature": feature, "level": lot.one_of(FEATURES[feature])}


def _quota(lot: Lot) -> Words:
    if lot.chance(0.3):
        words: Words = {"ip": lot.one_of(("127.0.0.1", "::1", "default"))}
        key, rate = "connection_creation_rate", lot.one_of(CONNECTION_RATES)
    else:
        kinds = lot.one_of((("user",), ("client",), ("user", "client")))
        words = {kind: lot.one_of(USERS) for kind in kinds}
        key = lot.one_of(list(RATES))
        rate = lot.one_of(RATES[key])
    words |= {"key": key}
    return words if rate is None else words | {"value": rate}


def _credential(lot: Lot) -> Words:
    words: Words = {"user": lot.one_of(USERS), "mechanism": lot.one_of(MECHANISMS)}
    if lot.chance(0.3):
        return words
    return words | {"password": lot.one_of(("secret", "other")), "iterations": 4_096}


def _entry(lot: Lot) -> Words:
    return {
        "principal": lot.one_of(PRINCIPALS),
        "name": _topic(lot),
        "pattern": lot.one_of(("literal", "prefixed")),
        "operation": lot.one_of(("read", "write", "describe")),
        "permission": lot.one_of(("allow", "deny")),
    }


def _filter(lot: Lot) -> Words:
    """Returns some of the words of an entry; the pattern `match` also selects prefixes."""
    words = {key: value for key, value in _entry(lot).items() if lot.chance(0.4)}
    return words | ({"pattern": "match"} if lot.chance(0.3) else {})


def _add(lot: Lot) -> Words:
    return {"count": 1} | ({"rack": lot.one_of(("a", "b", "c"))} if lot.chance(0.5) else {})


def _install(lot: Lot) -> Words:
    """Returns a release that supports whatever the controllers may finalize."""
    least = PROFILES[lot.release].metadata_version
    newer = [name for name in INSTALLED if PROFILES[name].metadata_version >= least]
    return {"on": lot.one_of(lot.brokers), "release": lot.one_of(newer)}


VERBS: Mapping[str, Draw] = {
    "topic.create": _create,
    "topic.delete": lambda lot: {"name": _topic(lot)},
    "topic.alter": lambda lot: {"name": _topic(lot), "partitions": lot.stream.randint(2, 10)},
    "topic.elect_leaders": _elect,
    "reassignment.start": _reassign,
    "reassignment.cancel": _partition,
    "config.set": _config,
    "features.update": _features,
    "quota.set": _quota,
    "scram.set": _credential,
    "acl.create": _entry,
    "acl.delete": _filter,
    "broker.unregister": lambda lot: {"on": lot.one_of(lot.brokers)},
    "broker.decommission": lambda lot: {"on": lot.one_of(lot.brokers), "force": lot.chance(0.3)},
    "broker.add": _add,
    "broker.install": _install,
    "load.flood": lambda lot: {"every": lot.time(20, 500), "for": lot.time(500, 5_000)},
    "quorum.add": lambda lot: {"on": lot.one_of(lot.controllers), "waits": lot.chance(0.7)},
    "quorum.transfer": lambda lot: {"to": lot.one_of(lot.controllers)},
}
# A request of an administrator is likelier to concern a topic than to remove a broker for good.
WEIGHTS = {
    **{"broker.unregister": 1, "broker.decommission": 2, "broker.install": 1},
    **{"quota.set": 2, "scram.set": 2, "acl.create": 2, "acl.delete": 1},
}
USUAL_WEIGHT = 3
