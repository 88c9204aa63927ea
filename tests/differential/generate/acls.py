"""Access control entries that are created, deleted and described, some of which Kafka refuses."""

from typing import Any

from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask, Step

_TOPIC, _GROUP, _CLUSTER = 2, 3, 4
_TYPES = (_TOPIC, _TOPIC, _TOPIC, _GROUP, _CLUSTER, 5, 6, 7)
_ANY, _MATCH, _LITERAL, _PREFIXED = 1, 2, 3, 4
_NAMES = ("t", "t1", "t12", "u", "*", "kafka-cluster")
_PRINCIPALS = ("User:alice", "User:bob", "User:*", "Group:g:1", ":")
_REFUSED_PRINCIPALS = ("", "alice", " ")
_HOSTS = ("*", "10.0.0.1", "h", "", "10.0.0.0/8", "10.0.0.1/32", "2001:db8::/128")
_REFUSED_HOSTS = ("10.0.0.1/33", "10.0.0.256/8", "10.0.0/8", "a/b", "2001:db8::/129", "::/", ":/8")
_OPERATIONS = range(2, 16)
_DENY, _ALLOW = 2, 3
_ODD = (0, 1, 1, 1, -1, 99)
"""UNKNOWN, which ends the connection, and ANY."""


def create(draft: Draft) -> Ask:
    # None at all makes a released controller resign.
    count = 1 if draft.chance(0.5) else draft.random.randint(1, 5)
    creations = [_creation(draft) for _ in range(count)]
    creations += creations[:1] if draft.chance(0.1) else []
    draft.has_acls = True
    return Ask("CreateAcls", draft.random.randint(1, 3), {"creations": creations})


def _creation(draft: Draft) -> dict[str, Any]:
    kind = draft.one_of(*_TYPES)
    name = "kafka-cluster" if kind == _CLUSTER else draft.one_of(*_NAMES)
    principals = _REFUSED_PRINCIPALS if draft.chance(0.04) else _PRINCIPALS
    return {
        "resourceType": _or_odd(draft, kind),
        "resourceName": draft.one_of("", *_NAMES) if draft.chance(0.08) else name,
        "resourcePatternType": _or_odd(draft, draft.one_of(_LITERAL, _LITERAL, _PREFIXED), _MATCH),
        "principal": draft.one_of(*principals),
        "host": draft.one_of(*(_REFUSED_HOSTS if draft.chance(0.05) else _HOSTS)),
        "operation": _or_odd(draft, draft.one_of(*_OPERATIONS)),
        "permissionType": _or_odd(draft, draft.one_of(_ALLOW, _DENY)),
    }


def _or_odd(draft: Draft, usual: int, *odd: int) -> int:
    number: int = draft.one_of(*_ODD, *odd) if draft.chance(0.015) else usual
    return number


def delete(draft: Draft) -> Ask:
    count = 1 if draft.chance(0.7) else draft.random.randint(0, 3)
    filters = [_filter(draft) for _ in range(count)]
    return Ask("DeleteAcls", draft.random.randint(1, 3), {"filters": filters})


def describe(draft: Draft) -> Ask:
    return Ask("DescribeAcls", draft.random.randint(1, 3), _filter(draft))


def _filter(draft: Draft) -> dict[str, Any]:
    """Each part selects everything or something; a few contain UNKNOWN."""
    pattern_type = draft.one_of(_ANY, _MATCH, _LITERAL, _PREFIXED)
    is_unknown = draft.chance(0.02)
    return {
        "resourceTypeFilter": draft.one_of(0, -1, 8) if is_unknown else draft.one_of(_ANY, *_TYPES),
        "resourceNameFilter": draft.one_of(None, *_NAMES, "t123", ""),
        "patternTypeFilter": 0 if draft.chance(0.01) else pattern_type,
        "principalFilter": draft.one_of(None, None, None, *_PRINCIPALS),
        "hostFilter": draft.one_of(None, None, None, *_HOSTS),
        "operation": draft.one_of(_ANY, _ANY, 2, 3, 16 if draft.chance(0.03) else 4),
        "permissionType": draft.one_of(_ANY, _ANY, _ALLOW, _DENY),
    }


def restore(draft: Draft) -> list[Step]:
    """Delete every entry: they outlive a sequence."""
    return [Ask("DeleteAcls", 3, {"filters": [_EVERYTHING]})] if draft.has_acls else []


_EVERYTHING = {
    "resourceTypeFilter": _ANY,
    "resourceNameFilter": None,
    "patternTypeFilter": _ANY,
    "principalFilter": None,
    "hostFilter": None,
    "operation": _ANY,
    "permissionType": _ANY,
}
