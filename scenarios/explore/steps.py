"""The steps of nodes by number, each computed once: what a node does depends on nothing but itself
and what happens to it."""

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

CONVERSATIONS = ("lease", "metadata")  # of a broker

Happening = tuple[Any, ...]  # an event and what it is about, mostly by number


class Asking(NamedTuple):
    """`sender` and `receiver` are places: 0 for the first of the ids; `asker` is by what the
    receiver knows the conversation."""

    sender: int
    receiver: int
    asker: Asker
    request: Request


class Outcome(NamedTuple):
    """What a step makes of a node: all are numbers and places. `late`: a mask of what may arrive,
    from now on, without being waited for; `votes`: what it has told of its vote."""

    node: int
    late: int
    answers: tuple[tuple[int, int], ...]
    ended: tuple[int, ...]
    votes: int

    def changes_nothing(self, number: int) -> bool:
        return self.node == number and not (self.answers or self.ended or self.late)


class Facts(NamedTuple):
    """What the world needs to know of a node. `waits`: (line, request); `parked` and `deferred`:
    the lines that wait here; `disk`: what is on it."""

    place: int
    waits: tuple[tuple[int, int], ...]
    parked: frozenset[int]
    deferred: frozenset[int]
    is_leader: bool
    epoch: int
    disk: int
    may: tuple[Happening, ...]


class Told(NamedTuple):
    """A vote that was told: to whom, and in answer to what."""

    sender: int
    receiver: Asker
    request: Request
    response: VoteResponse


class Steps:
    """`known`: by a node and what happens to it (an event, and what it is about), all that may come
    of it. No step leads beyond `epoch_max`. `make` gives the node at a place before it has started;
    its number is ~place. The first `voters` places are controllers; what is said on each of `lines`
    is awaited by (place, conversation)."""

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
        self.mask_to = [0] * len(self.ids)  # of the requests to each
        self.known: Remembered[tuple[int, Happening], tuple[Outcome, ...]]
        self.known = Remembered(self._computed)
        self.lines = {one: line for line, one in enumerate(self._conversations())}
        self.ends = list(self.lines)

    def _conversations(self) -> list[tuple[int, Asker]]:
        voters = self.ids[: self.voters]
        pairs = [(place, peer) for place, me in enumerate(voters) for peer in voters if peer != me]
        brokers = range(self.voters, len(self.ids))
        return [*pairs, *((place, one) for place in brokers for one in CONVERSATIONS)]

    def place(self, node_id: int) -> int:
        return self.ids.index(node_id)

    def line_at(self, place: int, asker: Asker) -> int:
        """On which line somebody asks whom we know as `asker`."""
        if isinstance(asker, int):
            return self.lines[self.place(asker), self.ids[place]]
        return self.lines[len(self.ids) - 1, asker]

    def asker_on(self, line: int) -> Asker:
        """By what whoever is asked on this line knows who asks."""
        place, conversation = self.ends[line]
        return self.ids[place] if isinstance(conversation, int) else conversation

    def request(self, line: int, receiver: int, request: Request) -> int:
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
        steps = [node.meet(event, *about, next_asked=one) for one in choices]
        within = [one for one in steps if one.node.epoch <= self.epoch_max]
        return tuple(dict.fromkeys(self.outcome(place, one) for one in within))

    def spelled(self, event: str, *about: Any) -> list[Any]:
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
            tuple(self.lines[place, one] for one in step.ended),
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
            tuple(self._waits(place, *one) for one in node.awaited.items()),
            frozenset(self.line_at(place, one) for one in node.parked),
            frozenset(self.line_at(place, one) for one in node.deferred),
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
        return self.votes.number(tuple((one.request, one.response) for one in told), told)

    # Requests whose time is over

    def is_over(self, number: int, request: int) -> bool:
        """Its epoch is behind, or it is a pre-vote, which binds nobody: it is refused, now and for
        ever (10.13, 10.14, 10.23, 10.33). That it does nothing now is tried, not believed."""
        asked = self.requests[request].request
        if _may_be_late(asked):
            return False
        epoch, is_binding = epoch_of(asked)
        if epoch + is_binding > self.facts[number].epoch:
            return False
        outcomes = self.known[number, ("hears_late", request)]
        return all(one.changes_nothing(number) for one in outcomes)


def _may_be_late(request: Request) -> bool:
    """Of what a broker says: its fetches bind nobody."""
    return isinstance(request, BrokerHeartbeatRequest | BrokerRegistrationRequest)


def as_if_unheard(request: Request) -> Request:
    """Of a fetch whose answer nobody hears, the watermark that its sender knew means nothing."""
    if not isinstance(request, FetchRequest):
        return request
    topic = request.topics[0]
    wanted = replace(topic.partitions[0], high_watermark=-1)
    return replace(request, topics=(replace(topic, partitions=(wanted,)),))


def epoch_of(request: Any) -> tuple[int, bool]:
    """And whether it could still do something in that very epoch."""
    said = request.topics[0].partitions[0]
    match request:
        case VoteRequest():
            return said.replica_epoch, not said.pre_vote
        case FetchRequest():
            return said.current_leader_epoch, True
        case _:
            return said.leader_epoch, True
