"""The iteration order of Java's hash maps of strings, and of its hash sets of broker ids.

Kafka keeps some names in a HashMap or HashSet; its order decides which of several invalid features
or configurations the reply names first (rules 4.52, 5.55). A HashSet of ids orders the ELR (rule
4.25).
"""

from collections.abc import Iterable
from struct import unpack

_CAPACITY_MIN = 16
_LOAD_MAX = 0.75


def in_hash_order(names: Iterable[str]) -> list[str]:
    """Returns the distinct `names` in the iteration order of a HashMap."""
    return _walked(names, _CAPACITY_MIN)


def in_sized_hash_order(names: Iterable[str], size: int) -> list[str]:
    """Returns the distinct `names` in the iteration order of a HashMap made for `size` entries."""
    capacity = 1
    while capacity < size:
        capacity *= 2
    return _walked(names, capacity)


def in_copied_order(copied: Iterable[str], added: str) -> list[str]:
    """Returns the names of a copied HashMap, after `added` was put into the copy.

    The names are in iteration order. The copy of a map with the names `copied` has the smallest
    capacity that holds them.
    """
    names = [*dict.fromkeys(copied), added]
    capacity = 1
    while capacity < (len(names) - 1) / _LOAD_MAX + 1:
        capacity *= 2
    return _walked(names, capacity)


def ids_in_hash_order(ids: Iterable[int]) -> list[int]:
    """Returns the distinct `ids` in the iteration order of a HashSet<Integer>.

    No id may be negative.
    """
    distinct, capacity = list(dict.fromkeys(ids)), _CAPACITY_MIN
    while len(distinct) > capacity * _LOAD_MAX:
        capacity *= 2
    return sorted(distinct, key=lambda number: _spread(number) & (capacity - 1))


def _walked(names: Iterable[str], capacity: int) -> list[str]:
    distinct = list(dict.fromkeys(names))
    while len(distinct) > capacity * _LOAD_MAX:
        capacity *= 2
    return sorted(distinct, key=lambda name: _spread(_hash_code(name)) & (capacity - 1))


def in_properties_order(names: Iterable[str]) -> list[str]:
    """Returns the distinct `names` in the iteration order of java.util.Properties.

    Properties is a ConcurrentHashMap, which doubles one name earlier than a HashMap.
    """
    buckets: list[list[str]] = [[] for _ in range(_CAPACITY_MIN)]
    for count, name in enumerate(dict.fromkeys(names), start=1):
        buckets[_spread(_hash_code(name)) % len(buckets)].append(name)
        if count >= len(buckets) * _LOAD_MAX:
            halves = [_split(bucket, len(buckets)) for bucket in buckets]
            buckets = [low for low, _ in halves] + [high for _, high in halves]
    return [name for bucket in buckets for name in bucket]


def _split(bucket: list[str], bit: int) -> tuple[list[str], list[str]]:
    """Splits the bucket of a doubled table as Java does.

    The last run keeps its order; the names before it are reversed.
    """
    goes_high = [bool(_spread(_hash_code(name)) & bit) for name in bucket]
    run = len(bucket)
    while run and goes_high[run - 1] == goes_high[-1]:
        run -= 1
    halves: tuple[list[str], list[str]] = ([], [])
    for index in (*reversed(range(run)), *range(run, len(bucket))):
        halves[goes_high[index]].append(bucket[index])
    return halves


def _hash_code(name: str) -> int:
    """String.hashCode: computed over UTF-16 code units, modulo 2**32."""
    units = name.encode("utf-16-be", "surrogatepass")
    code = 0
    for unit in unpack(f">{len(units) // 2}H", units):
        code = (31 * code + unit) & 0xFFFFFFFF
    return code


def _spread(code: int) -> int:
    """HashMap.hash: mixes the upper half into the bits that choose the bucket."""
    return code ^ code >> 16
