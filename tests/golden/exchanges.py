"""What was said to the recorded controllers about the quorum, by whom, in the order of the wire."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from kraftsim.controller.core.log.control_records import VoterEndpoint
from kraftsim.controller.core.rpc import FetchRequest, Request, Response
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID
from kraftsim.controller.raft.identity import LISTENER, Identity
from kraftsim.controller.raft.voters import ReplicaKey, VoterSet
from kraftsim.controller.wire.frames import decode_request, decode_response, read_request_header
from tests.golden import recordings
from tests.golden.recordings import Frame

FETCH, API_VERSIONS, VOTE, BEGIN, END, DESCRIBE = 1, 18, 52, 53, 54, 55
FETCH_SNAPSHOT, ADD, REMOVE, UPDATE = 59, 80, 81, 82
ANSWERED = {FETCH, VOTE, BEGIN, END, DESCRIBE, FETCH_SNAPSHOT, ADD, REMOVE, UPDATE}
VOTER_IDS = (3000, 3001, 3002)
STATIC, DYNAMIC = "A2-quorum3", "A3-dynamic"
FIRST_PORTS = {
    ("3.9.1", STATIC): 29500,
    ("3.9.1", DYNAMIC): 29700,
    ("4.1.1", STATIC): 29600,
    ("4.1.1", DYNAMIC): 29800,
    ("4.3.1", STATIC): 29600,
    ("4.3.1", DYNAMIC): 29800,
}


class Place(NamedTuple):
    """Whose place it is that ours stands in."""

    release: str
    run: str
    node_id: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came of it; `response` is None where nothing did."""

    receiver: int
    asked: Frame
    told: Frame | None
    request: Request
    response: Response | None

    @property
    def seq(self) -> int:
        return self.asked.seq

    @property
    def sender(self) -> int | None:
        """The controller by whose raft channel it came; None: it was somebody else's."""
        match = re.fullmatch(r"raft-client-(3\d\d\d)", self.asked.client_id or "")
        return int(match[1]) if match else None


class Happening(NamedTuple):
    """`kind` is what was done to the voter ("start", "send SIGKILL to"), or how an exchange
    concerns it: it "heard" a request, "answered" it, "asked" somebody, was "told" the answer."""

    seq: int
    kind: str
    exchange: Exchange | None = None


@cache
def exchanges(release: str, run: str) -> tuple[Exchange, ...]:
    """All about the quorum; ApiVersions too, which a leader asks of a new voter."""
    frames = [frame for frame in recordings.frames(release, run) if frame.connection[0] == "c"]
    told = {(f.connection, f.correlation_id): f for f in frames if f.direction == "rsp"}
    asked = [f for f in frames if f.direction == "req" and f.api_key in ANSWERED | {API_VERSIONS}]
    made = (_exchange(frame, told.get((frame.connection, frame.correlation_id))) for frame in asked)
    return tuple(frame for frame in made if _is_of_the_quorum(frame.request))


def _exchange(asked: Frame, told: Frame | None) -> Exchange:
    response = None
    if told is not None:
        _, response = decode_response(told.api_key, told.api_version, told.data)
    request = decode_request(read_request_header(asked.data), asked.data)
    return Exchange(int(asked.connection[1:5]), asked, told, request, response)


def _is_of_the_quorum(request: Request) -> bool:
    is_fetch = isinstance(request, FetchRequest)
    return not is_fetch or request.topics[0].topic_id == METADATA_TOPIC_ID


def happenings(place: Place, moved: dict[int, int]) -> list[Happening]:
    """What concerns one voter. `moved`: a frame takes effect just before the moment of another;
    what came while the process was stopped takes effect when it goes on."""
    told = [*_exchanged(place), *_done(place)]
    told.sort(
        key=lambda frame: (
            moved.get(frame.seq, frame.seq),
            frame.exchange is not None,
            frame.seq not in moved,
        )
    )
    return list(_without_pauses(told))


def _exchanged(place: Place) -> Iterator[Happening]:
    for exchange in exchanges(place.release, place.run):
        is_heard = exchange.receiver == place.node_id and exchange.asked.api_key in ANSWERED
        if not is_heard and (
            exchange.sender != place.node_id or exchange.receiver == exchange.sender
        ):
            continue
        asked, told = ("heard", "answered") if is_heard else ("asked", "told")
        yield Happening(exchange.seq, asked, exchange)
        if exchange.told is not None:
            yield Happening(exchange.told.seq, told, exchange)


def _done(place: Place) -> Iterator[Happening]:
    for event in recordings.events(place.release, place.run):
        match = re.match(rf"(start|send SIG\w+ to) c{place.node_id}\b", event["event"])
        if match:
            yield Happening(event["next_seq"], match[1])


def _without_pauses(told: list[Happening]) -> Iterator[Happening]:
    held: list[Happening] | None = None
    for frame in told:
        if frame.kind == "send SIGSTOP to":
            held = []
        elif frame.kind == "send SIGCONT to":
            yield from held or ()
            held = None
        elif held is not None:
            held.append(frame)
        else:
            yield frame


def identity(place: Place) -> Identity:
    """As it was formatted: A2 names the voters (of unknown directories) by configuration, A3 begins
    with one voter and lets the others join it."""
    own = next(
        exchange.request
        for exchange in exchanges(place.release, place.run)
        if isinstance(exchange.request, FetchRequest) and exchange.sender == place.node_id
    )
    alone = Identity(
        key=ReplicaKey(place.node_id, own.topics[0].partitions[0].replica_directory_id),
        cluster_id=own.cluster_id or "",
        endpoint=_endpoint(place, place.node_id),
        voters=VoterSet(),
        kraft_version=int((place.run, place.node_id) == (DYNAMIC, VOTER_IDS[0])),
    )
    if place.run == DYNAMIC:
        return alone.with_voters((alone.as_voter,) * alone.kraft_version)
    voters = (
        replace(
            alone.as_voter,
            voter_id=voter_id,
            voter_directory_id=ZERO_UUID,
            endpoints=(_endpoint(place, voter_id),),
        )
        for voter_id in VOTER_IDS
    )
    return alone.with_voters(tuple(voters))


def _endpoint(place: Place, node_id: int) -> VoterEndpoint:
    port = FIRST_PORTS[place.release, place.run] + 2 * (node_id - VOTER_IDS[0])
    return VoterEndpoint(name=LISTENER, host="127.0.0.1", port=port)
