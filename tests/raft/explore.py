"""Every history of a small quorum within limits, the shortest first, up to what is said at the
end: what it has in it (`World`), and how many of the states were looked at."""

from collections import deque
from dataclasses import dataclass
from math import inf
from operator import le

from tests.raft.world import Limits


@dataclass(frozen=True)
class Explored:
    """`bound`: what ended the search before all within the limits was seen; None: nothing did."""

    states: int
    depth: int
    limits: Limits
    bound: str | None

    @property
    def is_exhaustive(self):
        return self.bound is None


def explore(world, beginning=None, *, known=None, states_max=inf, depth_max=inf):
    """All that can become of the world, from its own beginning or another; it is noted in `known`.
    What breaks a rule is raised, with the history as a note."""
    known = Known(world) if known is None else known
    beginning = world.beginning() if beginning is None else beginning
    known.add(beginning)
    depth, waiting = 0, deque([(0, beginning, None)])
    while waiting:
        depth, here, history = waiting.popleft()
        if depth == depth_max:
            return Explored(known.states, depth, world.limits, f"depth {depth_max}")
        if known.states >= states_max:
            return Explored(known.states, depth, world.limits, f"states {states_max}")
        for step in world.happenings(here):
            for there in carefully(world, here, step, history):
                if known.add(there):
                    waiting.append((depth + 1, there, (history, step)))
    return Explored(known.states, depth, world.limits, None)


def carefully(world, here, step, history):
    try:
        return list(world.after(here, *step))
    except AssertionError as broken:
        broken.add_note("\n".join(told(world, (history, step))))
        raise


def told(world, history):
    """The first step first."""
    steps = []
    while history is not None:
        history, step = history
        steps.append(world.told(*step))
    return reversed(steps)


class Known:
    """The states that were seen, names aside. One is as good as seen if another was that differs
    from it only in that more may arrive and less of the limits is spent: whatever may become of
    the one may become of the other."""

    def __init__(self, world):
        self.world = world
        self.states = 0
        self.by_what_stands = {}

    def add(self, state):
        """Is it new?"""
        stands, late = self.world.symmetry.canonical(state)
        known = self.by_what_stands.setdefault(stands, [])
        for more, spent in known:
            if not late & ~more and all(map(le, spent, state.spent)):
                return False
        known.append((late, state.spent))
        self.states += 1
        return True
