"""Text as Java reads and writes it: numbers, white space, and the order of keys in a hash map.

Kafka's answers show all three, so equal answers need equal rules.
"""

import re
from collections.abc import Collection, Iterable

SPACE = "".join(map(chr, range(0x21)))
"""What String.trim removes; Unicode's other spaces stay."""

_INTEGER = re.compile(r"([+-]?)((?:(?![\U00010000-\U0010ffff])\d)+)")
_DECIMAL = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")
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
    """Double.toString: scientific below a thousandth and from ten million on.

    The shortest digits, as since JDK 19; JDK 17 writes 2E23 as 1.9999999999999998E23.
    """
    if number != number or abs(number) == float("inf"):
        return _NAMES[str(number)]
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    spelled = (f"{number:.{places}e}" for places in range(1, 17))
    mantissa, exponent = next(text for text in spelled if float(text) == number).split("e")
    return f"{mantissa}E{int(exponent)}"


def hash_map_order(keys: Collection[str]) -> list[str]:
    """The order in which a java.util.HashMap iterates over keys that were put in this order."""
    buckets = 16
    while len(keys) > buckets * 3 // 4:
        buckets *= 2
    return sorted(keys, key=lambda key: _hash(key) % buckets)


def properties_order(keys: Iterable[str]) -> list[str]:
    """The same for java.util.Properties, which is a ConcurrentHashMap."""
    buckets: list[list[str]] = [[] for _ in range(16)]
    for count, key in enumerate(keys, start=1):
        buckets[_hash(key) % len(buckets)].append(key)
        if count >= len(buckets) * 3 // 4:
            halves = [_split(bucket, len(buckets)) for bucket in buckets]
            buckets = [low for low, _ in halves] + [high for _, high in halves]
    return [key for bucket in buckets for key in bucket]


def _split(bucket: list[str], bit: int) -> tuple[list[str], list[str]]:
    """The keys of a doubled table's two buckets: the last run as it was, the others reversed."""
    run = len(bucket)
    while run and not (_hash(bucket[run - 1]) ^ _hash(bucket[-1])) & bit:
        run -= 1
    halves: tuple[list[str], list[str]] = ([], [])
    for key in (*reversed(bucket[:run]), *bucket[run:]):
        halves[bool(_hash(key) & bit)].append(key)
    return halves


def _hash(key: str) -> int:
    """String.hashCode with its upper half mixed into the lower one, as both maps do."""
    code = 0
    units = key.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8) + low) & 0xFFFFFFFF
    return code ^ (code >> 16)
