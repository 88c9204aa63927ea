"""The order in which Java walks a HashMap of texts, by its table of buckets.

A HashMap has a power of two of buckets, doubles them when they are three quarters full, and keeps
the order of names in a bucket (java.util.HashMap; longer chains than of eight names are not met).
"""

from collections.abc import Iterable

Table = list[list[str]]
BUCKETS = 16
WORD = 2**32


def hash_map_order(names: Iterable[str]) -> list[str]:
    """Returns the distinct names in the order of a HashMap into which they were put."""
    table: Table = [[] for _ in range(BUCKETS)]
    for count, name in enumerate(dict.fromkeys(names), start=1):
        _put(table, name)
        if 4 * count > 3 * len(table):
            table = _doubled(table)
    return [name for bucket in table for name in bucket]


def _put(table: Table, name: str) -> None:
    table[_hash(name) % len(table)].append(name)


def _doubled(table: Table) -> Table:
    wider: Table = [[] for _ in range(2 * len(table))]
    for bucket in table:
        for name in bucket:
            _put(wider, name)
    return wider


def _hash(name: str) -> int:
    """Returns the hash of a text in ASCII, with its upper half mixed into the lower half."""
    code = 0
    for letter in name.encode("ascii"):
        code = (code * 31 + letter) % WORD
    return code ^ (code >> 16)
