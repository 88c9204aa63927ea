"""wip"""
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from kraftsim.controller.core.batch import LeaderChange
from kraftsim.controller.core.rpc import (
    FetchResponse,
    AddRaftVoterResponse,
    DescribeQuorumPartitionResult,
    DescribeQuorumResponse,
    FetchRequest,
    RemoveRaftVoterResponse,
    Request,
    Response,
)
from kraftsim.controller.raft.roles import Follower
from kraftsim.controller.wire.frames import (
    decode_request,
    decode_response,
    encode_request,
    encode_response,
    read_request_header,
)
from tests.golden.exchanges import API_VERSIONS, DYNAMIC, FETCH, STATIC, UPDATE, VOTER_IDS, Exchange, Place
from tests.golden.stand_in import StandIn

MOVED: dict[Place, dict[int, int]] = {
    Place("4.1.1", STATIC, 3000): {26: 24},
    Place("4.1.1", STATIC, 3001): {434: 438, 628: 631, 641: 638, 2503: 2500, 3095: 3093},
    Place("4.1.1", DYNAMIC, 3000): {548: 546},
    Place("4.3.1", STATIC, 3000): {1638: 1644, 1640: 1644},
    Place("4.3.1", STATIC, 3001): {362: 368, 366: 368, 368: 373, 1500: 1497},
    Place("4.3.1", STATIC, 3002): {885: 882},
    Place("4.3.1", DYNAMIC, 3000): {667: 666},
}


def unequal_answers(stand_in: StandIn) -> dict[int, tuple[object, object]]:
    told = (
        (one.seq, comparable(one.response), comparable(spelled(one, answer)))
        for one, answer in stand_in.answers
    )
    return {seq: (theirs, ours) for seq, theirs, ours in told if theirs != ours}


def spelled(exchange: Exchange, answer: Response | None) -> Response | None:
    """As it goes over the wire in the version that was asked for."""
    if answer is None:
        return None
    asked = exchange.asked
    frame = encode_response(asked.api_key, asked.api_version, asked.correlation_id, answer)
    return decode_response(asked.api_key, asked.api_version, frame[4:])[1]


def comparable(answer: Response | None) -> object:
    match answer:
        case DescribeQuorumResponse():
            return replace(
                answer,
                topics=tuple(
                    replace(topic, partitions=tuple(map(_without_times, topic.partitions)))
                    for topic in answer.topics
                ),
            )
        case AddRaftVoterResponse() | RemoveRaftVoterResponse():
            return replace(answer, error_message=_in_order(answer.error_message))
        case FetchResponse(responses=(topic,)) if records := topic.partitions[0].records:
            records = tuple(map(_with_granting_in_order, records))
            partitions = (replace(topic.partitions[0], records=records),)
            return replace(answer, responses=(replace(topic, partitions=partitions),))
        case _:
            return answer

def _with_granting_in_order(batch):
    first = batch.records[0]
    if not isinstance(first, LeaderChange): return batch
    first = replace(first, granting_voters=tuple(sorted(first.granting_voters)))
    return replace(batch, records=(first, *batch.records[1:]))


def _without_times(result: DescribeQuorumPartitionResult) -> DescribeQuorumPartitionResult:
    voters, observers = (
        tuple(
            replace(
                one,
                last_fetch_timestamp=min(one.last_fetch_timestamp, 0),
                last_caught_up_timestamp=min(one.last_caught_up_timestamp, 0),
            )
            for one in sorted(states, key=lambda one: one.replica_id)
        )
        for states in (result.current_voters, result.observers)
    )
    return replace(result, current_voters=voters, observers=observers)


def _in_order(message: str | None) -> str | None:
    """The voters that a text lists, in order of id."""
    if message in (None, "NONE"):
        return None
    text, _, listed = re.sub(r"Optional\[([^]]*)\]", r"\1", message).partition("[")
    if not listed:
        return text
    keys = re.findall(r"ReplicaKey\([^)]*\)", listed)
    return f"{text}{sorted(keys)}{listed.rpartition(']')[2]}"


def unequal_requests(stand_in: StandIn) -> dict[int, tuple[object, object]]:
    told = (
        (one.seq, comparable_request(one.request), comparable_request(spelled_request(one, sent)))
        for one, role, sent in stand_in.requests if one.asked.api_key not in (API_VERSIONS, UPDATE)
    )
    return {seq: (theirs, ours) for seq, theirs, ours in told if theirs != ours}

def spelled_request(exchange, sent):
    if sent is None:
        return None
    asked = exchange.asked
    if type(sent) is not type(exchange.request): return sent
    frame = encode_request(
        asked.api_key, asked.api_version, asked.correlation_id, asked.client_id, sent
    )[4:]
    return decode_request(read_request_header(frame), frame)

def comparable_request(request):
    if not isinstance(request, FetchRequest):
        return request
    (topic,)=request.topics
    (partition,)=topic.partitions
    partition=replace(partition, high_watermark=max(0,partition.high_watermark))
    return replace(request, max_bytes=0, topics=(replace(topic, partitions=(partition,)),))
