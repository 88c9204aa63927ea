"""Reads the constants of compiled Java classes, without Java.

The format is chapter 4.4 of the Java Virtual Machine Specification: a class file begins with its
pool of constants.
"""

import struct

_UTF8, _CLASS, _STRING, _METHOD, _METHOD_OF_INTERFACE, _NAME_AND_TYPE = 1, 7, 8, 10, 11, 12
_METHOD_HANDLE = 15
_LONG, _DOUBLE = 5, 6
_SIZES_BYTES = {3: 4, 4: 4, _LONG: 8, _DOUBLE: 8, _CLASS: 2, _STRING: 2, _METHOD_HANDLE: 3, 16: 2}
_SIZES_BYTES |= {9: 4, _METHOD: 4, _METHOD_OF_INTERFACE: 4, _NAME_AND_TYPE: 4, 17: 4, 18: 4}
_SIZES_BYTES |= {19: 2, 20: 2}
_COUNT_AT, _POOL_AT = 8, 10

Constant = tuple[int, bytes]


def string_constants(class_file: bytes) -> list[str]:
    """Returns the texts that the class loads, compares, or joins with values.

    The place of a joined value is one of the characters U+0001 and U+0002.
    """
    pool = _pool(class_file)
    return [_text(pool, _number(data)) for tag, data in pool.values() if tag == _STRING]


def method_references(class_file: bytes) -> list[tuple[str, str]]:
    """Returns class and name of each method that the class passes as a value, as `Group::size`."""
    pool = _pool(class_file)
    found = []
    for tag, data in pool.values():
        if tag != _METHOD_HANDLE:
            continue
        of, method = pool[_number(data, 1)]
        if of in (_METHOD, _METHOD_OF_INTERFACE):
            _, owner = pool[_number(method)]
            _, name = pool[_number(method, 2)]
            found.append(
                (_text(pool, _number(owner)).replace("/", "."), _text(pool, _number(name)))
            )
    return found


def _pool(class_file: bytes) -> dict[int, Constant]:
    """Returns the tag and the bytes of each constant, by its index."""
    pool: dict[int, Constant] = {}
    (count,) = struct.unpack_from(">H", class_file, _COUNT_AT)
    at, index = _POOL_AT, 1
    while index < count:
        tag = class_file[at]
        at += 1
        if tag == _UTF8:
            size_bytes = _number(class_file, at)
            at += 2
        elif tag in _SIZES_BYTES:
            size_bytes = _SIZES_BYTES[tag]
        else:
            raise ValueError(f"expected a constant of a class file, got tag {tag}")
        pool[index] = tag, class_file[at : at + size_bytes]
        at += size_bytes
        index += 2 if tag in (_LONG, _DOUBLE) else 1
    return pool


def _text(pool: dict[int, Constant], index: int) -> str:
    return pool[index][1].decode("utf-8", "replace")


def _number(data: bytes, at: int = 0) -> int:
    (number,) = struct.unpack_from(">H", data, at)
    return int(number)
