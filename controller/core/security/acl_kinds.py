"""Kafka's numbers and names of what an access control entry is made of.

A number that a release does not know is UNKNOWN.
"""

from collections.abc import Mapping

from ..profile import Profile

UNKNOWN, ANY = 0, 1
MATCH, LITERAL, PREFIXED = 2, 3, 4
CLUSTER = 4
DENY, ALLOW = 2, 3
CLUSTER_NAME = "kafka-cluster"
WILDCARD = "*"
"""The literal resource name that stands for every resource of its type."""


def _numbered(*names: str) -> Mapping[int, str]:
    return dict(enumerate(names))


RESOURCE_TYPES = _numbered(
    "UNKNOWN", "ANY", "TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER"
)
PATTERN_TYPES = _numbered("UNKNOWN", "ANY", "MATCH", "LITERAL", "PREFIXED")
OPERATIONS = _numbered(
    *("UNKNOWN", "ANY", "ALL", "READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE"),
    *("CLUSTER_ACTION", "DESCRIBE_CONFIGS", "ALTER_CONFIGS", "IDEMPOTENT_WRITE"),
    *("CREATE_TOKENS", "DESCRIBE_TOKENS", "TWO_PHASE_COMMIT"),
)
PERMISSION_TYPES = _numbered("UNKNOWN", "ANY", "DENY", "ALLOW")


def operations(profile: Profile) -> Mapping[int, str]:
    """Returns the operations that a release knows."""
    return {
        number: name for number, name in OPERATIONS.items() if number <= profile.acl_operations_max
    }


def is_known(names: Mapping[int, str], number: int) -> bool:
    """Returns True unless the number is UNKNOWN."""
    return number in names and number != UNKNOWN
