"""The steps of nodes, with nodes and messages as numbers; each step is computed once.

A step depends only on the node and the event. A node's index is its position in `Steps.ids`. A line
is the number of a conversation: from one controller to another, or one of the broker's two.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kraftsim.controller.core import rpc

from .identities import Disk
from .keys import response_key, without_successors
from .lone import Answer, Lone, Requester, Sent, Step
from .numbered import Numbered, Remembered

CONVERSATIONS = ("lease", "metadata")  # the conversations of a broker

Action = tuple[Any, ...]  # an event and its arguments, mostly numbers


class RoutedRequest(NamedTuple):
    """A request with the indexes of its sender and its receiver.

    `requester` is the name of the conversation at the receiver.
    """

    sender: int
    receiver: int
    requester: Requester
    request: rpc.Request


class Outcome(NamedTuple):
    """The effects of a step, in numbers.

    `node` is the number of the new node. `late` is a mask of the sent requests, which may now
    arrive even if their sender stops waiting. `answers` are (line, number of the reply). `ended`
    are the lines on which the node no longer waits. `votes` is the number of the tuple of vote
    replies.
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
    """The properties of a node that the world reads, computed once per node.

    `waits` are (line, number of the request) of the node's open requests. `parked` are the
    lines whose fetches the node has parked, `deferred` the lines whose replies wait for a
    commit. `disk` is the number of the node's disk.
    """

    node_index: int
    waits: tuple[tuple[int, int], ...]
    parked: frozenset[int]
    deferred: frozenset[int]
    is_leader: bool
    epoch: int
    disk: int
    may: tuple[Action, ...]


class VoteReply(NamedTuple):
    """A reply to a vote request, with its request."""

    sender: int
    receiver: Requester
    request: rpc.Request
    response: rpc.VoteResponse


