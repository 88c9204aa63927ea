"""Configurations of topics and nodes as the log has them, read from an independent replay."""

from collections.abc import Iterable

from kraftsim.controller.core.log.records import BROKER_RESOURCE, TOPIC_RESOURCE

from .shadow import Key, Shadow

MIN_ISR = "min.insync.replicas"
UNCLEAN = "unclean.leader.election.enable"
ELR_FEATURE = "eligible.leader.replicas.version"


def has_elr(shadow: Shadow) -> bool:
    """Returns True if eligible leader replicas (KIP-966) are finalized."""
    level = shadow.facts.get(("Features",), {}).get(ELR_FEATURE, 0)
    return bool(level > 0)


def values_of(shadow: Shadow, topic: str, name: str, node_ids: Iterable[int]) -> list[str]:
    """Returns the values that may apply to the topic: its own alone, or those of nodes.

    Kafka takes the value of the active controller's node, then the cluster's default. The nodes
    `node_ids` may have been active, so the values of all of them are returned.
    """
    own = _value(shadow, ("Config", TOPIC_RESOURCE, topic), name)
    if own is not None:
        return [own]
    of_nodes = (
        _value(shadow, ("Config", BROKER_RESOURCE, str(node)), name) for node in (*node_ids, "")
    )
    return [value for value in of_nodes if value is not None]


def _value(shadow: Shadow, key: Key, name: str) -> str | None:
    value = shadow.facts.get(key, {}).get(name)
    return None if value is None else str(value)


def allows_unclean(shadow: Shadow, topic: str, node_ids: Iterable[int], default: bool) -> bool:
    """Returns True if an unclean election is enabled for the topic (rule 4.5)."""
    values = values_of(shadow, topic, UNCLEAN, node_ids)
    return any(value.lower() == "true" for value in values) if values else default


def min_isr(
    shadow: Shadow, topic: str, node_ids: Iterable[int], default: int, replicas: int
) -> int:
    """Returns the number of in-sync replicas that an acknowledgement needs (rule 4.24)."""
    values = values_of(shadow, topic, MIN_ISR, node_ids)
    return min(replicas, *(number(value, default) for value in values) if values else (default,))


def number(value: str, default: int) -> int:
    """Returns the number in a text, or `default`: a controller does not check those of nodes."""
    try:
        return int(value)
    except ValueError:
        return default
