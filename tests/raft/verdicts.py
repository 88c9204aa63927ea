"""What `Safety` says of steps, asked once for all histories that look the same to it."""

from typing import NamedTuple

from tests.raft.numbered import Numbered, Remembered
from tests.raft.safety import Safety


class Seen(NamedTuple):
    """All that `Safety` looks at."""

    quorums: dict
    disks: dict
    lives: dict
    in_flight: tuple


class Verdicts:
    """A history is known by the number of the `Safety` that has seen it."""

    def __init__(self, steps):
        self.steps = steps
        self.safeties = Numbered()
        self._known = Remembered(self._checked)

    def beginning(self):
        return self._number(Safety())

    def after(self, history, place, replicas, votes, is_reborn):
        """The history with a step of the replica at `place`; `Violation` if that broke a rule."""
        facts = self.steps.facts
        disks = tuple([facts[one].disk if one >= 0 else -1 for one in replicas])
        return self._known[history, place, replicas[place], disks, votes, is_reborn]

    def _checked(self, asked):
        history, place, number, disks, votes, is_reborn = asked
        safety = self.safeties[history].fork()
        node_id = self.steps.ids[place]
        if is_reborn:
            forget_watermark(safety, node_id)
        safety.check(self._seen(number, disks, votes), node_id)
        return self._number(safety)

    def _seen(self, number, disks, votes):
        ids, quorum = self.steps.ids, self.steps.replicas[number].quorum
        held = {ids[place]: self.steps.disks[one] for place, one in enumerate(disks) if one >= 0}
        node_id = quorum.me.node_id
        return Seen({node_id: quorum}, held, {node_id: 0}, self.steps.votes[votes])

    def _number(self, safety):
        return self.safeties.number(safety_key(safety), safety)


def forget_watermark(safety, node_id):
    """A process that begins anew may know less than the last one (9.39)."""
    for key in [one for one in safety.watermarks if one[0].node_id == node_id]:
        del safety.watermarks[key]


def safety_key(safety):
    """Entries by where they stand: one epoch has one leader, which is checked."""
    known = {**vars(safety), "entries": {one: told[1] for one, told in safety.entries.items()}}
    return tuple(frozenset(one.items()) for one in known.values())
