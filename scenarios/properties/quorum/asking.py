"""S43: the requests and the waits of the quorum's replicas follow the protocol.

Rules 10.7, 10.16, 10.22, 10.25, 10.33 to 10.41, 10.44, 10.53, 10.54; KIP-595, KIP-853, KIP-1186.
"""

from collections import Counter
from typing import ClassVar, NamedTuple

from kraftsim.controller.core.rpc import EndQuorumEpochRequest, UpdateRaftVoterRequest
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft import roles
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.time.timeline import NEVER_MS
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ...expected import quorum as rules
from ...expected.quorum import sole
from ...expected.quorum_requests import ASKS, PERIODS, patience_ms
from ...oracles.breach_words import words
from ...oracles.property import Broken, Kinds, Property


class Wait(NamedTuple):
    """The role of a replica since a time, and its deadline; `followed` is an epoch and a leader."""

    role: type[roles.Role]
    followed: tuple[int, int] | None
    deadline_ms: int
    since_ms: int


class Resignation(NamedTuple):
    """An EndQuorumEpoch of a follower's leader, and its arrival in world time and on its clock."""

    request: EndQuorumEpochRequest
    at_us: int
    at_ms: int


class Update(NamedTuple):
    """An UpdateRaftVoter request, the voter's clock when it was sent, and its moves before that."""

    request: UpdateRaftVoterRequest
    at_ms: int
    moves: int


