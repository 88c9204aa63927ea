"""Our voter in the place of every recorded one: what each was asked about the quorum in A2 and A3
is put to ours, in the order of the wire, and ours answers the same. `stand_in.py` says what of the
recorded voter's own doing (elections, appends, restarts, time-outs) is made to happen in ours.

Answers are compared whole, records, offsets, epochs and high watermarks included, but for

- DescribeQuorum: the times of a last fetch (known or not is compared), and the order of the
  replicas: a Java hash map's (rule 5.28);
- LeaderChange: the order of those who granted: a Java hash set's;
- Add- and RemoveRaftVoter: the order of the voters that a text lists, and how the releases before
  4.3 spell it: "NONE" where 4.3 has no message, Optional[...] around a directory in 3.9.

When a fetch that waits is answered follows the recording; what it is answered is compared. What
ours asks of the others is compared too, but for the bytes that a fetch may bring (4.3 asks for 1
MiB) and for -1 or 0 as the high watermark of one that knows none. FetchSnapshot and
ControllerRegistration are in `test_other_exchanges.py`.
"""

import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import LeaderChange
from kraftsim.controller.core.rpc import (
    AddRaftVoterResponse,
    DescribeQuorumPartitionResult,
    DescribeQuorumResponse,
    FetchRequest,
    FetchResponse,
    RemoveRaftVoterResponse,
    Request,
    Response,
)
from kraftsim.controller.wire.frames import (
    decode_request,
    decode_response,
    encode_request,
    encode_response,
    read_request_header,
)
from tests.golden.exchanges import (
    ADD,
    BEGIN,
    DESCRIBE,
    DYNAMIC,
    END,
    FETCH,
    REMOVE,
    STATIC,
    UPDATE,
    VOTE,
    Exchange,
    Place,
)
from tests.golden.stand_in import StandIn

pytestmark = pytest.mark.slow


COMPARED = {
    Place("3.9.1", STATIC, 3000): {FETCH: 222, VOTE: 4, BEGIN: 69, END: 3, DESCRIBE: 1},
    Place("3.9.1", STATIC, 3001): {FETCH: 371, VOTE: 5, BEGIN: 13, END: 1, DESCRIBE: 5},
    Place("3.9.1", STATIC, 3002): {FETCH: 316, VOTE: 4, BEGIN: 61, END: 2, DESCRIBE: 4},
    Place("3.9.1", DYNAMIC, 3000): {FETCH: 680, DESCRIBE: 4, ADD: 2, REMOVE: 3},
    Place("3.9.1", DYNAMIC, 3001): {FETCH: 2, BEGIN: 17},
    Place("3.9.1", DYNAMIC, 3002): {FETCH: 42, BEGIN: 8, END: 1, DESCRIBE: 1},
    Place("4.1.1", STATIC, 3000): {FETCH: 322, VOTE: 6, BEGIN: 84, END: 3, DESCRIBE: 1, UPDATE: 2},
    Place("4.1.1", STATIC, 3001): {FETCH: 764, VOTE: 6, BEGIN: 15, END: 1, DESCRIBE: 5, UPDATE: 4},
    Place("4.1.1", STATIC, 3002): {FETCH: 415, VOTE: 9, BEGIN: 75, END: 2, DESCRIBE: 4, UPDATE: 2},
    Place("4.1.1", DYNAMIC, 3000): {FETCH: 820, DESCRIBE: 4, ADD: 2, REMOVE: 3},
    Place("4.1.1", DYNAMIC, 3001): {FETCH: 3, BEGIN: 26},
    Place("4.1.1", DYNAMIC, 3002): {FETCH: 48, BEGIN: 14, END: 1, DESCRIBE: 1},
    Place("4.3.1", STATIC, 3000): {FETCH: 562, VOTE: 3, BEGIN: 2, END: 2, DESCRIBE: 5, UPDATE: 4},
    Place("4.3.1", STATIC, 3001): {FETCH: 467, VOTE: 4, BEGIN: 1, END: 1, DESCRIBE: 5, UPDATE: 4},
    Place("4.3.1", STATIC, 3002): {FETCH: 69, VOTE: 9, BEGIN: 4, END: 4},
    Place("4.3.1", DYNAMIC, 3000): {FETCH: 854, DESCRIBE: 4, ADD: 2, REMOVE: 3},
    Place("4.3.1", DYNAMIC, 3001): {FETCH: 2},
    Place("4.3.1", DYNAMIC, 3002): {FETCH: 35, END: 1, DESCRIBE: 1},
}

