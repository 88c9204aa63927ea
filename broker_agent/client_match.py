"""Regular expressions of client metrics subscriptions, matched in bounded time.

Whoever may set configurations writes them, and the event loop that serves everybody matches them.
An engine that goes back, as Python's and Java's do, can need years for one client id; RE2 reads
each character once. What all expressions may cost for one client is bounded: see docs/security.md.
"""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2

EXPRESSION_CHARS_MAX = 1_000  # some of this length take 5 ms to compile
CHARS_MAX = 10_000  # of all expressions for one client: up to 50 ms, if none was compiled before
COMPILED_MAX = 1_024  # expressions that stay compiled
MEMORY_BYTES = 1 << 16  # of a compiled expression
STEPS_MAX = 1_000_000  # instructions times bytes, for one client: some 25 ms


class ClientMatch:
    """Matches the attributes of one client with expressions, until they have cost too much."""

    def __init__(self) -> None:
        self._chars_left = CHARS_MAX
        self._steps_left = STEPS_MAX
        self._results: dict[tuple[str, str], bool] = {}

    def __call__(self, expression: str, text: str) -> bool:
        """True if the whole text matches; an expression that costs too much matches nothing.

        Nor does one that RE2 cannot parse: it has no look-around, back-references and possessive
        quantifiers. An expression and a text that come again cost nothing.
        """
        key = expression, text
        if key not in self._results:
            self._results[key] = self._matches(expression, text)
        return self._results[key]

    def _matches(self, expression: str, text: str) -> bool:
        if len(expression) > min(EXPRESSION_CHARS_MAX, self._chars_left):
            return False
        self._chars_left -= len(expression)
        compiled = _compiled(expression)
        if compiled is None:
            return False
        steps = compiled.programsize * len(text.encode())
        if steps > self._steps_left:
            return False
        self._steps_left -= steps
        return compiled.fullmatch(text) is not None


def is_expression(text: str) -> bool:
    """Returns True for a regular expression of RE2, which Kafka's brokers use (RE2/J)."""
    return _compiled(text) is not None


@lru_cache(COMPILED_MAX)
def _compiled(expression: str) -> "re2._Regexp | None":
    """Returns None for an expression that RE2 cannot parse, or that needs too much memory."""
    import re2  # few services are asked

    try:
        return re2.compile(expression, _options())
    except re2.error:
        return None


@cache
def _options() -> "re2.Options":
    import re2

    options = re2.Options()
    options.max_mem = MEMORY_BYTES
    options.never_capture = True
    options.log_errors = False
    return options
