"""A controller in a search, stored as its initial disk and the events since its start.

The core is pure, so replaying the events rebuilds the process, and no node has to be copied.
"""

from collections.abc import Hashable, Mapping
from copy import copy
from typing import Any, ClassVar

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum

from . import broker_safety, quorum_events
from .controller_life import ControllerLife, raft_sends
from .identities import Disk
from .keys import disk_key, log_key, response_key, role_key, without_successors
from .lone import Requester, Sent, Step

Events = tuple[tuple[str, tuple[Any, ...], int], ...]


class LoneController:
    """An immutable controller: `apply` returns a new controller.

    `life_type` is the type of its processes.
    """

    life_type: ClassVar[type[ControllerLife]] = ControllerLife

    def __init__(
        self, config: NodeConfig, initial_disk: Disk, events: Events, life: ControllerLife | None
    ) -> None:
        self.config, self.initial_disk, self.events = config, initial_disk, events
        self._life = life

    @classmethod
    def unstarted(cls, config: NodeConfig, disk: Disk | None = None) -> "LoneController":
        """Returns a controller before its first start, with an empty disk or a given one."""
        return cls(config, disk or Disk(), (), None)

    @property
    def life(self) -> ControllerLife:
        """The process; raises Impossible before the first start."""
        if self._life is None:
            raise Impossible("a controller that has not started has no life")
        return self._life

    def apply(self, event: str, *arguments: Any, next_peer: int = 0) -> Step:
        """Returns the result of an event; raises `Violation` if the step breaks a rule.

        A search tries every index `next_peer` of the voter that the controller fetches from
        next.
        """
        if event == "restarts":
            return self._restarted(next_peer)
        life = self._again()
        turn = self._checked(life, event, arguments, next_peer)
        events = (*self.events, (event, arguments, next_peer))
        after = type(self)(self.config, self.initial_disk, events, life)
        waiting, was = after._lines, self._lines
        ended = frozenset(peer for peer, line in was.items() if line != waiting.get(peer))
        sends = tuple(Sent(send.peer_id, send.request) for send in raft_sends(turn))
        return Step(after, sends, turn.replies, ended)

    def _checked(
        self, life: ControllerLife, event: str, arguments: tuple[Any, ...], next_peer: int
    ) -> Turn:
        """Applies an event to the process; raises `Violation` if the step breaks a rule."""
        before = broker_safety.Before.of(life)
        turn = life.apply(event, arguments, next_peer)
        broker_safety.check(before, event, arguments, life, turn.replies)
        return turn

    def _restarted(self, next_peer: int) -> Step:
        disk = copy(self.initial_disk if self._life is None else self.life.disk)
        life = self.life_type(self.config, copy(disk))
        turn = life.apply("restarts", (), next_peer)
        after = type(self)(self.config, disk, (("restarts", (), next_peer),), life)
        sends = tuple(Sent(send.peer_id, send.request) for send in raft_sends(turn))
        ended = frozenset() if self._life is None else frozenset(self._lines)
        return Step(after, sends, turn.replies, ended)

    def _again(self) -> ControllerLife:
        """Replays the events into a new process."""
        life = self.life_type(self.config, copy(self.initial_disk))
        for event, arguments, next_peer in self.events:
            life.apply(event, arguments, next_peer)
        return life

    @property
    def may(self) -> tuple[tuple[Any, ...], ...]:
        """The events that can happen to the node without a message: (event, *arguments)."""
        quorum, life = self.quorum, self.life
        actions: list[tuple[Any, ...]] = [("restarts",)]
        if quorum.other_voters:
            actions.append(("role_times_out",))
        if quorum.is_leader:
            peer_ids = (voter.voter_id for voter in quorum.other_voters)
            actions += [("announces_again_to", number) for number in peer_ids]
        if life.node.is_active:
            actions += [("creates_a_topic",), ("unregisters_the_broker",)]
            actions += [("sees_half_a_session_pass",), ("looks_at_the_leases",)]
        return tuple(actions)

    # State

    @property
    def quorum(self) -> Quorum:
        """The quorum of the process."""
        return self.life.node.quorum

    @property
    def disk(self) -> Disk:
        """The durable state, which survives a crash."""
        return self.life.disk

    @property
    def disk_key(self) -> Hashable:
        """Hashable key of the durable state; disks with equal keys restart alike."""
        return disk_key(self.disk)

    @property
    def _lines(self) -> dict[Requester, quorum_events.Line]:
        return quorum_events.lines(self.quorum)

    @property
    def awaited(self) -> Mapping[Requester, Sent]:
        """The open requests to other controllers, by the id of the receiver."""
        return {peer: Sent(int(peer), line.request) for peer, line in self._lines.items()}

    @property
    def parked(self) -> frozenset[Requester]:
        """The controllers whose fetches this controller has parked."""
        return frozenset(quorum_events.parked(self.quorum))

    @property
    def deferred(self) -> frozenset[Requester]:
        """The requesters whose replies wait for a commit."""
        return frozenset(arrival.requester for _, arrival, _ in self.life.deferred())

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
        """A hashable summary of the node; nodes with equal keys have equal continuations."""
        quorum, life = self.quorum, self.life
        parked = quorum_events.parked(quorum)
        return (
            quorum.me,
            role_key(quorum.role, life.now_ms),
            (quorum.epoch, quorum.leader_id, quorum.voted, quorum.leader_endpoint),
            log_key(quorum.log.batches),
            (quorum.high_watermark, quorum.leader_high_watermark, quorum.persisted_offset),
            self.disk_key,
            frozenset(
                (peer, without_successors(line.request)) for peer, line in self._lines.items()
            ),
            frozenset(
                (number, arrival, response_key(response))
                for number, (arrival, response) in parked.items()
            ),
            self._guesses_key(),
        )

    def _guesses_key(self) -> Hashable:
        """Returns the active controller's soft state, with the ages of contacts in half sessions.

        None if the controller is not active.
        """
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
            (offset, request.requester, reply) for offset, request, reply in life.deferred()
        )
        return (
            active.epoch,
            active.state.next_offset,
            liveness,
            contacts,
            deferred,
            life.is_within_session,
        )
