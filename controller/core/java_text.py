"""Numbers and white space as Java reads and writes them, because Kafka's answers show both."""

import re

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
