"""Text as Java reads and writes it: numbers, white space, and the order of keys in a hash map.

Kafka's answers show all three, so equal answers need equal rules.
"""

import re
from collections.abc import Collection
from decimal import Decimal

SPACE = "".join(map(chr, range(0x21)))
"""What String.trim removes; Unicode's other spaces stay."""

_INTEGER = re.compile(r"([+-]?)((?:(?![\U00010000-\U0010ffff])\d)+)")
_DECIMAL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")
_HEX = re.compile(
    r"([+-]?0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?"
)
_NAMED = {
    "NaN": float("nan"),
    "+NaN": float("nan"),
    "-NaN": float("nan"),
    "Infinity": float("inf"),
    "+Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def trim(text: str) -> str:
    return text.strip(SPACE)


def parse_integer(text: str, bits: int) -> int | None:
    """A signed integer of `bits` bits in digits of any script; None for any other text."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    limit, number = 1 << (bits - 1), 0
    for digit in match[2]:  # int() refuses a text of more than 4,300 digits
        number = 10 * number + int(digit)
        if number > limit:
            return None
    number = -number if match[1] == "-" else number
    return number if number < limit else None


def parse_double(text: str) -> float | None:
    """Decimal or hexadecimal, with or without a type suffix; None for any other text."""
    if text in _NAMED:
        return _NAMED[text]
    if match := _DECIMAL.fullmatch(text):
        return float(match[1])
    if match := _HEX.fullmatch(text):
        try:
            return float.fromhex(match[1])
        except OverflowError:
            return float("-inf" if text[0] == "-" else "inf")
    return None


def shown_double(number: float) -> str:
    """Double.toString: scientific below a thousandth and from ten million on."""
    if number != number or abs(number) == float("inf"):
        return _NAMES[str(number)]
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    first, *rest = map(str, digits)
    mantissa = f"{'-' * sign}{first}.{''.join(rest) or '0'}"
    return f"{mantissa}E{int(exponent) + len(rest)}"


def hash_map_order(keys: Collection[str]) -> list[str]:
    """The order in which a java.util.HashMap iterates over keys that were put in this order."""
    return _bucket_order(keys, len(keys))


def properties_order(keys: Collection[str]) -> list[str]:
    """The same for java.util.Properties, whose table doubles one key earlier.

    Keys of one bucket stay in the order of arrival; Java reverses some when a table doubles.
    """
    return _bucket_order(keys, len(keys) + 1)


def _bucket_order(keys: Collection[str], count: int) -> list[str]:
    buckets = 16
    while count > buckets * 3 // 4:
        buckets *= 2
    return sorted(keys, key=lambda key: _hash(key) % buckets)


def _hash(key: str) -> int:
    """String.hashCode with its upper half mixed into the lower one, as both maps do."""
    code = 0
    units = key.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8) + low) & 0xFFFFFFFF
    return code ^ (code >> 16)
