"""Which requests a rule is about, and on which of them it acts."""

from collections.abc import Callable, Hashable
from dataclasses import field
from typing import NamedTuple

from kraftsim.controller.core.rpc import REQUESTS, Request
from kraftsim.controller.core.value import slotted
from kraftsim.controller.time.timeline import NEVER_US, Timeline

from .arrival import Arrival

EVERY_REQUEST: frozenset[type] = frozenset(REQUESTS)
UNLIMITED = -1

Predicate = Callable[[Request], bool]


class Condition(NamedTuple):
    """One word of a rule: `read` returns the value of a request, which is one of `values`.

    Conditions of the same `word` have the same `read`, so that rules can be sorted by value.
    """

    word: str
    read: Callable[[Arrival], Hashable]
    values: frozenset[Hashable]


@slotted(kw_only=True)
class When:
    """When a rule acts on the requests that it is about.

    From the time `from_us` on and before `until_us`, it acts on every `every`-th request after the
    first `after` requests, each time with probability `probability`, at most `count` times
    (UNLIMITED: any number of times).
    """

    timeline: Timeline
    draw: Callable[[], float]
    from_us: int = 0
    until_us: int = NEVER_US
    count: int = UNLIMITED
    after: int = 0
    every: int = 1
    probability: float = 1.0
    _seen: int = field(default=0, init=False)

    def is_now(self) -> bool:
        """Counts a request within the time, and returns True if the rule acts on it."""
        if not self.from_us <= self.timeline.now_us < self.until_us:
            return False
        self._seen += 1
        number = self._seen - self.after
        if number <= 0 or number % self.every:
            return False
        return self.probability >= 1.0 or self.draw() < self.probability


@slotted(kw_only=True)
class Aim:
    """What a rule is about, and when it acts.

    `kinds` are the types of requests. All `conditions` must hold, and `predicate` must return True
    if there is one. With `is_about_replies` the rule acts on the replies of these requests.
    `on_hit` is called with the kind of each hit, and with its request. `fault_id` is the id of the
    fault whose rule it is.
    """

    fault_id: str
    kinds: frozenset[type]
    conditions: tuple[Condition, ...]
    predicate: Predicate | None
    is_about_replies: bool
    when: When
    on_hit: Callable[[str, Arrival], None]