class VotersAskByTheRules(Property):
    """Compares what a replica sends with its own state, and its deadlines with the settings."""

    number = "S43"
    name = "voters-ask-by-the-rules"
    claim = (
        "What a replica asks of others tells its epoch, log and role; its time-outs are those of"
        " the settings, it pauses before it repeats a request, and a static voter sends each leader"
        " its address until the leader accepts it."
    )
    kinds: ClassVar[Kinds] = (EndQuorumEpochRequest, UpdateRaftVoterRequest)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._waits: dict[int, Wait] = {}
        self._moves: Counter[int] = Counter()
        self._sent: dict[tuple[int, int], tuple[int, object, Known]] = {}
        self._changes: dict[tuple[int, type], tuple[int, int]] = {}  # time, number of moves
        self._updates: dict[int, Update] = {}  # the last of each voter
        self._acknowledged: dict[int, int] = {}  # by voter: its moves when a leader accepted one
        self._resignations: dict[int, Resignation] = {}  # by the id of the receiver
        # The time at which a receiver handles an EndQuorumEpoch whose outcome the rules leave open:
        # that of a pause (-1: the pause lasts), or of an epoch that is far ahead.
        self._unread: dict[int, int] = {}

    def restarted(self, node_id: int) -> None:
        self._waits.pop(node_id, None)
        self._unread.pop(node_id, None)
        self._resignations.pop(node_id, None)
        for key in [key for key in self._sent if key[0] == node_id]:
            del self._sent[key]

    def arrived(self, message: Message) -> None:
        process, request = self.world.controller_of(message.receiver), message.request
        if process is None or not isinstance(request, EndQuorumEpochRequest):
            return
        node_id, quorum = message.receiver.number, process.node.quorum
        self._resignations.pop(node_id, None)
        now_us, now_ms = self.world.timeline.now_us, self.world.clock_ms(message.receiver)
        # A node that has moved may not read it: it may have been sent to the former address.
        is_read = process.is_running and node_id not in self.world.moved
        outcome = rules.end(quorum, request) if is_read else None
        if outcome is None:
            self._unread[node_id] = now_us if process.is_running else -1
        elif outcome[:2] == (0, 0) and quorum.is_voter:
            self._resignations[node_id] = Resignation(request, now_us, now_ms)
            self.await_step()

    def replied(self, message: Message) -> None:
        """Notes that a leader has accepted an update: a static voter sends one to each (10.53)."""
        process, node_id = self.world.controller_of(message.receiver), message.receiver.number
        last, moves = self._updates.get(node_id), self._moves[node_id]
        if process is None or last is None or last.request is not message.request:
            return
        del self._updates[node_id]  # nobody reads the reply to a copy
        timeout_ms = process.node.settings.controller_quorum_request_timeout_ms
        is_late = self.world.clock_ms(message.receiver) >= last.at_ms + timeout_ms
        is_read = process.is_running and not is_late and last.moves == moves
        if is_read and getattr(message.reply, "error_code", -1) == 0:
            self._acknowledged[node_id] = moves

    def asked_peers(self, node: Node, turn: Turn) -> None:
        for send in turn.sends:
            self._expect_pause(node, send.peer_id, send.request, turn.now_ms)
            check = ASKS.get(type(send.request))
            if check is None:
                continue
            self.exercised += 1
            got, expected = check(node.quorum, send.peer_id, send.request)
            if got != expected:
                raise Broken(
                    f"controller {node.config.node_id} sends {words(got)}, expected "
                    f"{words(expected)}"
                )
            if isinstance(send.request, UpdateRaftVoterRequest):
                self._expect_first(node, send.request, turn.now_ms)
            if type(send.request) in PERIODS:
                self._expect_period(node, type(send.request), turn.now_ms)

    def next_step(self, node: Node, turn: Turn) -> None:
        self._expect_patience(node, turn)
        if self._resignations:
            self.await_step()

    def _expect_pause(self, node: Node, peer_id: int, request: object, now_ms: int) -> None:
        """Checks that a replica whose state has not changed repeats a request after the backoff."""
        quorum, node_id = node.quorum, node.config.node_id
        known, key = _known(quorum, self._moves[node_id]), (node_id, peer_id)
        before, self._sent[key] = self._sent.get(key), (now_ms, request, known)
        if before is None:
            return
        at_ms, last, then = before
        pause_ms = quorum.settings.controller_quorum_retry_backoff_ms
        if now_ms - at_ms < pause_ms and then == known and last == request:
            raise Broken(
                f"controller {node_id} repeats {words(request)} {now_ms - at_ms} ms later, "
                f"expected {pause_ms} ms or more"
            )

    def _expect_first(self, node: Node, request: UpdateRaftVoterRequest, now_ms: int) -> None:
        """Checks that the leader of a static voter has accepted no update of it (rule 10.53)."""
        node_id = node.config.node_id
        moves, is_static = self._moves[node_id], node.quorum.history.kraft_version == 0
        if is_static and self._acknowledged.get(node_id) == moves:
            raise Broken(
                f"controller {node_id} sends another UpdateRaftVoter, and the leader accepted one"
            )
        self._updates[node_id] = Update(request, now_ms, moves)

    def _expect_period(self, node: Node, kind: type, now_ms: int) -> None:
        """Checks the wait before a follower's first request about itself, and between two."""
        node_id, moves = node.config.node_id, self._moves[node.config.node_id]
        fetch_ms = node.settings.controller_quorum_fetch_timeout_ms
        wait, key = self._waits.get(node_id), (node_id, kind)
        last_ms, after_moves = self._changes.get(key, (0, -1))
        self._changes[key] = now_ms, moves
        due_ms = fetch_ms + wait.since_ms if wait is not None else 0
        if after_moves == moves:
            due_ms = last_ms + PERIODS[kind] * fetch_ms
        if now_ms < due_ms:
            raise Broken(
                f"controller {node_id} sends {kind.__name__.removesuffix('Request')} "
                f"{due_ms - now_ms} ms early"
            )

    def _expect_patience(self, node: Node, turn: Turn) -> None:
        """Checks how long a follower waits once its leader has resigned (rule 10.40).

        The property does not see a step that changes only the deadline; the leader's last reply may
        have changed it again, even in the same microsecond.
        """
        node_id, quorum = node.config.node_id, node.quorum
        resignation, role = self._resignations.pop(node_id, None), quorum.role
        if resignation is None or not isinstance(role, roles.Follower):
            return
        request, _, at_ms = resignation
        asked = sole(request.topics)
        if (asked.leader_id, asked.leader_epoch) != (quorum.leader_id, quorum.epoch):
            return
        fetch_ms = quorum.settings.controller_quorum_fetch_timeout_ms
        due_ms = at_ms + patience_ms(quorum, request)
        is_reset = at_ms + fetch_ms <= role.fetch_ms <= turn.now_ms + fetch_ms
        if role.fetch_ms != due_ms and not is_reset:
            raise Broken(
                f"the leader of controller {node_id} resigned, and the controller waits "
                f"{role.fetch_ms - at_ms} ms from then, expected {due_ms - at_ms} ms"
            )

    def moved(self, node: Node, turn: Turn) -> None:
        quorum, node_id = node.quorum, node.config.node_id
        self._moves[node_id] += 1
        before, wait = self._waits.get(node_id), _wait(quorum, turn.now_ms)
        if before is not None and before[:2] == wait[:2]:
            wait = wait._replace(since_ms=before.since_ms)
        self._waits[node_id] = wait
        if quorum.peers_without_epoch is not None:
            return
        if before is None or before[:2] != wait[:2]:
            self.exercised += 1
            self._check_deadline(node, before, wait)

    def _check_deadline(self, node: Node, before: Wait | None, wait: Wait) -> None:
        node_id, quorum = node.config.node_id, node.quorum
        resignation = self._resignations.get(node_id)
        resigned_us = -1 if resignation is None else resignation.at_us
        is_told = resigned_us == self.world.timeline.now_us or self._reads_what_it_missed(node_id)
        if wait.role is roles.Follower and is_told:
            return  # its leader's EndQuorumEpoch named the leader first
        if wait.role is roles.Unattached and _continues(quorum, before, wait) and quorum.is_voter:
            return
        first_ms, last_ms = _bounds(quorum, wait.since_ms)
        if not first_ms <= wait.deadline_ms <= last_ms:
            raise Broken(
                f"controller {node_id} became {wait.role.__name__}, and waits "
                f"{wait.deadline_ms - wait.since_ms} ms from then, expected "
                f"{first_ms - wait.since_ms} to {last_ms - wait.since_ms} ms"
            )

    def _reads_what_it_missed(self, node_id: int) -> bool:
        """Returns True at the time at which a replica handles an EndQuorumEpoch of `_unread`."""
        now_us = self.world.timeline.now_us
        if self._unread.get(node_id) == -1:
            self._unread[node_id] = now_us
        return self._unread.get(node_id) == now_us


