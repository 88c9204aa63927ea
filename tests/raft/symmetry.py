"""States that differ only by which replica is which are one.

No step tells one id from another by its value: whom a replica asks first is any of the others
(`LoneReplica.meet`), and the order among successors decides only times. So whatever may become of
a state may become of its twin under other names.
"""

from itertools import pairwise, permutations

from tests.raft.numbered import Numbered, Remembered, bits, renamed
from tests.raft.replicas import endpoint_of, key_of


class Naming:
    """`order`: the new place of each."""

    def __init__(self, steps, verdicts, lines, spelled, order):
        self.order = order
        self.names = {}
        for one, other in zip(steps.ids, (steps.ids[place] for place in order), strict=True):
            self.names |= names_of(one, other)
        self._came_from = sorted(range(len(order)), key=order.__getitem__)
        there = {lines[order[a], order[b]]: line for (a, b), line in lines.items()}
        self._lines_from = [there[line] for line in range(len(lines))]

        def translated(keys):
            return Remembered(
                lambda one: one if one < 0 else spelled.number(renamed(keys[one], self.names))
            )

        self.replicas = translated(steps.replicas.keys)
        self._answers = translated(steps.answers.keys)
        self._histories = translated(verdicts.safeties.keys)
        self._late = Remembered(lambda mask: sum(1 << self._request(one) for one in bits(mask)))
        self._steps = steps

    def state(self, state):
        """(what stands there, what may arrive)"""
        replicas, answers = state.replicas, state.answers
        stands = [self.replicas[replicas[place]] for place in self._came_from]
        stands += [self._answers[answers[line]] for line in self._lines_from]
        stands.append(self._histories[state.history])
        return tuple(stands), self._late[state.late]

    def _request(self, number):
        asked = self._steps.requests[number]
        sender, receiver = self.order[asked.sender], self.order[asked.receiver]
        return self._steps.request(sender, receiver, renamed(asked.request, self.names))


class Symmetry:
    """`lines`: by (who asks, who is asked), which place an answer has in a state."""

    def __init__(self, steps, verdicts, lines):
        spelled = Numbered()
        orders = permutations(range(len(steps.ids)))
        self.namings = [Naming(steps, verdicts, lines, spelled, order) for order in orders]
        self._places = steps.facts
        self._ranks = Remembered(self._rank)
        self._fitting = Remembered(lambda ranks: [one for one in self.namings if fits(one, ranks)])

    def canonical(self, state):
        """The same for all states that differ only by names: what is least, by names under which
        the replicas come in the order of their ranks."""
        fitting = self._fitting[tuple([self._ranks[one] for one in state.replicas])]
        if len(fitting) == 1:
            return fitting[0].state(state)
        return min([one.state(state) for one in fitting])

    def _rank(self, number):
        """The least that a replica can be called when it comes first."""
        place = self._places[number].place
        return min(one.replicas[number] for one in self.namings if one.order[place] == 0)


def fits(naming, ranks):
    placed = sorted(zip(naming.order, ranks, strict=True))
    return all(a[1] <= b[1] for a, b in pairwise(placed))


def names_of(node_id, other_id):
    """By what a replica is known: its id, its directory, its port."""
    return {
        node_id: other_id,
        key_of(node_id).directory_id: key_of(other_id).directory_id,
        endpoint_of(node_id).port: endpoint_of(other_id).port,
    }