# Frames that crossed: one takes effect just before the moment of another, because the recorded
# voter had decided, or read, the later one first.
MOVED: dict[Place, dict[int, int]] = {
    Place("3.9.1", STATIC, 3000): {28: 23, 1023: 1021, 1726: 1728, 2346: 2348},
    Place("3.9.1", STATIC, 3001): {487: 485, 513: 515, 1717: 1713},
    Place("3.9.1", STATIC, 3002): {1661: 1663},
    Place("4.1.1", STATIC, 3000): {26: 24},
    Place("4.1.1", STATIC, 3001): {434: 438, 628: 631, 641: 638, 2503: 2500, 3095: 3093},
    Place("4.1.1", DYNAMIC, 3000): {548: 546},
    Place("4.3.1", STATIC, 3000): {1638: 1644, 1640: 1644},
    Place("4.3.1", STATIC, 3001): {362: 368, 368: 373, 1500: 1497},
    Place("4.3.1", STATIC, 3002): {885: 882, 2006: 2014},
    Place("4.3.1", DYNAMIC, 3000): {667: 666},
}

CROSSED = "It was on its way before the recorded voter had read what is earlier on the wire."
REMEMBERED = """Who leads forgets the high watermark, and asks as a follower as if it knew none;
ours remembers it."""

UNEQUAL_REQUESTS = {
    Place("3.9.1", STATIC, 3002): {4: CROSSED},
    Place("4.1.1", STATIC, 3000): {3085: CROSSED},
    Place("4.1.1", STATIC, 3001): {7: CROSSED},
    Place("4.1.1", STATIC, 3002): {2684: REMEMBERED, 3095: CROSSED},
    Place("4.1.1", DYNAMIC, 3000): {1944: REMEMBERED},
    Place("4.3.1", STATIC, 3000): {1646: REMEMBERED, 1955: CROSSED},
    Place("4.3.1", STATIC, 3001): {64: CROSSED},
    Place("4.3.1", STATIC, 3002): {1985: CROSSED},
    Place("4.3.1", DYNAMIC, 3000): {1881: REMEMBERED},
}
# Fetches that ours does not make: a released one that knows no leader asks the bootstrap servers of
# its configuration, be they voters or not; ours asks the voters.
UNASKED_FETCHES = {
    Place("3.9.1", DYNAMIC, 3001): 1,
    Place("3.9.1", DYNAMIC, 3002): 1,
    Place("4.1.1", DYNAMIC, 3000): 1,
    Place("4.1.1", DYNAMIC, 3001): 1,
    Place("4.1.1", DYNAMIC, 3002): 1,
    Place("4.3.1", DYNAMIC, 3001): 2,
    Place("4.3.1", DYNAMIC, 3002): 1,
}


@cache
def stood_in(place: Place) -> StandIn:
    return StandIn(place, MOVED.get(place, {})).run()


@pytest.mark.rule("5.24", "5.25", "5.27", "5.28", "5.29", "5.37", "5.38")
@pytest.mark.rule("10.1", "10.9", "10.12", "10.13", "10.14", "10.19", "10.20", "10.21")
@pytest.mark.rule("10.23", "10.26", "10.28", "10.29", "10.32", "10.33", "10.35", "10.38")
@pytest.mark.rule("10.39", "10.50", "10.51", "10.52", "10.53")
@pytest.mark.parametrize("place", COMPARED)
def test_a_voter_in_the_place_of_a_recorded_one_gives_its_answers(place: Place) -> None:
    stand_in = stood_in(place)

    assert Counter(exchange.asked.api_key for exchange, _ in stand_in.answers) == COMPARED[place]
    assert unequal_answers(stand_in) == {}


@pytest.mark.rule("10.3", "10.16", "10.36", "10.37", "10.38", "10.39", "10.41", "10.53")
@pytest.mark.parametrize("place", COMPARED)
def test_it_asks_what_the_recorded_one_asked(place: Place) -> None:
    unequal = unequal_requests(stood_in(place))
    unasked = {seq for seq, (theirs, ours) in unequal.items() if _is_fetch(theirs) and ours is None}
    excused = UNEQUAL_REQUESTS.get(place, {})

    assert {
        seq: asked for seq, asked in unequal.items() if seq not in excused.keys() | unasked
    } == {}
    assert excused.keys() - unequal.keys() == set()
    assert len(unasked) == UNASKED_FETCHES.get(place, 0)


@pytest.mark.rule("10.26", "10.28", "10.39")
def test_a_leader_that_is_removed_resigns_of_itself_and_others_when_they_are_told_to() -> None:
    removed = stood_in(Place("4.3.1", DYNAMIC, 3000)).urged
    stopped = stood_in(Place("4.3.1", STATIC, 3001)).urged

    assert [what for _, what in removed] == ["rings"]
    assert [what for _, what in stopped] == ["rings", "rings", "rings", "resigns"]


