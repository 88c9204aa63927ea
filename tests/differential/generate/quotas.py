"""Changes of client quotas: of users, clients and IP addresses, some of which Kafka refuses."""

import math
from typing import Any

from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask, Step

_NAMES: dict[str, tuple[str | None, ...]] = {
    "user": ("alice", "bob", None),
    "client-id": ("app", None),
    "ip": ("10.0.0.1", "1.2", "::1", "localhost", None),
}
_REFUSED_NAMES: dict[str, tuple[str | None, ...]] = {
    "user": ("",),
    "client-id": ("",),
    "ip": ("", "1.2.3.256", "1.2.3.4.5", "no.such.host.invalid", "4294967296", ":::"),
    "group": ("g",),
    "": ("x", None),
}
_COMBINATIONS = (("user",), ("user",), ("client-id",), ("user", "client-id"), ("ip",))
_REFUSED_COMBINATIONS = ((), ("user", "ip"), ("ip", "client-id"), ("group",), ("user", "user"))
_KEYS = (
    "producer_byte_rate",
    "consumer_byte_rate",
    "request_percentage",
    "controller_mutation_rate",
)
_IP_KEY = "connection_creation_rate"
# High, lest a released controller throttles those who ask: the default entities include them.
_VALUES = (1e6, 2e6, 1e9, 2147483647.0)
_ODD_VALUES = (
    *(0.0, -1.0, 1e6 + 0.5, 1e6 + 1e-7, 1e6 + 1e-5, 2147483648.0, 1e19, 9.3e18, 1e300),
    *(math.nan, math.inf, -math.inf),
)


def alter(draft: Draft) -> Ask:
    count = 1 if draft.chance(0.75) else draft.random.randint(0, 3)
    entries = [_entry(draft) for _ in range(count)]
    entries += entries[:1] if draft.chance(0.04) else []
    body = {"entries": entries, "validateOnly": draft.chance(0.1)}
    return Ask("AlterClientQuotas", draft.random.randint(0, 1), body)


def _entry(draft: Draft) -> dict[str, Any]:
    is_refused = draft.chance(0.08)
    kinds = draft.one_of(*(_REFUSED_COMBINATIONS if is_refused else _COMBINATIONS))
    kinds = draft.random.sample(kinds, len(kinds))
    entity = [{"entityType": kind, "entityName": _name(draft, kind)} for kind in kinds]
    if len(set(kinds)) == len(kinds) and kinds:
        draft.limited.add(
            tuple(sorted((part["entityType"], part["entityName"]) for part in entity))
        )
    return {"entity": entity, "ops": _operations(draft, "ip" in kinds)}


def _name(draft: Draft, kind: str) -> str | None:
    is_refused = kind not in _NAMES or draft.chance(0.05)
    name: str | None = draft.one_of(*(_REFUSED_NAMES if is_refused else _NAMES)[kind])
    return name


def _operations(draft: Draft, is_ip: bool) -> list[dict[str, Any]]:
    keys = [_IP_KEY] if is_ip else draft.random.sample(_KEYS, 1 if draft.chance(0.5) else 3)
    keys += [draft.one_of(_IP_KEY, *_KEYS, "no.such.quota", "")] if draft.chance(0.06) else []
    keys += keys[:1] if draft.chance(0.03) else []
    return [
        {"key": key, "value": _value(draft), "remove": draft.chance(0.3)}
        for key in draft.random.sample(keys, len(keys))
    ]


def _value(draft: Draft) -> float:
    value: float = draft.one_of(*(_ODD_VALUES if draft.chance(0.12) else _VALUES))
    return value


def restore(draft: Draft) -> list[Step]:
    """Remove the quotas of every entity that may have any: quotas outlive a sequence."""
    return [
        Ask("AlterClientQuotas", 1, {"entries": [_removed(entity)], "validateOnly": False})
        for entity in sorted(draft.limited, key=str)
    ]


def _removed(entity: tuple[tuple[str, str | None], ...]) -> dict[str, Any]:
    parts = [{"entityType": kind, "entityName": name} for kind, name in entity]
    keys = (_IP_KEY,) if "ip" in dict(entity) else _KEYS
    return {
        "entity": parts,
        "ops": [{"key": key, "value": 0.0, "remove": True} for key in keys],
    }
