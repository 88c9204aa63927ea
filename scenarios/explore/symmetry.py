"""Identifies states that differ only by the ids of replicas, so that a search visits one of them.

No step depends on the value of an id: a search tries every voter that a replica may fetch from
(`LoneReplica.apply`), and the order of successors affects only times. So a state and its renamed
copy have the same continuations, except for names.
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
    """One renaming of the nodes: `order` gives the new index of each node."""

    def __init__(
        self, steps: Steps, verdicts: Verdicts, renamed_keys: Numbered[None], order: tuple[int, ...]
    ) -> None:
        self.order = order
        self.names: dict[Hashable, Hashable] = {}
        for number, new_id in zip(steps.ids, (steps.ids[index] for index in order), strict=True):
            self.names |= names_of(number, new_id)
        self._came_from = sorted(range(len(order)), key=order.__getitem__)
        renamed_lines = {
            steps.lines[order[a], self._name(b)]: line for (a, b), line in steps.lines.items()
        }
        self._lines_from = [renamed_lines[line] for line in range(len(renamed_lines))]
        self._is_itself = order == tuple(range(len(order)))

        def translated(keys: Sequence[Hashable]) -> Remembered[int, int]:
            return Remembered(
                lambda number: (
                    number if number < 0 else renamed_keys.number(self._renamed(keys[number]), None)
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
        stands = [self.nodes[nodes[index]] for index in self._came_from]
        stands += [self._answers[answers[line]] for line in self._lines_from]
        stands.append(self._histories[state.history])
        return tuple(stands), self._late[state.late]

    def _request(self, number: int) -> int:
        steps, routed = self._steps, self._steps.requests[number]
        if self._is_itself:
            return number
        line = steps.lines[self.order[routed.sender], self._name(steps.ids[routed.receiver])]
        return steps.request(
            line, self.order[routed.receiver], self._renamed_request(routed.request)
        )

    def _renamed_request(self, request: Any) -> Any:
        return renamed(request, self.names)


class Symmetry:
    """All renamings of the nodes; without `has_twins` only the identity."""

    def __init__(self, steps: Steps, verdicts: Verdicts, *, has_twins: bool) -> None:
        renamed_keys: Numbered[None] = Numbered()
        indexes = range(len(steps.ids))
        orders = permutations(indexes) if has_twins else [tuple(indexes)]
        self.namings = [Naming(steps, verdicts, renamed_keys, order) for order in orders]
        self._facts = steps.facts
        self._ranks: Remembered[int, int] = Remembered(self._rank)
        self._fitting: Remembered[tuple[int, ...], list[Naming]] = Remembered(self._fitting_namings)

    def canonical(self, state: State) -> Canonical:
        """Returns the representative of all states that differ from `state` only by names.

        It is the smallest state among the renamings that order the nodes by rank.
        """
        if len(self.namings) == 1:
            return self.namings[0].state(state)
        fitting = self._fitting[tuple([self._ranks[node] for node in state.nodes])]
        if len(fitting) == 1:
            return fitting[0].state(state)
        return min([naming.state(state) for naming in fitting])

    def _fitting_namings(self, ranks: tuple[int, ...]) -> list[Naming]:
        return [naming for naming in self.namings if fits(naming, ranks)]

    def _rank(self, number: int) -> int:
        """Returns the smallest number of the node among the renamings that give it index 0."""
        index = self._facts[number].node_index
        return min(naming.nodes[number] for naming in self.namings if naming.order[index] == 0)


def fits(naming: Naming, ranks: tuple[int, ...]) -> bool:
    """Returns True if the renaming orders the nodes by rank; `ranks` are by old index."""
    placed = sorted(zip(naming.order, ranks, strict=True))
    return all(a[1] <= b[1] for a, b in pairwise(placed))


def names_of(node_id: int, new_id: int) -> dict[Hashable, Hashable]:
    """Maps the id, directory id and port of the replica `node_id` to those of `new_id`."""
    return {
        node_id: new_id,
        key_of(node_id).directory_id: key_of(new_id).directory_id,
        endpoint_of(node_id).port: endpoint_of(new_id).port,
    }
