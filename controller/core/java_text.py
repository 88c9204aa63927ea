"""Numbers, white space and string lengths as in Java, because Kafka's replies depend on them."""

import re

STRING_BYTES_MAX = 32_767  # in UTF-8: Kafka's limit in every encoding, the largest Short
SPACE = "".join(map(chr, range(0x21)))
"""The characters that String.trim removes; it keeps Unicode's other spaces."""

_INTEGER = r"([+-]?)((?:(?![\U00010000-\U0010ffff])\d)+)"
_DECIMAL = r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?"
_HEX = r"([+-]?0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?"
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
    """Returns `text` without leading and trailing white space, as String.trim does."""
    return text.strip(SPACE)


def parse_integer(text: str, bits: int) -> int | None:
    """Parses a signed integer of `bits` bits in digits of any script; None for other text."""
    match = re.fullmatch(_INTEGER, text)
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
    """Parses a decimal or hexadecimal number, with or without type suffix; None for other text."""
    if text in _NAMED:
        return _NAMED[text]
    if match := re.fullmatch(_DECIMAL, text):
        return float(match[1])
    if match := re.fullmatch(_HEX, text):
        try:
            return float.fromhex(match[1])
        except OverflowError:
            return float("-inf" if text[0] == "-" else "inf")
    return None


def shown_double(number: float) -> str:
    """Formats a number as Double.toString: in scientific notation below 1e-3 and from 1e7 on.

    The digits are the shortest that round-trip, as since JDK 19; JDK 17 writes 2E23 as
    1.9999999999999998E23.
    """
    if number != number or abs(number) == float("inf"):
        return _NAMES[str(number)]
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    texts = (f"{number:.{digits}e}" for digits in range(1, 17))
    mantissa, exponent = next(text for text in texts if float(text) == number).split("e")
    return f"{mantissa}E{int(exponent)}"
