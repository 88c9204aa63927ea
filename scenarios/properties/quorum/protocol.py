"""S42 and S43: the replicas of the quorum reply, ask and wait as the protocol says.

Rules 10.7, 10.9 to 10.16, 10.22 to 10.25, 10.33 to 10.53; KIP-595, KIP-853, KIP-996.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchSnapshotRequest,
    RemoveRaftVoterRequest,
    Request,
    UpdateRaftVoterRequest,
    VoteRequest,
)
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    Role,
    Unattached,
)
from kraftsim.controller.time.timeline import NEVER_MS
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ...expected import membership
from ...expected import quorum as rules
from ...expected import quorum_replies as replies
from ...expected.quorum import Fetched, Outcome, sole
from ...oracles.property import Broken, Kinds, Property

OPEN_MAX = 10_000  # requests whose replies may come
COPIES_LAST_US = 10_000_000  # how long a copy that a fault has made may be under way
COPIES_MAX = 64  # of one request: a broker also sends a fetch again if there was nothing new
Rule = Callable[[Quorum, Any], Outcome | Fetched | None]
Told = Callable[[Any], Outcome]

RULES: Mapping[type, tuple[Rule, Told]] = {
    VoteRequest: (rules.vote, replies.told_of_vote),
    BeginQuorumEpochRequest: (rules.begin, replies.told_of_epoch),
    EndQuorumEpochRequest: (rules.end, replies.told_of_epoch),
    FetchRequest: (rules.fetch, replies.told_of_fetch),
    FetchSnapshotRequest: (rules.fetch_snapshot, replies.told_of_snapshot),
    AddRaftVoterRequest: (membership.add, membership.told),
    RemoveRaftVoterRequest: (membership.remove, membership.told),
    UpdateRaftVoterRequest: (membership.update, membership.told_of_update),
}


@dataclass(slots=True)
class Question:
    """A request, and the outcomes that its reply may tell: one for each copy, if they differ.

    `is_open` is true if the rules do not decide the reply to one of the copies, `unanswered` the
    number of copies that arrived, less the replies.
    """

    request: Request
    expected: tuple[Outcome | Fetched, ...]
    is_open: bool
    unanswered: int = 1


class VotersReplyByTheRules(Property):
    """Notes what a replica must reply when a request reaches it, and compares the reply with it.

    A request and its reply may arrive twice, and a reply does not name its copy: it must be right
    for one of them. What a process gets while it is paused is handled later, and not judged. A
    request is forgotten once each copy that arrived is answered, unless a fault may have made
    others: thousands of kept requests would make a run slower.
    """

    number = "S42"
    name = "voters-reply-by-the-rules"
    claim = (
        "A replica answers Vote, BeginQuorumEpoch, EndQuorumEpoch, Fetch, FetchSnapshot and changes"
        " of the voters as the protocol says of its epoch, vote, leader, voters and log."
    )
    kinds: ClassVar[Kinds] = tuple(RULES)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._questions: OrderedDict[int, Question] = OrderedDict()
        self._faulty_us = -COPIES_LAST_US  # when faults of messages were last seen

    def arrived(self, message: Message) -> None:
        process = self.world.controller_of(message.receiver)
        if process is None:
            return
        request = message.request
        rule, _ = RULES[type(request)]
        is_handled_now = process.is_running
        self._await(request, rule(process.node.quorum, request) if is_handled_now else None)

    def stopped(self, message: Message) -> None:
        """Judges no reply to a request of which a fault has refused, lost or held a copy.

        A reply that was lost may have been replaced by a refusal (`rpc.error`).
        """
        if not message.is_reply:
            self._await(message.request, None)
            return
        question = self._questions.get(id(message.request))
        if question is not None and question.request is message.request:
            question.is_open = True

    def _await(self, request: Request, expected: Outcome | Fetched | None) -> None:
        question = self._questions.get(id(request))
        if question is None:
            outcomes = () if expected is None else (expected,)
            self._questions[id(request)] = Question(request, outcomes, expected is None)
            if len(self._questions) > OPEN_MAX:
                self._questions.popitem(last=False)
            return
        question.unanswered += 1
        if expected is None:
            question.is_open = True
        elif question.expected[-1:] != (expected,):
            question.expected = (*question.expected[1 - COPIES_MAX :], expected)

    def replied(self, message: Message) -> None:
        question, reply = self._questions.get(id(message.request)), message.reply
        if question is None or question.is_open or question.request is not message.request:
            return
        question.unanswered -= 1
        if reply is None or isinstance(reply, ApiError):
            return
        self.exercised += 1
        _, told = RULES[type(message.request)]
        flaw = _flaw(question.expected[-1], told, reply)
        if flaw is not None and all(_flaw(other, told, reply) for other in question.expected):
            raise Broken(f"{message.sender} replies to {message.request}: {flaw}")
        if question.unanswered <= 0 and not self._may_have_copies():
            del self._questions[id(message.request)]

    def _may_have_copies(self) -> bool:
        world = self.world
        now_us = world.timeline.now_us
        if world.network.rules or world.request_rules.armed:
            self._faulty_us = now_us
        return now_us < self._faulty_us + COPIES_LAST_US


def _flaw(expected: Outcome | Fetched, told: Told, reply: object) -> str | None:
    if isinstance(expected, Fetched):
        return replies.flaw_of_records(expected, reply)
    got = told(reply)
    return None if got == expected else f"it tells {got}, expected {expected}"


class VotersAskByTheRules(Property):
    """Compares what a replica sends with its own state, and its deadlines with the settings."""

    number = "S43"
    name = "voters-ask-by-the-rules"
    claim = (
        "What a replica asks of others tells its epoch, log and role; its time-outs are those of"
        " the settings, and it pauses before it repeats a request."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._roles: dict[int, type[Role]] = {}
        self._moves: Counter[int] = Counter()
        self._sent: dict[tuple[int, int], tuple[int, object, Known]] = {}

    def restarted(self, node_id: int) -> None:
        self._roles.pop(node_id, None)
        for key in [key for key in self._sent if key[0] == node_id]:
            del self._sent[key]

    def stepped(self, node: Node, turn: Turn) -> None:
        for send in turn.sends:
            self._expect_pause(node, send.peer_id, send.request, turn.now_ms)
            check = ASKS.get(type(send.request))
            if check is None:
                continue
            self.exercised += 1
            got, expected = check(node.quorum, send.peer_id, send.request)
            if got != expected:
                raise Broken(f"{node.config.node_id} sends {got}, expected {expected}")

    def _expect_pause(self, node: Node, peer_id: int, request: object, now_ms: int) -> None:
        """Checks that a request is repeated after the backoff, unless there was news meanwhile."""
        quorum, node_id = node.quorum, node.config.node_id
        known, key = _known(quorum, self._moves[node_id]), (node_id, peer_id)
        before, self._sent[key] = self._sent.get(key), (now_ms, request, known)
        if before is None:
            return
        at_ms, last, then = before
        pause_ms = quorum.settings.controller_quorum_retry_backoff_ms
        if now_ms - at_ms < pause_ms and then == known and last == request:
            raise Broken(
                f"{node_id} repeats {request} {now_ms - at_ms} ms later, expected "
                f"{pause_ms} ms or more"
            )

    def moved(self, node: Node, turn: Turn) -> None:
        quorum, node_id = node.quorum, node.config.node_id
        self._moves[node_id] += 1
        before, role = self._roles.get(node_id), quorum.role
        self._roles[node_id] = type(role)
        if type(role) is before or quorum.peers_without_epoch is not None:
            return
        self.exercised += 1
        deadline_ms, (first_ms, last_ms) = _deadline(quorum), _bounds(quorum, turn.now_ms)
        if not first_ms <= deadline_ms <= last_ms:
            raise Broken(
                f"{node_id} became {type(role).__name__} at {turn.now_ms} ms, and waits until "
                f"{deadline_ms} ms, expected {first_ms} to {last_ms} ms"
            )


Known = tuple[int, ...]
"""The epoch and leader that a replica knows, and how far it and the leader have come."""


def _known(quorum: Quorum, moves: int) -> Known:
    return (
        moves,
        quorum.epoch,
        quorum.leader_id,
        quorum.log.end_offset,
        quorum.leader_high_watermark,
        quorum.persisted_offset,
    )


def _deadline(quorum: Quorum) -> int:
    match quorum.role:
        case Leader(check_quorum_ms=deadline_ms) | Follower(fetch_ms=deadline_ms):
            return deadline_ms
        case Unattached() | Prospective() | Candidate() | Resigned() as role:
            return role.election_ms


def _bounds(quorum: Quorum, now_ms: int) -> tuple[int, int]:
    """Returns the earliest and the latest deadline of the role that has just begun.

    An unattached replica may keep the deadline that it had (rule 10.7), and an observer has none.
    """
    settings, role = quorum.settings, quorum.role
    fetch_ms = settings.controller_quorum_fetch_timeout_ms
    election_ms = settings.controller_quorum_election_timeout_ms
    if isinstance(role, Leader):
        due_ms = now_ms + fetch_ms * 3 // 2 if quorum.other_voters else NEVER_MS
        return due_ms, due_ms
    if isinstance(role, Follower):
        return now_ms, now_ms + fetch_ms  # a leader that resigns asks for less (rule 10.40)
    if isinstance(role, Unattached):
        return (0, now_ms + 2 * election_ms - 1) if quorum.is_voter else (NEVER_MS, NEVER_MS)
    return now_ms + election_ms, now_ms + 2 * election_ms - 1


Compared = tuple[Outcome, Outcome]
"""What a request tells, and what it should."""


def _vote(quorum: Quorum, peer_id: int, request: VoteRequest) -> Compared:
    asked, voter, me = sole(request.topics), quorum.voters.find(peer_id), quorum.me
    told = (
        *(request.cluster_id, request.voter_id, asked.voter_directory_id, asked.replica_epoch),
        *(asked.replica_id, asked.replica_directory_id, asked.pre_vote),
        *(asked.last_offset_epoch, asked.last_offset),
    )
    expected = (
        *(quorum.identity.cluster_id, peer_id, voter and voter.voter_directory_id, quorum.epoch),
        *(me.node_id, me.directory_id, isinstance(quorum.role, Prospective)),
        *(quorum.log.last_epoch, quorum.log.end_offset),
    )
    return told, expected


def _begin(quorum: Quorum, peer_id: int, request: BeginQuorumEpochRequest) -> Compared:
    asked, voter = sole(request.topics), quorum.voters.find(peer_id)
    told = (
        *(request.cluster_id, request.voter_id, asked.voter_directory_id),
        *(asked.leader_id, asked.leader_epoch, request.leader_endpoints[0].port),
    )
    expected = (
        *(quorum.identity.cluster_id, peer_id, voter and voter.voter_directory_id),
        *(quorum.me.node_id, quorum.epoch, quorum.identity.endpoint.port),
    )
    return told, expected


def _end(quorum: Quorum, peer_id: int, request: EndQuorumEpochRequest) -> Compared:
    asked = sole(request.topics)
    told = (request.cluster_id, asked.leader_id, asked.leader_epoch)
    return told, (quorum.identity.cluster_id, quorum.me.node_id, quorum.epoch)


def _fetch(quorum: Quorum, peer_id: int, request: FetchRequest) -> Compared:
    asked, me, log = sole(request.topics), quorum.me, quorum.log
    told = (
        request.cluster_id,
        request.replica_state.replica_id,
        asked.replica_directory_id,
        asked.current_leader_epoch,
        asked.fetch_offset,
        asked.last_fetched_epoch,
        asked.high_watermark,
    )
    expected = (
        quorum.identity.cluster_id,
        me.node_id,
        me.directory_id,
        quorum.epoch,
        min(log.end_offset, quorum.persisted_offset),
        log.last_epoch,
        quorum.high_watermark,
    )
    return told, expected


ASKS: Mapping[type, Callable[[Quorum, int, Any], Compared]] = {
    VoteRequest: _vote,
    BeginQuorumEpochRequest: _begin,
    EndQuorumEpochRequest: _end,
    FetchRequest: _fetch,
}

CLASSES: tuple[type[Property], ...] = (VotersReplyByTheRules, VotersAskByTheRules)
