"""Identifies states that differ only by the names of replicas.

No step depends on the value of an id: the voter that a replica asks first is any voter
(`LoneReplica.meet`), and the order of successors affects only times. So a state and its renamed
twin have the same continuations.
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
    """One renaming of the nodes: `order` gives the new place of each node."""

    def __init__(
        self, steps: Steps, verdicts: Verdicts, spelled: Numbered[None], order: tuple[int, ...]
    ) -> None:
        self.order = order
        self.names: dict[Hashable, Hashable] = {}
        for number, other in zip(steps.ids, (steps.ids[place] for place in order), strict=True):
            self.names |= names_of(number, other)
        self._came_from = sorted(range(len(order)), key=order.__getitem__)
        there = {steps.lines[order[a], self._name(b)]: line for (a, b), line in steps.lines.items()}
        self._lines_from = [there[line] for line in range(len(there))]
        self._is_itself = order == tuple(range(len(order)))

        def translated(keys: Sequence[Hashable]) -> Remembered[int, int]:
            return Remembered(
                lambda number: (
                    number if number < 0 else spelled.number(self._renamed(keys[number]), None)
                )
            )

        self.nodes = translated(steps.nodes.keys)
        self._answers = translated(steps.answers.keys)
        self._histories = translated(verdicts.safeties.keys)
        self._late: Remembered[int, int] = Remembered(
            lambda mask: sum(1 << self._request(bit) for bit in bits(mask))
        )
        self._steps = steps

    def _name(self, conversation: Any) -> Any:
        return self.names.get(conversation, conversation)

    def _renamed(self, key: Hashable) -> Hashable:
        renaming: Hashable = key if self._is_itself else renamed(key, self.names)
        return renaming

    def state(self, state: State) -> Canonical:
        """Returns the renamed state: the numbers of its parts, and the mask of late requests."""
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
    """All renamings; without twins only the identity."""

    def __init__(self, steps: Steps, verdicts: Verdicts, *, has_twins: bool) -> None:
        spelled: Numbered[None] = Numbered()
        places = range(len(steps.ids))
        orders = permutations(places) if has_twins else [tuple(places)]
        self.namings = [Naming(steps, verdicts, spelled, order) for order in orders]
        self._places = steps.facts
        self._ranks: Remembered[int, int] = Remembered(self._rank)
        self._fitting: Remembered[tuple[int, ...], list[Naming]] = Remembered(self._that_fit)

    def canonical(self, state: State) -> Canonical:
        """Returns the representative of all states that differ only by names.

        It is the smallest state among the renamings that order the nodes by rank.
        """
        if len(self.namings) == 1:
            return self.namings[0].state(state)
        fitting = self._fitting[tuple([self._ranks[node] for node in state.nodes])]
        if len(fitting) == 1:
            return fitting[0].state(state)
        return min([naming.state(state) for naming in fitting])

    def _that_fit(self, ranks: tuple[int, ...]) -> list[Naming]:
        return [naming for naming in self.namings if fits(naming, ranks)]

    def _rank(self, number: int) -> int:
        """Returns the smallest number of the node among renamings to the first place."""
        place = self._places[number].place
        return min(naming.nodes[number] for naming in self.namings if naming.order[place] == 0)


def fits(naming: Naming, ranks: tuple[int, ...]) -> bool:
    """Returns True if the renaming orders the nodes by rank."""
    placed = sorted(zip(naming.order, ranks, strict=True))
    return all(a[1] <= b[1] for a, b in pairwise(placed))


def names_of(node_id: int, other_id: int) -> dict[Hashable, Hashable]:
    """Maps the id, directory id and port of one replica to those of another."""
    return {
        node_id: other_id,
        key_of(node_id).directory_id: key_of(other_id).directory_id,
        endpoint_of(node_id).port: endpoint_of(other_id).port,
    }
