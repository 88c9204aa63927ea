"""A controller in a search: the events since its start, over the disk that it started with.

The core is pure, so replaying the events rebuilds the process; no node has to be copied.
"""

from collections.abc import Hashable, Mapping
from copy import copy
from typing import Any

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.raft.quorum import Quorum

from . import broker_safety, quorum_events
from .controller_life import ControllerLife, raft_sends
from .identities import Disk
from .keys import disk_key, heard, log_key, response_key, role_key
from .lone import Asker, Sent, Step

Lived = tuple[tuple[str, tuple[Any, ...], int], ...]


class LoneController:
    """A controller, which is never changed: `meet` returns another one."""

    def __init__(
        self, config: NodeConfig, begins_with: Disk, lived: Lived, life: ControllerLife | None
    ) -> None:
        self.config, self.begins_with, self.lived = config, begins_with, lived
        self._life = life

    @staticmethod
    def unstarted(config: NodeConfig) -> "LoneController":
        """Returns a controller before its first start, with an empty disk."""
        return LoneController(config, Disk(), (), None)

    @property
    def life(self) -> ControllerLife:
        """The process; raises Impossible before the first start."""
        if self._life is None:
            raise Impossible("a controller that has not started has no life")
        return self._life

    def meet(self, event: str, *about: Any, next_asked: int = 0) -> Step:
        """Returns the result of an event; raises `Violation` if it breaks a rule."""
        if event == "restarts":
            return self._restarted(next_asked)
        life = self._again()
        before = broker_safety.Before.of(life)
        turn = life.meet(event, about, next_asked)
        broker_safety.check(before, event, about, life, turn.replies)
        lived = (*self.lived, (event, about, next_asked))
        after = LoneController(self.config, self.begins_with, lived, life)
        waiting, was = after._lines, self._lines
        ended = frozenset(peer for peer, line in was.items() if line != waiting.get(peer))
        sends = tuple(Sent(send.peer_id, send.request) for send in raft_sends(turn))
        return Step(after, sends, turn.replies, ended)

    def _restarted(self, next_asked: int) -> Step:
        disk = copy(self.begins_with if self._life is None else self.life.disk)
        life = ControllerLife(self.config, copy(disk))
        turn = life.meet("restarts", (), next_asked)
        after = LoneController(self.config, disk, (("restarts", (), next_asked),), life)
        sends = tuple(Sent(send.peer_id, send.request) for send in raft_sends(turn))
        ended = frozenset() if self._life is None else frozenset(self._lines)
        return Step(after, sends, turn.replies, ended)

    def _again(self) -> ControllerLife:
        """Replays the events into a new process."""
        life = ControllerLife(self.config, copy(self.begins_with))
        for event, about, next_asked in self.lived:
            life.meet(event, about, next_asked)
        return life

    @property
    def may(self) -> tuple[tuple[Any, ...], ...]:
        """The events that need no message."""
        quorum, life = self.quorum, self.life
        happenings: list[tuple[Any, ...]] = [("restarts",)]
        if quorum.other_voters:
            happenings.append(("loses_patience",))
        if quorum.is_leader:
            others = (voter.voter_id for voter in quorum.other_voters)
            happenings += [("says_again_that_it_leads_to", number) for number in others]
        if life.node.is_active:
            happenings += [("creates_a_topic",), ("unregisters_the_broker",)]
            happenings += [("sees_half_a_session_pass",), ("looks_at_the_leases",)]
        return tuple(happenings)

    # State

    @property
    def quorum(self) -> Quorum:
        """The quorum of the process."""
        return self.life.node.quorum

    @property
    def disk(self) -> Disk:
        """What a crash leaves."""
        return self.life.disk

    @property
    def disk_key(self) -> Hashable:
        """Key of the disk."""
        return disk_key(self.disk)

    @property
    def _lines(self) -> dict[Asker, quorum_events.Line]:
        return quorum_events.lines(self.quorum)

    @property
    def awaited(self) -> Mapping[Asker, Sent]:
        """The open requests, by peer."""
        return {peer: Sent(int(peer), line.request) for peer, line in self._lines.items()}

    @property
    def parked(self) -> frozenset[Asker]:
        """The peers whose fetches wait here."""
        return frozenset(quorum_events.parked(self.quorum))

    @property
    def deferred(self) -> frozenset[Asker]:
        """The nodes whose replies wait for a commit."""
        return frozenset(asked.asker for _, asked, _ in self.life.deferred())

    @property
    def epoch(self) -> int:
        """The epoch of the quorum."""
        return self.quorum.epoch

    @property
    def is_leader(self) -> bool:
        """True if the controller leads the quorum."""
        return self.quorum.is_leader

    @property
    def key(self) -> Hashable:
        """Nodes with equal keys behave alike from here on."""
        quorum, life = self.quorum, self.life
        parked = quorum_events.parked(quorum)
        return (
            quorum.me,
            role_key(quorum.role, life.now_ms),
            (quorum.epoch, quorum.leader_id, quorum.voted, quorum.leader_endpoint),
            log_key(quorum.log.batches),
            (quorum.high_watermark, quorum.leader_high_watermark, quorum.persisted_offset),
            self.disk_key,
            frozenset((peer, heard(line.request)) for peer, line in self._lines.items()),
            frozenset(
                (number, asked, response_key(kept)) for number, (asked, kept) in parked.items()
            ),
            self._guesses_key(),
        )

    def _guesses_key(self) -> Hashable:
        """Returns the key of the soft state; contacts count in halves of a session."""
        life, active = self.life, self.life.node.active
        if active is None:
            return None
        leases = active.state.leases
        liveness = tuple(
            (
                broker_id,
                liveness.fenced,
                liveness.metadata_offset,
                liveness.controlled_shutdown_offset,
            )
            for broker_id, liveness in leases.liveness.items()
        )
        contacts = tuple(
            (broker_id, epoch, life.age(contact_ms))
            for broker_id, (contact_ms, epoch) in leases._contacts.items()
        )
        deferred = tuple(
            (offset, request.asker, reply) for offset, request, reply in life.deferred()
        )
        return (
            active.epoch,
            active.state.next_offset,
            liveness,
            contacts,
            deferred,
            (life.is_within_session),
        )
