"""Regular expressions of client metrics subscriptions, matched in bounded time.

Whoever may set configurations writes them, and the event loop that serves everybody matches them.
An engine that goes back, as Python's and Java's do, can need years for one client id; RE2 reads
each character once. What one expression may cost is bounded too: see docs/security.md.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2

EXPRESSION_CHARS_MAX = 1_000  # some of this length take 30 ms to compile
MEMORY_BYTES = 1 << 16  # of a compiled expression
STEPS_MAX = 1_000_000  # instructions times characters: 25 ms of a machine of 2026


def matches_fully(expression: str, text: str) -> bool:
    """True if the whole text matches; an expression that is too large matches nothing.

    Nor does one that RE2 cannot parse: it has no look-around, back-references and possessive
    quantifiers.
    """
    import re2  # few services are asked

    if len(expression) > EXPRESSION_CHARS_MAX:
        return False
    try:
        compiled = re2.compile(expression, _options())
    except re2.error:
        return False
    is_bounded = compiled.programsize * len(text) <= STEPS_MAX
    return is_bounded and compiled.fullmatch(text) is not None


@cache
def _options() -> "re2.Options":
    import re2

    options = re2.Options()
    options.max_mem = MEMORY_BYTES
    options.never_capture = True
    options.log_errors = False
    return options
