"""What a condition becomes once somebody watches it."""

from collections.abc import Callable

Holds = Callable[[], bool]
