"""Caches the verdicts of `Safety` on steps.

Histories with equal observations share a number and a verdict.
"""

from collections.abc import Hashable
from typing import NamedTuple

from kraftsim.controller.raft.quorum import Quorum

from .identities import Disk
from .numbered import Numbered, Remembered
from .quorum_safety import Safety
from .steps import Steps, VoteReply

StepKey = tuple[int, int, int, tuple[int, ...], int, bool]


class Observation(NamedTuple):
    """What the checker `Safety` reads after one replica has handled an event.

    `quorums` has that replica only; `disks` and `lives` (number of starts) have every replica.
    """

    quorums: dict[int, Quorum]
    disks: dict[int, Disk]
    lives: dict[int, int]
    in_flight: tuple[VoteReply, ...]


class Verdicts:
    """Numbers histories by the state of the `Safety` that has observed them."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.safeties: Numbered[Safety] = Numbered()
        self._known: Remembered[StepKey, int] = Remembered(self._checked)

    def beginning(self) -> int:
        """Returns the number of the empty history."""
        return self._number(Safety())

    def after(self, history: int, index: int, nodes: list[int], votes: int, is_reborn: bool) -> int:
        """Returns the number of the history with one more step, of the node at `index`.

        Raises `Violation` if the step broke a rule.
        """
        if index >= self.steps.voters:
            return history
        facts = self.steps.facts
        voters = nodes[: self.steps.voters]
        disks = tuple([facts[voter].disk if voter >= 0 else -1 for voter in voters])
        return self._known[history, index, nodes[index], disks, votes, is_reborn]

    def _checked(self, key: StepKey) -> int:
        history, index, number, disks, votes, is_reborn = key
        safety = self.safeties[history].fork()
        node_id = self.steps.ids[index]
        if is_reborn:
            forget_watermark(safety, node_id)
        safety.check(self._observation(number, disks, votes), node_id)
        return self._number(safety)

    def _observation(self, number: int, disks: tuple[int, ...], votes: int) -> Observation:
        steps, quorum = self.steps, self.steps.nodes[number].quorum
        held = {
            steps.ids[index]: steps.disks[disk] for index, disk in enumerate(disks) if disk >= 0
        }
        node_id = quorum.me.node_id
        return Observation({node_id: quorum}, held, {node_id: 0}, steps.votes[votes])

    def _number(self, safety: Safety) -> int:
        return self.safeties.number(safety_key(safety), safety)


def forget_watermark(safety: Safety, node_id: int) -> None:
    """Forgets a replica's high watermark, because a new process may begin lower (rule 9.39)."""
    for key in [watermark for watermark in safety.watermarks if watermark[0].node_id == node_id]:
        del safety.watermarks[key]


def safety_key(safety: Safety) -> Hashable:
    """Returns the hashable key of a `Safety`; equal keys give the same verdict on every step.

    Control batches count by their position only: the checks on epochs determine their leaders.
    """
    entries = {
        position: (() if batch.is_control else batch.records, before)
        for position, (batch, before) in safety.entries.items()
    }
    known = {**vars(safety), "entries": entries}
    return tuple(frozenset(item.items()) for item in known.values())
