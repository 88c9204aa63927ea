"""Remembers the verdicts of `Safety` on steps, for all histories that are equal to it."""

from collections.abc import Hashable
from typing import NamedTuple

from kraftsim.controller.raft.quorum import Quorum

from .identities import Disk
from .numbered import Numbered, Remembered
from .quorum_safety import Safety
from .steps import Steps, Told

Asked = tuple[int, int, int, tuple[int, ...], int, bool]


class Seen(NamedTuple):
    """What `Safety` reads, for one replica."""

    quorums: dict[int, Quorum]
    disks: dict[int, Disk]
    lives: dict[int, int]
    in_flight: tuple[Told, ...]


class Verdicts:
    """Numbers histories by the `Safety` that has observed them."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.safeties: Numbered[Safety] = Numbered()
        self._known: Remembered[Asked, int] = Remembered(self._checked)

    def beginning(self) -> int:
        """Returns the number of the empty history."""
        return self._number(Safety())

    def after(self, history: int, place: int, nodes: list[int], votes: int, is_reborn: bool) -> int:
        """Returns the history with another step of the node at `place`.

        Raises `Violation` if the step broke a rule.
        """
        if place >= self.steps.voters:
            return history
        facts = self.steps.facts
        voters = nodes[: self.steps.voters]
        disks = tuple([facts[voter].disk if voter >= 0 else -1 for voter in voters])
        return self._known[history, place, nodes[place], disks, votes, is_reborn]

    def _checked(self, asked: Asked) -> int:
        history, place, number, disks, votes, is_reborn = asked
        safety = self.safeties[history].fork()
        node_id = self.steps.ids[place]
        if is_reborn:
            forget_watermark(safety, node_id)
        safety.check(self._seen(number, disks, votes), node_id)
        return self._number(safety)

    def _seen(self, number: int, disks: tuple[int, ...], votes: int) -> Seen:
        steps, quorum = self.steps, self.steps.nodes[number].quorum
        held = {
            steps.ids[place]: steps.disks[disk] for place, disk in enumerate(disks) if disk >= 0
        }
        node_id = quorum.me.node_id
        return Seen({node_id: quorum}, held, {node_id: 0}, steps.votes[votes])

    def _number(self, safety: Safety) -> int:
        return self.safeties.number(safety_key(safety), safety)


def forget_watermark(safety: Safety, node_id: int) -> None:
    """Forgets a replica's high watermark: a new process may know less than the last one (9.39)."""
    for key in [watermark for watermark in safety.watermarks if watermark[0].node_id == node_id]:
        del safety.watermarks[key]


def safety_key(safety: Safety) -> Hashable:
    """Returns the key of a `Safety`.

    Of entries it has the place and the records about brokers; leaders follow from the epochs,
    which are checked.
    """
    entries = {
        where: (() if batch.is_control else batch.records, before)
        for where, (batch, before) in safety.entries.items()
    }
    known = {**vars(safety), "entries": entries}
    return tuple(frozenset(item.items()) for item in known.values())
