"""The world of a search: its states, and every event that can happen next.

A request may arrive at any time and any number of times after it was sent, even if its sender has
given up, has crashed or has its reply. A reply arrives only while its requester waits, if at all.
So loss, delay, repetition and reordering need no events of their own. If more messages may arrive
in one state than in another, it has all continuations of the other state.
"""

from collections.abc import Iterator
from math import inf

from .limits import LOSSES, SPENT_ON, Limits, Spent
from .numbered import Remembered, bits
from .state import State
from .steps import Action, Outcome, Steps
from .symmetry import Symmetry
from .verdicts import Verdicts


class World:
    """The nodes and events of a search; with `has_twins`, states that differ by names are equal."""

    def __init__(self, steps: Steps, limits: Limits, *, has_twins: bool) -> None:
        self.steps, self.limits = steps, limits
        self.verdicts = Verdicts(steps)
        self.symmetry = Symmetry(steps, self.verdicts, has_twins=has_twins)
        self._most = limits.amounts
        self._over: Remembered[tuple[int, int], int] = Remembered(self._which_are_over)

    def beginning(self) -> State:
        """Returns the state in which all nodes have started with empty disks, one by one."""
        unstarted = tuple(~index for index in range(len(self.steps.ids)))
        nothing = (0,) * len(self._most)
        quiet = (-1,) * len(self.steps.lines)
        state = State(unstarted, quiet, self.verdicts.beginning(), 0, nothing)
        for index, number in enumerate(unstarted):
            outcome = self.steps.known[number, ("restarts",)][0]
            state = self.moved(state, index, outcome, nothing, is_reborn=True)
        return state

    def actions(self, state: State) -> Iterator[tuple[int, Action]]:
        """Yields the possible events of a state: (index of the node, event with its arguments)."""
        for index in range(len(state.nodes)):
            for action in self._actions_at(index, state):
                yield index, action

    def after(self, state: State, index: int, action: Action) -> Iterator[State]:
        """Yields the states after an event; none if it has no effect or exceeds a limit."""
        spent = self._spent(state.spent, action[0])
        if spent is not None:
            yield from self.let(state, index, action, spent)

    def let(
        self, state: State, index: int, action: Action, spent: Spent | None = None
    ) -> Iterator[State]:
        """Yields the states after an event, without checking limits.

        `spent` is the use of the limits in these states; by default nothing is used.
        """
        number, is_reborn = state.nodes[index], action[0] == "restarts"
        spent = (0,) * len(self._most) if spent is None else spent
        for outcome in self.steps.known[number, action]:
            if not outcome.changes_nothing(number):
                yield self.moved(state, index, outcome, spent, is_reborn=is_reborn)

    # Possible events

    def _actions_at(self, index: int, state: State) -> Iterator[Action]:
        facts = self.steps.facts
        own_facts = facts[state.nodes[index]]
        for line, _ in own_facts.waits:
            answer = state.answers[line]
            if answer >= 0:
                yield "receives_response", line, answer
            yield "times_out_on", line
        for number in state.nodes:
            for line, request in facts[number].waits:
                is_open = self.steps.requests[request].receiver == index
                is_open = is_open and state.answers[line] < 0
                if is_open and line not in own_facts.parked and line not in own_facts.deferred:
                    yield "receives", request
        for request in bits(state.late & self.steps.mask_to[index]):
            yield "receives_late", request
        for line in own_facts.parked:
            yield "answers_parked_fetch_of", line
        yield from own_facts.may

    def _spent(self, spent: Spent, event: str) -> Spent | None:
        """Returns the use of limits after an event, or None if the event exceeds a limit.

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
        self, state: State, index: int, outcome: Outcome, spent: Spent, *, is_reborn: bool
    ) -> State:
        """Returns the state after the node at `index` made a step with this outcome."""
        nodes, answers = list(state.nodes), list(state.answers)
        nodes[index] = outcome.node
        for line in outcome.ended:
            answers[line] = -1
            nodes[: self.steps.voters] = [
                self._without_request(node, line) for node in nodes[: self.steps.voters]
            ]
        for line, answer in outcome.answers:
            answers[line] = answer
        history = self.verdicts.after(state.history, index, nodes, outcome.votes, is_reborn)
        late = self._late(state.late | outcome.late, nodes)
        return State(tuple(nodes), tuple(answers), history, late, spent)

    def _without_request(self, number: int, line: int) -> int:
        """Returns the number of the node without its waiting request on `line`."""
        if number < 0:
            return number
        facts = self.steps.facts[number]
        if line not in facts.parked and line not in facts.deferred:
            return number
        return self.steps.known[number, ("forgets_request_of", line)][0].node

    def _late(self, late: int, nodes: list[int]) -> int:
        """Returns the mask of late requests that may have an effect; 0 if no loss is allowed."""
        if not late or not self._most[LOSSES]:
            return 0
        for index, number in enumerate(nodes):
            late ^= self._over[number, late & self.steps.mask_to[index]]
        return late

    def _which_are_over(self, key: tuple[int, int]) -> int:
        number, mask = key
        if number < 0:
            return 0
        return sum(1 << bit for bit in bits(mask) if self.steps.is_over(number, bit))
