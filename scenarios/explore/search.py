"""Searches every history within limits, breadth first.

A history is a sequence of events in a `World`. The result has the number of visited states.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import le
from typing import Any

from kraftsim.controller.core.errors import Impossible

from .limits import Limits, Spent
from .narration import narrate
from .state import State
from .steps import Action
from .world import World

PROGRESS_STATES = 1000  # states between two reports of progress

History = tuple[Any, tuple[int, Action]] | None  # (the history without its last step, that step)


@dataclass(frozen=True)
class Explored:
    """The result of a search.

    `bound` names the limit that ended the search early; None: every state was visited.
    """

    states: int
    depth: int
    limits: Limits
    bound: str | None

    @property
    def is_exhaustive(self) -> bool:
        """True if every state within the limits was visited."""
        return self.bound is None


def silent(states: int, depth: int) -> None:
    """Ignores reports of progress."""


def explore(
    world: World,
    *beginnings: State,
    known: "Known | None" = None,
    states_max: int | None = None,
    depth_max: int | None = None,
    on_progress: Callable[[int, int], None] = silent,
) -> Explored:
    """Visits every state that can follow from `beginnings`, by default `world.beginning()`.

    Adds visited states to `known`. If a step breaks a rule, raises `Violation` or another
    Impossible, whose notes are the history.
    """
    known = Known(world) if known is None else known
    begins = [beginning for beginning in beginnings or (world.beginning(),) if known.add(beginning)]
    waiting: deque[tuple[int, State, History]] = deque((0, begin, None) for begin in begins)
    depth = 0
    while waiting:
        depth, state, history = waiting.popleft()
        if depth == depth_max:
            return Explored(known.states, depth, world.limits, f"depth {depth_max}")
        if states_max is not None and known.states >= states_max:
            return Explored(known.states, depth, world.limits, f"states {states_max}")
        for step in world.actions(state):
            for following in _carefully(world, state, step, history):
                if known.add(following):
                    waiting.append((depth + 1, following, (history, step)))
                    if known.states % PROGRESS_STATES == 0:
                        on_progress(known.states, depth)
    return Explored(known.states, depth, world.limits, None)


def _carefully(
    world: World, state: State, step: tuple[int, Action], history: History
) -> list[State]:
    try:
        return list(world.after(state, *step))
    except Impossible as broken:
        for line in _sentences(world, (history, step)):
            broken.add_note(line)
        raise


def _sentences(world: World, history: History) -> Iterator[str]:
    """Returns one English sentence for each step of a history, in execution order."""
    steps = []
    while history is not None:
        history, step = history
        steps.append(narrate(world.steps, *step))
    return reversed(steps)


class Known:
    """The visited states; states that differ only by the names of nodes count once.

    A state is also skipped if a visited state equals it except that more messages may arrive
    or less of the limits is used: the visited state has all continuations of the new state.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.states = 0
        self.by_parts: dict[tuple[int, ...], list[tuple[int, Spent]]] = {}

    def add(self, state: State) -> bool:
        """Adds a state; returns False if the search can skip it."""
        stands, late = self.world.symmetry.canonical(state)
        known = self.by_parts.setdefault(stands, [])
        for more, spent in known:
            if not late & ~more and all(map(le, spent, state.spent)):
                return False
        known.append((late, state.spent))
        self.states += 1
        return True
