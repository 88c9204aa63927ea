"""The steps of replicas by number, each computed once: what a replica does depends on nothing but
itself and what happens to it."""

from dataclasses import replace
from typing import NamedTuple

from kraftsim.controller.core.rpc import FetchRequest, VoteRequest, VoteResponse
from kraftsim.controller.raft.protocol import Channel, Send
from tests.raft.lone_replica import LoneReplica, disk_key, heard, response_key
from tests.raft.numbered import Numbered, Remembered
from tests.raft.replicas import Disk, Message, identity_of

FIRST_ID = 101  # an id that is neither an epoch nor an offset: a name is known by its value


class Request(NamedTuple):
    """`sender` and `receiver` are places: 0 for the first of the ids."""

    sender: int
    receiver: int
    request: object


class Outcome(NamedTuple):
    """What a step makes of a replica: all are numbers and places. `late`: a mask of what may
    arrive, from now on, without being waited for; `votes`: what it has told of its vote."""

    replica: int
    late: int
    answers: tuple
    ended: tuple
    votes: int

    def changes_nothing(self, number):
        return self.replica == number and not (self.answers or self.ended or self.late)


class Facts(NamedTuple):
    """What the world needs to know of a replica. `waits`: (peer, request), `parked`: whose fetches
    wait here, `disk`: what is on it."""

    place: int
    waits: tuple
    parked: frozenset
    is_leader: bool
    epoch: int
    disk: int


class Steps:
    """`known`: by a replica and what happens to it (an event, and what it is about), all that may
    come of it. No step leads beyond `epoch_max`. A replica that has not started yet has the number
    ~place."""

    def __init__(self, voters, epoch_max, *, asks_around):
        self.ids = tuple(range(FIRST_ID, FIRST_ID + voters))
        self.epoch_max, self.asks_around = epoch_max, asks_around
        self.replicas, self.requests = Numbered(), Numbered()
        self.answers, self.votes, self.disks = Numbered(), Numbered(), Numbered()
        self.votes.number((), ())
        self.facts = []
        self.mask_to = [0] * voters  # of the requests to each
        self.known = Remembered(self._computed)

    def place(self, node_id):
        return node_id - FIRST_ID

    def request(self, sender, receiver, request):
        number = self.requests.number(found := Request(sender, receiver, heard(request)), found)
        self.mask_to[receiver] |= 1 << number
        return number

    def _computed(self, asked):
        number, (event, *about) = asked
        replica = self.replicas[number] if number >= 0 else self.unstarted(~number)
        place = self.place(replica.identity.key.node_id)
        about = self.spelled(event, *about)
        steps = [replica.meet(event, *about, next_asked=one) for one in range(len(self.ids) - 1)]
        within = [one for one in steps if one.replica.quorum.epoch <= self.epoch_max]
        return tuple(dict.fromkeys(self.outcome(place, one) for one in within))

    def unstarted(self, place):
        return LoneReplica(
            identity_of(self.ids[place], self.ids), Disk(), asks_around=self.asks_around
        )

    def spelled(self, event, *about):
        match event:
            case "hears" | "hears_late":
                asked = self.requests[about[0]]
                return self.ids[asked.sender], asked.request
            case "is_told":
                return self.ids[about[0]], self.answers[about[1]]
            case _:
                return [self.ids[one] for one in about]

    def outcome(self, place, step):
        late = 0
        for send in step.sends:
            receiver = self.place(send.peer_id)
            late |= 1 << self.request(place, receiver, as_if_unheard(send.request))
        return Outcome(
            self._number(place, step.replica),
            late,
            tuple(
                (self.place(asked.sender), self.answers.number(response_key(response), response))
                for asked, response in step.replies
                if asked.is_awaited
            ),
            tuple(self.place(one) for one in step.ended),
            self._votes_told(place, step.replies),
        )

    def _number(self, place, replica):
        number = self.replicas.number(replica.key, replica)
        if number == len(self.facts):
            self.facts.append(self._facts(place, replica))
        return number

    def _facts(self, place, replica):
        awaited = replica.awaited.items()
        return Facts(
            place,
            tuple(
                (self.place(peer), self.request(place, self.place(peer), request))
                for peer, (_, request) in awaited
            ),
            frozenset(self.place(one) for one in replica.parked),
            replica.quorum.is_leader,
            replica.quorum.epoch,
            self.disks.number((place, disk_key(replica.disk)), replica.disk),
        )

    def _votes_told(self, place, replies):
        told = tuple(
            Message(self.ids[place], asked.sender, sent(asked.request), 0, response)
            for asked, response in replies
            if isinstance(response, VoteResponse)
        )
        return self.votes.number(tuple((one.sent.request, one.response) for one in told), told)

    # Requests whose time is over

    def is_over(self, number, request):
        """Its epoch is behind, or it is a pre-vote, which binds nobody: it is refused, now and for
        ever (10.13, 10.14, 10.23, 10.33). That it does nothing now is tried, not believed."""
        epoch, is_binding = epoch_of(self.requests[request].request)
        if epoch + is_binding > self.facts[number].epoch:
            return False
        outcomes = self.known[number, ("hears_late", request)]
        return all(one.changes_nothing(number) for one in outcomes)


def sent(request):
    return Send(Channel.RAFT, 0, None, 0, request)


def as_if_unheard(request):
    """Of a fetch whose answer nobody hears, the watermark that its sender knew means nothing."""
    if not isinstance(request, FetchRequest):
        return request
    topic = request.topics[0]
    wanted = replace(topic.partitions[0], high_watermark=-1)
    return replace(request, topics=(replace(topic, partitions=(wanted,)),))


def epoch_of(request):
    """And whether it could still do something in that very epoch."""
    said = request.topics[0].partitions[0]
    match request:
        case VoteRequest():
            return said.replica_epoch, not said.pre_vote
        case FetchRequest():
            return said.current_leader_epoch, True
        case _:
            return said.leader_epoch, True
