"""Steps of nodes by number, each computed once.

The step of a node depends only on the node and on the event.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    FetchRequest,
    Request,
    VoteRequest,
    VoteResponse,
)

from .identities import Disk
from .keys import heard, response_key
from .lone import Answer, Asker, Lone, Sent, Step
from .numbered import Numbered, Remembered

CONVERSATIONS = ("lease", "metadata")  # the conversations of a broker

Happening = tuple[Any, ...]  # an event and its arguments, mostly numbers


class Asking(NamedTuple):
    """A request from one place to another; the first id has place 0.

    `asker` is the receiver's name of the conversation.
    """

    sender: int
    receiver: int
    asker: Asker
    request: Request


class Outcome(NamedTuple):
    """The effects of a step, as numbers and places.

    `late` is a mask of the requests that may arrive from now on without a waiting sender.
    `votes` is the number of the votes in its replies.
    """

    node: int
    late: int
    answers: tuple[tuple[int, int], ...]
    ended: tuple[int, ...]
    votes: int

    def changes_nothing(self, number: int) -> bool:
        """Returns True if the step has no effect on the node with this number."""
        return self.node == number and not (self.answers or self.ended or self.late)


class Facts(NamedTuple):
    """What the world reads of a node.

    `waits` are (line, request) of its open requests. `parked` and `deferred` are the lines
    whose requests wait here. `disk` is the number of its disk.
    """

    place: int
    waits: tuple[tuple[int, int], ...]
    parked: frozenset[int]
    deferred: frozenset[int]
    is_leader: bool
    epoch: int
    disk: int
    may: tuple[Happening, ...]


class Told(NamedTuple):
    """A reply to a vote request, with its request."""

    sender: int
    receiver: Asker
    request: Request
    response: VoteResponse


class Steps:
    """Computes and remembers the steps of nodes.

    `known` maps a node and an event to all possible outcomes. Steps beyond `epoch_max` are left
    out. `make` returns the node at a place before it has started; its number is ~place. The
    first `voters` places are controllers. `lines` numbers the conversations, by (place,
    conversation) of the requesting node.
    """

    def __init__(
        self, ids: Sequence[int], voters: int, epoch_max: int, make: Callable[[int], Lone]
    ) -> None:
        self.ids, self.voters, self.epoch_max = tuple(ids), voters, epoch_max
        self.make = make
        self.nodes: Numbered[Lone] = Numbered()
        self.requests: Numbered[Asking] = Numbered()
        self.answers: Numbered[Answer] = Numbered()
        self.votes: Numbered[tuple[Told, ...]] = Numbered()
        self.disks: Numbered[Disk] = Numbered()
        self.votes.number((), ())
        self.facts: list[Facts] = []
        self.mask_to = [0] * len(self.ids)  # mask of the requests to each place
        self.known: Remembered[tuple[int, Happening], tuple[Outcome, ...]]
        self.known = Remembered(self._computed)
        self.lines = {conversation: line for line, conversation in enumerate(self._conversations())}
        self.ends = list(self.lines)

    def _conversations(self) -> list[tuple[int, Asker]]:
        voters = self.ids[: self.voters]
        pairs = [(place, peer) for place, me in enumerate(voters) for peer in voters if peer != me]
        brokers = range(self.voters, len(self.ids))
        return [
            *pairs,
            *((place, conversation) for place in brokers for conversation in CONVERSATIONS),
        ]

    def place(self, node_id: int) -> int:
        """Returns the place of a node."""
        return self.ids.index(node_id)

    def line_at(self, place: int, asker: Asker) -> int:
        """Returns the line on which the node at `place` knows its requester as `asker`."""
        if isinstance(asker, int):
            return self.lines[self.place(asker), self.ids[place]]
        return self.lines[len(self.ids) - 1, asker]

    def asker_on(self, line: int) -> Asker:
        """Returns the name by which the receiver on this line knows the requester."""
        place, conversation = self.ends[line]
        return self.ids[place] if isinstance(conversation, int) else conversation

    def request(self, line: int, receiver: int, request: Request) -> int:
        """Returns the number of a request on a line."""
        asking = Asking(self.ends[line][0], receiver, self.asker_on(line), heard(request))
        number = self.requests.number(asking, asking)
        self.mask_to[receiver] |= 1 << number
        return number

    def _computed(self, asked: tuple[int, Happening]) -> tuple[Outcome, ...]:
        number, (event, *about) = asked
        node = self.nodes[number] if number >= 0 else self.make(~number)
        place = self.facts[number].place if number >= 0 else ~number
        about = self.spelled(event, *about)
        choices = range(max(1, self.voters - (place < self.voters)))
        steps = [node.meet(event, *about, next_asked=choice) for choice in choices]
        within = [step for step in steps if step.node.epoch <= self.epoch_max]
        return tuple(dict.fromkeys(self.outcome(place, step) for step in within))

    def spelled(self, event: str, *about: Any) -> list[Any]:
        """Returns the arguments of an event with values instead of numbers."""
        match event:
            case "hears" | "hears_late":
                asked = self.requests[about[0]]
                return [asked.asker, asked.request]
            case "is_told":
                return [self.ends[about[0]][1], self.answers[about[1]]]
            case "gives_up_on":
                return [self.ends[about[0]][1]]
            case "lets_go" | "is_left_by":
                return [self.asker_on(about[0])]
            case _:
                return list(about)

    def outcome(self, place: int, step: Step) -> Outcome:
        """Returns the effects of a step in numbers."""
        late = 0
        for sent in step.sends:
            if place < self.voters or _may_be_late(sent.request):
                line, receiver = self._line_of(place, sent.request, sent.receiver)
                late |= 1 << self.request(line, receiver, as_if_unheard(sent.request))
        return Outcome(
            self._number(place, step.node),
            late,
            tuple(
                (
                    self.line_at(place, asked.asker),
                    self.answers.number(response_key(response), response),
                )
                for asked, response in step.replies
                if asked.is_awaited
            ),
            tuple(self.lines[place, number] for number in step.ended),
            self._votes_told(place, step),
        )

    def _line_of(self, place: int, request: Request, receiver_id: int) -> tuple[int, int]:
        if place < self.voters:
            return self.lines[place, receiver_id], self.place(receiver_id)
        conversation = "metadata" if isinstance(request, FetchRequest) else "lease"
        return self.lines[place, conversation], self.place(receiver_id)

    def _number(self, place: int, node: Lone) -> int:
        number = self.nodes.number(node.key, node)
        if number == len(self.facts):
            self.facts.append(self._facts(place, node))
        return number

    def _facts(self, place: int, node: Lone) -> Facts:
        return Facts(
            place,
            tuple(self._waits(place, *entry) for entry in node.awaited.items()),
            frozenset(self.line_at(place, number) for number in node.parked),
            frozenset(self.line_at(place, number) for number in node.deferred),
            node.is_leader,
            node.epoch,
            self.disks.number((place, node.disk_key), node.disk),
            node.may,
        )

    def _waits(self, place: int, conversation: Asker, sent: Sent) -> tuple[int, int]:
        line = self.lines[place, conversation]
        return line, self.request(line, self.place(sent.receiver), sent.request)

    def _votes_told(self, place: int, step: Step) -> int:
        told = tuple(
            Told(self.ids[place], asked.asker, asked.request, response)
            for asked, response in step.replies
            if isinstance(response, VoteResponse)
        )
        return self.votes.number(tuple((reply.request, reply.response) for reply in told), told)

    # Outdated requests

    def is_over(self, number: int, request: int) -> bool:
        """Returns True if a late request has no effect on a node, now and later.

        Such a request has an epoch that is over, or is a pre-vote, which binds no voter
        (10.13, 10.14, 10.23, 10.33). The method tests that the request has no effect now.
        """
        asked = self.requests[request].request
        if _may_be_late(asked):
            return False
        epoch, is_binding = epoch_of(asked)
        if epoch + is_binding > self.facts[number].epoch:
            return False
        outcomes = self.known[number, ("hears_late", request)]
        return all(outcome.changes_nothing(number) for outcome in outcomes)


def _may_be_late(request: Request) -> bool:
    """Returns True for a broker's requests that have effects even if late: fetches have none."""
    return isinstance(request, BrokerHeartbeatRequest | BrokerRegistrationRequest)


def as_if_unheard(request: Request) -> Request:
    """Returns a late fetch without its high watermark, which affects only its reply."""
    if not isinstance(request, FetchRequest):
        return request
    topic = request.topics[0]
    wanted = replace(topic.partitions[0], high_watermark=-1)
    return replace(request, topics=(replace(topic, partitions=(wanted,)),))


def epoch_of(request: Any) -> tuple[int, bool]:
    """Returns the epoch of a request, and whether the request has effects in that epoch."""
    said = request.topics[0].partitions[0]
    match request:
        case VoteRequest():
            return said.replica_epoch, not said.pre_vote
        case FetchRequest():
            return said.current_leader_epoch, True
        case _:
            return said.leader_epoch, True