class Steps:
    """Computes and caches the steps of nodes.

    `known` maps (number of a node, event with arguments) to all possible outcomes, without those
    beyond `epoch_max`. `make` returns the unstarted node of an index, which has the number
    ~index. The first `voters` indexes are controllers. `lines` maps (index of the requesting
    node, conversation) to the line.
    """

    def __init__(
        self, ids: Sequence[int], voters: int, epoch_max: int, make: Callable[[int], Lone]
    ) -> None:
        self.ids, self.voters, self.epoch_max = tuple(ids), voters, epoch_max
        self.make = make
        self.nodes: Numbered[Lone] = Numbered()
        self.requests: Numbered[RoutedRequest] = Numbered()
        self.answers: Numbered[Answer] = Numbered()
        self.votes: Numbered[tuple[VoteReply, ...]] = Numbered()
        self.disks: Numbered[Disk] = Numbered()
        self.votes.number((), ())
        self.facts: list[Facts] = []
        self.mask_to = [0] * len(self.ids)  # mask of the requests to each node
        self.known: Remembered[tuple[int, Action], tuple[Outcome, ...]]
        self.known = Remembered(self._computed)
        self.lines = {conversation: line for line, conversation in enumerate(self._conversations())}
        self.ends = list(self.lines)

    def _conversations(self) -> list[tuple[int, Requester]]:
        voters = self.ids[: self.voters]
        pairs = [(index, peer) for index, me in enumerate(voters) for peer in voters if peer != me]
        brokers = range(self.voters, len(self.ids))
        return [
            *pairs,
            *((index, conversation) for index in brokers for conversation in CONVERSATIONS),
        ]

    def index(self, node_id: int) -> int:
        """Returns the index of a node."""
        return self.ids.index(node_id)

    def line_at(self, index: int, requester: Requester) -> int:
        """Returns the line on which the node at `index` knows its requester as `requester`."""
        if isinstance(requester, int):
            return self.lines[self.index(requester), self.ids[index]]
        return self.lines[len(self.ids) - 1, requester]

    def requester_on(self, line: int) -> Requester:
        """Returns the name by which the receiver on this line knows the requester."""
        index, conversation = self.ends[line]
        return self.ids[index] if isinstance(conversation, int) else conversation

    def request(self, line: int, receiver: int, request: rpc.Request) -> int:
        """Returns the number of a request on `line` to the node at index `receiver`."""
        routed = RoutedRequest(
            self.ends[line][0], receiver, self.requester_on(line), without_successors(request)
        )
        number = self.requests.number(routed, routed)
        self.mask_to[receiver] |= 1 << number
        return number

    def _computed(self, key: tuple[int, Action]) -> tuple[Outcome, ...]:
        number, (event, *arguments) = key
        node = self.nodes[number] if number >= 0 else self.make(~number)
        index = self.facts[number].node_index if number >= 0 else ~number
        arguments = self.decoded(event, *arguments)
        choices = range(max(1, self.voters - (index < self.voters)))
        steps = [node.apply(event, *arguments, next_peer=choice) for choice in choices]
        within = [step for step in steps if step.node.epoch <= self.epoch_max]
        return tuple(dict.fromkeys(self.outcome(index, step) for step in within))

    def decoded(self, event: str, *arguments: Any) -> list[Any]:
        """Returns the arguments of an event for `Lone.apply`, with values instead of numbers."""
        match event:
            case "receives" | "receives_late":
                routed = self.requests[arguments[0]]
                return [routed.requester, routed.request]
            case "receives_response":
                return [self.ends[arguments[0]][1], self.answers[arguments[1]]]
            case "times_out_on":
                return [self.ends[arguments[0]][1]]
            case "answers_parked_fetch_of" | "forgets_request_of":
                return [self.requester_on(arguments[0])]
            case _:
                return list(arguments)

    def outcome(self, index: int, step: Step) -> Outcome:
        """Returns the effects of a step of the node at `index`, in numbers."""
        late = 0
        for sent in step.sends:
            if index < self.voters or _may_be_late(sent.request):
                line, receiver = self._line_of(index, sent.request, sent.receiver)
                late |= 1 << self.request(line, receiver, without_watermark(sent.request))
        return Outcome(
            self._number(index, step.node),
            late,
            tuple(
                (
                    self.line_at(index, arrival.requester),
                    self.answers.number(response_key(response), response),
                )
                for arrival, response in step.replies
                if arrival.is_awaited
            ),
            tuple(self.lines[index, number] for number in step.ended),
            self._vote_replies(index, step),
        )

    def _line_of(self, index: int, request: rpc.Request, receiver_id: int) -> tuple[int, int]:
        if index < self.voters:
            return self.lines[index, receiver_id], self.index(receiver_id)
        conversation = "metadata" if isinstance(request, rpc.FetchRequest) else "lease"
        return self.lines[index, conversation], self.index(receiver_id)

    def _number(self, index: int, node: Lone) -> int:
        number = self.nodes.number(node.key, node)
        if number == len(self.facts):
            self.facts.append(self._facts(index, node))
        return number

    def _facts(self, index: int, node: Lone) -> Facts:
        return Facts(
            index,
            tuple(self._waits(index, *entry) for entry in node.awaited.items()),
            frozenset(self.line_at(index, number) for number in node.parked),
            frozenset(self.line_at(index, number) for number in node.deferred),
            node.is_leader,
            node.epoch,
            self.disks.number((index, node.disk_key), node.disk),
            node.may,
        )

    def _waits(self, index: int, conversation: Requester, sent: Sent) -> tuple[int, int]:
        line = self.lines[index, conversation]
        return line, self.request(line, self.index(sent.receiver), sent.request)

    def _vote_replies(self, index: int, step: Step) -> int:
        replies = tuple(
            VoteReply(self.ids[index], arrival.requester, arrival.request, response)
            for arrival, response in step.replies
            if isinstance(response, rpc.VoteResponse)
        )
        return self.votes.number(
            tuple((reply.request, reply.response) for reply in replies), replies
        )

    # Outdated requests

    def is_over(self, number: int, request: int) -> bool:
        """Returns True if a late request has no effect on a node, now and later.

        Such a request has an epoch that is over, or is a pre-vote, which binds no voter (rules
        10.13, 10.14, 10.23, 10.33). The outcomes show whether it has an effect now.
        """
        late_request = self.requests[request].request
        if _may_be_late(late_request):
            return False
        epoch, is_binding = epoch_of(late_request)
        if epoch + is_binding > self.facts[number].epoch:
            return False
        outcomes = self.known[number, ("receives_late", request)]
        return all(outcome.changes_nothing(number) for outcome in outcomes)


def _may_be_late(request: rpc.Request) -> bool:
    """Returns True for a broker's heartbeat or registration: it has effects even if it is late."""
    return isinstance(request, rpc.BrokerHeartbeatRequest | rpc.BrokerRegistrationRequest)


def without_watermark(request: rpc.Request) -> rpc.Request:
    """Returns a late fetch without its high watermark, which affects only its reply."""
    if not isinstance(request, rpc.FetchRequest):
        return request
    topic = request.topics[0]
    partition = replace(topic.partitions[0], high_watermark=-1)
    return replace(request, topics=(replace(topic, partitions=(partition,)),))


def epoch_of(request: Any) -> tuple[int, bool]:
    """Returns the epoch of a request, and whether the request has effects in that epoch."""
    partition = request.topics[0].partitions[0]
    match request:
        case rpc.VoteRequest():
            return partition.replica_epoch, not partition.pre_vote
        case rpc.FetchRequest():
            return partition.current_leader_epoch, True
        case _:
            return partition.leader_epoch, True
