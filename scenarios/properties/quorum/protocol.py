"""S42: the replicas of the quorum reply as the protocol says.

Rules 10.9 to 10.16, 10.23, 10.33 to 10.53; KIP-595, KIP-853, KIP-996.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ...expected import membership
from ...expected import quorum as rules
from ...expected import quorum_replies as replies
from ...expected.quorum import Fetched, Outcome
from ...oracles.breach_words import words
from ...oracles.property import Broken, Kinds, Property

OPEN_MAX = 10_000  # requests whose replies may come
COPIES_LAST_US = 10_000_000  # how long a copy that a fault has made may be under way
COPIES_MAX = 64  # of one request: a broker also sends a fetch again if there was nothing new
Rule = Callable[[Quorum, Any], Outcome | Fetched | None]
Told = Callable[[Any], Outcome]

RULES: Mapping[type, tuple[Rule, Told]] = {
    rpc.VoteRequest: (rules.vote, replies.told_of_vote),
    rpc.BeginQuorumEpochRequest: (rules.begin, replies.told_of_epoch),
    rpc.EndQuorumEpochRequest: (rules.end, replies.told_of_epoch),
    rpc.FetchRequest: (rules.fetch, replies.told_of_fetch),
    rpc.FetchSnapshotRequest: (rules.fetch_snapshot, replies.told_of_snapshot),
    rpc.AddRaftVoterRequest: (membership.add, membership.told),
    rpc.RemoveRaftVoterRequest: (membership.remove, membership.told),
    rpc.UpdateRaftVoterRequest: (membership.update, membership.told_of_update),
}


@dataclass(slots=True)
class Question:
    """A request, and the outcomes that its reply may tell: one for each copy, if they differ.

    `is_open` is true if the rules do not decide the reply to one of the copies, `unanswered` the
    number of copies that arrived, less the replies.
    """

    request: rpc.Request
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
        self._questions: dict[int, Question] = {}  # the oldest first
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

    def _await(self, request: rpc.Request, expected: Outcome | Fetched | None) -> None:
        question = self._questions.get(id(request))
        if question is None:
            outcomes = () if expected is None else (expected,)
            self._questions[id(request)] = Question(request, outcomes, expected is None)
            if len(self._questions) > OPEN_MAX:
                del self._questions[next(iter(self._questions))]
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
        expected, kind = question.expected, type(message.request)
        flaw = _flaw(expected[-1], kind, reply)
        if flaw is not None and all(_flaw(other, kind, reply) for other in expected):
            raise Broken(f"{message.sender} replies to {words(message.request)}: {flaw}")
        if question.unanswered <= 0 and not self._may_have_copies():
            del self._questions[id(message.request)]

    def _may_have_copies(self) -> bool:
        world = self.world
        now_us = world.timeline.now_us
        if world.network.rules or world.request_rules.armed:
            self._faulty_us = now_us
        return now_us < self._faulty_us + COPIES_LAST_US


def _flaw(expected: Outcome | Fetched, kind: type[rpc.Request], reply: object) -> str | None:
    if isinstance(expected, Fetched):
        return replies.flaw_of_records(expected, reply)
    _, told = RULES[kind]
    got = told(reply)
    return None if got == expected else f"it tells {words(got)}, expected {words(expected)}"


CLASSES: tuple[type[Property], ...] = (VotersReplyByTheRules,)
