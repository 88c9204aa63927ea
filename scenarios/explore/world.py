"""A few nodes as numbers, and every event that can happen to them next.

A request may arrive at any time and any number of times after it was sent, even if its sender has
given up, has crashed or has its reply. A reply arrives only while it is waited for, if at all. So
loss, delay, repetition and reordering need no events of their own. Every continuation of a state is
also one of a state in which more messages may arrive.
"""

from collections.abc import Iterator
from math import inf

from .limits import LOSSES, SPENT_ON, Limits, Spent
from .numbered import Remembered, bits
from .state import State
from .steps import Happening, Outcome, Steps
from .symmetry import Symmetry
from .verdicts import Verdicts


class World:
    """The nodes and events of a search; `has_twins`: states that differ by names are equal."""

    def __init__(self, steps: Steps, limits: Limits, *, has_twins: bool) -> None:
        self.steps, self.limits = steps, limits
        self.verdicts = Verdicts(steps)
        self.symmetry = Symmetry(steps, self.verdicts, has_twins=has_twins)
        self._most = limits.amounts
        self._over: Remembered[tuple[int, int], int] = Remembered(self._which_are_over)

    def beginning(self) -> State:
        """Returns the state in which all nodes have started over empty disks, one by one."""
        unstarted = tuple(~place for place in range(len(self.steps.ids)))
        nothing = (0,) * len(self._most)
        quiet = (-1,) * len(self.steps.lines)
        state = State(unstarted, quiet, self.verdicts.beginning(), 0, nothing)
        for place, number in enumerate(unstarted):
            outcome = self.steps.known[number, ("restarts",)][0]
            state = self.moved(state, place, outcome, nothing, is_reborn=True)
        return state

    def happenings(self, state: State) -> Iterator[tuple[int, Happening]]:
        """Yields the possible events of a state: (place, event with its arguments)."""
        for place in range(len(state.nodes)):
            for happening in self._happenings_at(place, state):
                yield place, happening

    def after(self, state: State, place: int, happening: Happening) -> Iterator[State]:
        """Yields the states after an event; none if it changes nothing or exceeds a limit."""
        spent = self._spent(state.spent, happening[0])
        if spent is not None:
            yield from self.let(state, place, happening, spent)

    def let(
        self, state: State, place: int, happening: Happening, spent: Spent | None = None
    ) -> Iterator[State]:
        """Yields the states after an event, without limits; without `spent` it costs nothing."""
        number, is_reborn = state.nodes[place], happening[0] == "restarts"
        spent = (0,) * len(self._most) if spent is None else spent
        for outcome in self.steps.known[number, happening]:
            if not outcome.changes_nothing(number):
                yield self.moved(state, place, outcome, spent, is_reborn=is_reborn)

    # Possible events

    def _happenings_at(self, place: int, state: State) -> Iterator[Happening]:
        facts = self.steps.facts
        mine = facts[state.nodes[place]]
        for line, _ in mine.waits:
            answer = state.answers[line]
            if answer >= 0:
                yield "is_told", line, answer
            yield "gives_up_on", line
        for number in state.nodes:
            for line, request in facts[number].waits:
                is_open = self.steps.requests[request].receiver == place
                is_open = is_open and state.answers[line] < 0
                if is_open and line not in mine.parked and line not in mine.deferred:
                    yield "hears", request
        for request in bits(state.late & self.steps.mask_to[place]):
            yield "hears_late", request
        for line in mine.parked:
            yield "lets_go", line
        yield from mine.may

    def _spent(self, spent: Spent, event: str) -> Spent | None:
        """Returns the use of limits after an event, or None beyond a limit.

        Events without a limit are not counted.
        """
        on = SPENT_ON.get(event)
        if on is None or self._most[on] == inf:
            return spent
        if spent[on] == self._most[on]:
            return None
        return (*spent[:on], spent[on] + 1, *spent[on + 1 :])

    # Effects

    def moved(
        self, state: State, place: int, outcome: Outcome, spent: Spent, *, is_reborn: bool
    ) -> State:
        """Returns the state after an outcome at a place."""
        nodes, answers = list(state.nodes), list(state.answers)
        nodes[place] = outcome.node
        for line in outcome.ended:
            answers[line] = -1
            nodes[: self.steps.voters] = [
                self._left(node, line) for node in nodes[: self.steps.voters]
            ]
        for line, answer in outcome.answers:
            answers[line] = answer
        history = self.verdicts.after(state.history, place, nodes, outcome.votes, is_reborn)
        late = self._late(state.late | outcome.late, nodes)
        return State(tuple(nodes), tuple(answers), history, late, spent)

    def _left(self, number: int, line: int) -> int:
        """Returns the node after it has forgotten a request whose sender does not wait."""
        if number < 0:
            return number
        facts = self.steps.facts[number]
        if line not in facts.parked and line not in facts.deferred:
            return number
        return self.steps.known[number, ("is_left_by", line)][0].node

    def _late(self, late: int, nodes: list[int]) -> int:
        """Returns the late requests without those that have no effect or are not allowed."""
        if not late or not self._most[LOSSES]:
            return 0
        for place, number in enumerate(nodes):
            late ^= self._over[number, late & self.steps.mask_to[place]]
        return late

    def _which_are_over(self, asked: tuple[int, int]) -> int:
        number, mask = asked
        if number < 0:
            return 0
        return sum(1 << bit for bit in bits(mask) if self.steps.is_over(number, bit))
