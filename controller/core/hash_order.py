"""The iteration order of Java's hash maps of strings, and of its hash sets of broker ids.

Kafka keeps some names in a HashMap or HashSet; its order decides which of several invalid features
or configurations the reply names first (rules 4.52, 5.55). A HashSet of ids orders the ELR (rule
4.25).
"""

from collections.abc import Collection, Iterable
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


def in_copied_order(names: Iterable[str], copied: int, most: int) -> list[str]:
    """Returns the distinct `names` in the iteration order of a HashMap that began as a copy.

    The copy of a map of `copied` names has the smallest capacity that holds them. It has held up
    to `most` names since then.
    """
    capacity = 1 if copied else _CAPACITY_MIN
    while capacity < int(copied / _LOAD_MAX + 1) or capacity * _LOAD_MAX < most:
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


def in_properties_order(names: Iterable[str], together: Collection[str] = ()) -> list[str]:
    """Returns the distinct names in the iteration order of java.util.Properties.

    Properties is a ConcurrentHashMap, which doubles one name earlier than a HashMap. After `names`,
    which are put one by one, `together` are put at once, and the table is doubled for them first.
    """
    buckets: list[list[str]] = [[] for _ in range(_CAPACITY_MIN)]
    single = dict.fromkeys(names)
    for count, name in enumerate(single, start=1):
        buckets = _put(buckets, name, count)
    room = 1
    while room < len(together) + len(together) // 2 + 1:
        room *= 2
    while together and room > len(buckets) * _LOAD_MAX:
        buckets = _doubled(buckets)
    added = [name for name in dict.fromkeys(together) if name not in single]
    for count, name in enumerate(added, start=len(single) + 1):
        buckets = _put(buckets, name, count)
    return [name for bucket in buckets for name in bucket]


def _put(buckets: list[list[str]], name: str, count: int) -> list[list[str]]:
    buckets[_spread(_hash_code(name)) % len(buckets)].append(name)
    return _doubled(buckets) if count >= len(buckets) * _LOAD_MAX else buckets


def _doubled(buckets: list[list[str]]) -> list[list[str]]:
    halves = [_split(bucket, len(buckets)) for bucket in buckets]
    return [low for low, _ in halves] + [high for _, high in halves]


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
