"""The order in which a java.util.HashMap of strings is walked.

Kafka answers in this order where it keeps names in a HashMap or HashSet: which of several wrong
features or configurations it names first (rules 4.52, 5.55).
"""

from collections.abc import Iterable

_CAPACITY_MIN = 16
_LOAD_MAX = 0.75


def in_hash_order(names: Iterable[str]) -> list[str]:
    """Return the distinct `names` as a HashMap that they were put into gives them back."""
    distinct = list(dict.fromkeys(names))
    capacity = _CAPACITY_MIN
    while len(distinct) > capacity * _LOAD_MAX:
        capacity *= 2
    return sorted(distinct, key=lambda name: _spread(_hash_code(name)) & (capacity - 1))


def _hash_code(name: str) -> int:
    """String.hashCode: over UTF-16 code units, modulo 2**32."""
    units = name.encode("utf-16-be", "surrogatepass")
    code = 0
    for place in range(0, len(units), 2):
        code = (31 * code + int.from_bytes(units[place : place + 2])) & 0xFFFFFFFF
    return code


def _spread(code: int) -> int:
    """HashMap.hash: the upper half takes part in choosing the bucket."""
    return code ^ code >> 16