Known = tuple[int, ...]
"""The number of moves of a replica, its epoch and leader, and the offsets of its log."""


def _known(quorum: Quorum, moves: int) -> Known:
    return (
        moves,
        quorum.epoch,
        quorum.leader_id,
        quorum.log.end_offset,
        quorum.leader_high_watermark,
        quorum.persisted_offset,
    )


def _wait(quorum: Quorum, now_ms: int) -> Wait:
    role = quorum.role
    followed = (quorum.epoch, quorum.leader_id) if isinstance(role, roles.Follower) else None
    return Wait(type(role), followed, _deadline(quorum), now_ms)


def _deadline(quorum: Quorum) -> int:
    match quorum.role:
        case roles.Leader(check_quorum_ms=deadline_ms) | roles.Follower(fetch_ms=deadline_ms):
            return deadline_ms
        case (
            roles.Unattached() | roles.Prospective() | roles.Candidate() | roles.Resigned() as role
        ):
            return role.election_ms


def _continues(quorum: Quorum, before: Wait | None, wait: Wait) -> bool:
    """Returns True if an unattached replica waits for the rest of its election timeout (10.7).

    A prospective replica starts a new timeout when its timeout ends, and when the last voter
    refuses its vote. The property does not see such a step, which has no other effect.
    """
    if before is None or before.role in (roles.Follower, roles.Leader):
        return False
    if before.deadline_ms == wait.deadline_ms:
        return True
    election_ms = quorum.settings.controller_quorum_election_timeout_ms
    first_ms, last_ms = before.since_ms + election_ms, wait.since_ms + 2 * election_ms
    return before.role is roles.Prospective and first_ms <= wait.deadline_ms < last_ms


def _bounds(quorum: Quorum, now_ms: int) -> tuple[int, int]:
    """Returns the earliest and the latest deadline of the role that has just begun.

    An observer without a leader has no deadline.
    """
    settings, role = quorum.settings, quorum.role
    fetch_ms = settings.controller_quorum_fetch_timeout_ms
    election_ms = settings.controller_quorum_election_timeout_ms
    if isinstance(role, roles.Leader):
        due_ms = now_ms + fetch_ms * 3 // 2 if quorum.other_voters else NEVER_MS
        return due_ms, due_ms
    if isinstance(role, roles.Follower):
        return now_ms + fetch_ms, now_ms + fetch_ms
    if isinstance(role, roles.Unattached) and not quorum.is_voter:
        return NEVER_MS, NEVER_MS
    return now_ms + election_ms, now_ms + 2 * election_ms - 1


CLASSES: tuple[type[Property], ...] = (VotersAskByTheRules,)