@pytest.mark.parametrize(("place", "seq"), [(key, seq) for key in MOVED for seq in MOVED[key]])
def test_no_frame_is_moved_that_could_stay(place: Place, seq: int) -> None:
    moved = {exchange: at for exchange, at in MOVED[place].items() if exchange != seq}
    try:
        stand_in = StandIn(place, moved).run()
    except (AssertionError, Impossible):
        return  # it could not even go on
    assert _unequal(stand_in) != _unequal(stood_in(place))


def _unequal(stand_in: StandIn) -> tuple[set[int], set[int]]:
    return unequal_answers(stand_in).keys() | set(), unequal_requests(stand_in).keys() | set()


# Answers


def unequal_answers(stand_in: StandIn) -> dict[int, tuple[object, object]]:
    """By the seq of the request: the recorded answer, and ours."""
    told = (
        (exchange.seq, comparable(exchange.response), comparable(_over_the_wire(exchange, answer)))
        for exchange, answer in stand_in.answers
    )
    return {seq: (theirs, ours) for seq, theirs, ours in told if theirs != ours}


def _over_the_wire(exchange: Exchange, answer: Response | None) -> Response | None:
    """As it is in the version that was asked for."""
    if answer is None:
        return None
    asked = exchange.asked
    frame = encode_response(asked.api_key, asked.api_version, asked.correlation_id, answer)
    return decode_response(asked.api_key, asked.api_version, frame[4:])[1]


def comparable(answer: Response | None) -> object:
    match answer:
        case DescribeQuorumResponse(topics=(topic,)):
            partitions = tuple(map(_without_times, topic.partitions))
            return replace(answer, topics=(replace(topic, partitions=partitions),))
        case AddRaftVoterResponse() | RemoveRaftVoterResponse():
            return replace(answer, error_message=_in_order(answer.error_message))
        case FetchResponse(responses=(topic,)):
            (data,) = topic.partitions
            data = replace(data, records=tuple(map(_with_grants_in_order, data.records or ())))
            return replace(answer, responses=(replace(topic, partitions=(data,)),))
        case _:
            return answer


def _without_times(result: DescribeQuorumPartitionResult) -> DescribeQuorumPartitionResult:
    voters, observers = (
        tuple(
            replace(
                replica,
                last_fetch_timestamp=min(replica.last_fetch_timestamp, 0),
                last_caught_up_timestamp=min(replica.last_caught_up_timestamp, 0),
            )
            for replica in sorted(replicas, key=lambda replica: replica.replica_id)
        )
        for replicas in (result.current_voters, result.observers)
    )
    return replace(result, current_voters=voters, observers=observers)


def _in_order(message: str | None) -> str | None:
    if message is None or message == "NONE":
        return None
    text, _, listed = re.sub(r"Optional\[([^]]*)\]", r"\1", message).partition("[")
    keys = re.findall(r"ReplicaKey\([^)]*\)", listed)
    return f"{text}{sorted(keys)}{listed.rpartition(']')[2]}"


def _with_grants_in_order(batch: Batch) -> Batch:
    first = batch.records[0]
    if not isinstance(first, LeaderChange):
        return batch
    first = replace(first, granting_voters=tuple(sorted(first.granting_voters)))
    return replace(batch, records=(first, *batch.records[1:]))


# Requests


def unequal_requests(stand_in: StandIn) -> dict[int, tuple[object, object]]:
    """By seq: what the recorded voter asked, and what ours asked by the same line."""
    asked = (
        (
            exchange.seq,
            _comparable_request(exchange.request),
            _comparable_request(_as_sent(exchange, sent)),
        )
        for exchange, sent in stand_in.requests
        if exchange.asked.api_key in {FETCH, VOTE, BEGIN, END, UPDATE}
    )
    return {seq: (theirs, ours) for seq, theirs, ours in asked if theirs != ours}


def _as_sent(exchange: Exchange, request: Request | None) -> Request | None:
    if request is None or type(request) is not type(exchange.request):
        return request
    asked = exchange.asked
    named = (asked.api_key, asked.api_version, asked.correlation_id, asked.client_id)
    frame = encode_request(*named, request)[4:]
    return decode_request(read_request_header(frame), frame)


def _comparable_request(request: Request | None) -> Request | None:
    if not isinstance(request, FetchRequest):
        return request
    (topic,) = request.topics
    (partition,) = topic.partitions
    partition = replace(partition, high_watermark=max(0, partition.high_watermark))
    return replace(request, max_bytes=0, topics=(replace(topic, partitions=(partition,)),))


def _is_fetch(request: object) -> bool:
    return isinstance(request, FetchRequest)
