"""States that differ only by which replica is which are one.

No step tells one id from another by its value: whom a replica asks first is any of the others
(`LoneReplica.meet`), and the order among successors decides only times. So whatever may become of
a state may become of its twin under other names.
"""

from collections.abc import Hashable, Sequence
from itertools import pairwise, permutations
from typing import Any

from .identities import endpoint_of, key_of
from .numbered import Numbered, Remembered, bits, renamed
from .state import State
from .steps import Steps
from .verdicts import Verdicts

Canonical = tuple[tuple[int, ...], int]


class Naming:
    """`order`: the new place of each."""

    def __init__(
        self, steps: Steps, verdicts: Verdicts, spelled: Numbered[None], order: tuple[int, ...]
    ) -> None:
        self.order = order
        self.names: dict[Hashable, Hashable] = {}
        for one, other in zip(steps.ids, (steps.ids[place] for place in order), strict=True):
            self.names |= names_of(one, other)
        self._came_from = sorted(range(len(order)), key=order.__getitem__)
        there = {steps.lines[order[a], self._name(b)]: line for (a, b), line in steps.lines.items()}
        self._lines_from = [there[line] for line in range(len(there))]
        self._is_itself = order == tuple(range(len(order)))

        def translated(keys: Sequence[Hashable]) -> Remembered[int, int]:
            return Remembered(
                lambda one: one if one < 0 else spelled.number(self._renamed(keys[one]), None)
            )

        self.nodes = translated(steps.nodes.keys)
        self._answers = translated(steps.answers.keys)
        self._histories = translated(verdicts.safeties.keys)
        self._late: Remembered[int, int] = Remembered(
            lambda mask: sum(1 << self._request(one) for one in bits(mask))
        )
        self._steps = steps

    def _name(self, conversation: Any) -> Any:
        return self.names.get(conversation, conversation)

    def _renamed(self, key: Hashable) -> Hashable:
        renaming: Hashable = key if self._is_itself else renamed(key, self.names)
        return renaming

    def state(self, state: State) -> Canonical:
        """(what stands there, what may arrive)"""
        nodes, answers = state.nodes, state.answers
        stands = [self.nodes[nodes[place]] for place in self._came_from]
        stands += [self._answers[answers[line]] for line in self._lines_from]
        stands.append(self._histories[state.history])
        return tuple(stands), self._late[state.late]

    def _request(self, number: int) -> int:
        steps, asked = self._steps, self._steps.requests[number]
        if self._is_itself:
            return number
        line = steps.lines[self.order[asked.sender], self._name(steps.ids[asked.receiver])]
        return steps.request(line, self.order[asked.receiver], self._renamed_request(asked.request))

    def _renamed_request(self, request: Any) -> Any:
        return renamed(request, self.names)


class Symmetry:
    """Without twins every state is known by its own names only."""

    def __init__(self, steps: Steps, verdicts: Verdicts, *, has_twins: bool) -> None:
        spelled: Numbered[None] = Numbered()
        places = range(len(steps.ids))
        orders = permutations(places) if has_twins else [tuple(places)]
        self.namings = [Naming(steps, verdicts, spelled, order) for order in orders]
        self._places = steps.facts
        self._ranks: Remembered[int, int] = Remembered(self._rank)
        self._fitting: Remembered[tuple[int, ...], list[Naming]] = Remembered(self._that_fit)

    def canonical(self, state: State) -> Canonical:
        """The same for all states that differ only by names: what is least, by names under which
        the nodes come in the order of their ranks."""
        if len(self.namings) == 1:
            return self.namings[0].state(state)
        fitting = self._fitting[tuple([self._ranks[one] for one in state.nodes])]
        if len(fitting) == 1:
            return fitting[0].state(state)
        return min([one.state(state) for one in fitting])

    def _that_fit(self, ranks: tuple[int, ...]) -> list[Naming]:
        return [one for one in self.namings if fits(one, ranks)]

    def _rank(self, number: int) -> int:
        """The least that a node can be called when it comes first."""
        place = self._places[number].place
        return min(one.nodes[number] for one in self.namings if one.order[place] == 0)


def fits(naming: Naming, ranks: tuple[int, ...]) -> bool:
    placed = sorted(zip(naming.order, ranks, strict=True))
    return all(a[1] <= b[1] for a, b in pairwise(placed))


def names_of(node_id: int, other_id: int) -> dict[Hashable, Hashable]:
    """By what a replica is known: its id, its directory, its port."""
    return {
        node_id: other_id,
        key_of(node_id).directory_id: key_of(other_id).directory_id,
        endpoint_of(node_id).port: endpoint_of(other_id).port,
    }
