"""Reads the string constants of compiled Java classes, without Java.

The format is chapter 4.4 of the Java Virtual Machine Specification: a class file begins with its
pool of constants.
"""

import struct

_UTF8, _STRING, _METHOD_HANDLE = 1, 8, 15
_LONG, _DOUBLE = 5, 6
_SIZES_BYTES = {3: 4, 4: 4, _LONG: 8, _DOUBLE: 8, 7: 2, _STRING: 2, _METHOD_HANDLE: 3, 16: 2}
_SIZES_BYTES |= {9: 4, 10: 4, 11: 4, 12: 4, 17: 4, 18: 4, 19: 2, 20: 2}
_COUNT_AT, _POOL_AT = 8, 10


def string_constants(class_file: bytes) -> list[str]:
    """Returns the texts that the class loads, compares, or joins with values.

    The place of a joined value is one of the characters U+0001 and U+0002.
    """
    texts: dict[int, bytes] = {}
    strings: list[int] = []
    (count,) = struct.unpack_from(">H", class_file, _COUNT_AT)
    at, index = _POOL_AT, 1
    while index < count:
        tag = class_file[at]
        at += 1
        if tag == _UTF8:
            (size_bytes,) = struct.unpack_from(">H", class_file, at)
            at += 2
            texts[index] = class_file[at : at + size_bytes]
        elif tag in _SIZES_BYTES:
            size_bytes = _SIZES_BYTES[tag]
            if tag == _STRING:
                strings += struct.unpack_from(">H", class_file, at)
        else:
            raise ValueError(f"expected a constant of a class file, got tag {tag}")
        at += size_bytes
        index += 2 if tag in (_LONG, _DOUBLE) else 1
    return [texts[string].decode("utf-8", "replace") for string in strings]
