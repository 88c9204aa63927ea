"""The schemas of the data plane, and the refusal of each of its requests."""

from typing import Any

import pytest

from kraftsim.controller.core.apis import is_one_way
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import refusal
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import decode_response, encode_response
from kraftsim.controller.wire.json.json_form import from_json, to_json
from kraftsim.controller.wire.messages.declared import ON_DEMAND, of_sort

REFUSED = ApiError(ErrorCode.POLICY_VIOLATION, "nothing is stored")
NAMED = [
    pytest.param(api.key, version, id=f"{api.name}-{version}")
    for api in of_sort("api")
    if api.subject in ON_DEMAND
    for version in range(api.min_version, api.max_version + 1)
]


def request_of(key: int, body: dict[str, Any]) -> Request:
    request = from_json(APIS[key].request, body)
    assert isinstance(request, Request)
    return request


def refused(key: int, version: int, body: dict[str, Any]) -> dict[str, Any]:
    """The refusal of a request, as a client decodes it."""
    frame = encode_response(key, version, 7, refusal(request_of(key, body), REFUSED))
    assert int.from_bytes(frame[:4]) == len(frame) - 4
    correlation_id, response = decode_response(key, version, frame[4:])
    assert correlation_id == 7
    return to_json(APIS[key].response, response, version)


@pytest.mark.parametrize(("key", "version"), NAMED)
def test_a_request_without_elements_is_refused_in_every_version(key: int, version: int) -> None:
    document = refused(key, version, {})

    assert document.get("errorCode", 44) == 44


def test_each_partition_of_a_produce_request_has_the_error_and_the_text() -> None:
    partitions = [{"index": 0}, {"index": 4}]
    topics = [
        {"name": "a", "partitionData": partitions},
        {"name": "b", "partitionData": partitions[:1]},
    ]

    responses = refused(0, 9, {"acks": 1, "topicData": topics})["responses"]

    assert [topic["name"] for topic in responses] == ["a", "b"]
    for topic, indexes in zip(responses, ([0, 4], [0]), strict=True):
        assert [partition["index"] for partition in topic["partitionResponses"]] == indexes
        for partition in topic["partitionResponses"]:
            assert partition["errorCode"] == 44
            assert partition["errorMessage"] == "nothing is stored"
            assert partition["baseOffset"] == 0


def test_elements_that_a_request_lists_bare_are_named_in_the_refusal() -> None:
    coordinators = refused(10, 4, {"coordinatorKeys": ["g", "h"]})["coordinators"]
    groups = refused(15, 6, {"groups": ["g"]})["groups"]
    deleted = refused(42, 2, {"groupsNames": ["g"]})["results"]
    transactions = refused(65, 0, {"transactionalIds": ["t"]})["transactionStates"]
    topics = [{"name": "a", "partitionIndexes": [3]}]
    producers = refused(61, 0, {"topics": topics})["topics"]

    assert [(row["key"], row["errorCode"]) for row in coordinators] == [("g", 44), ("h", 44)]
    assert [row["errorMessage"] for row in coordinators] == ["nothing is stored"] * 2
    assert [(row["groupId"], row["errorCode"]) for row in groups] == [("g", 44)]
    assert [(row["groupId"], row["errorCode"]) for row in deleted] == [("g", 44)]
    assert [(row["transactionalId"], row["errorCode"]) for row in transactions] == [("t", 44)]
    ((partition,),) = [topic["partitions"] for topic in producers]
    assert (producers[0]["name"], partition["partitionIndex"]) == ("a", 3)
    assert (partition["errorCode"], partition["errorMessage"]) == (44, "nothing is stored")


@pytest.mark.parametrize("version", [0, 3, 4, 6])
def test_a_refused_coordinator_is_no_node(version: int) -> None:
    """kafka-go sends a group's request to the node of the reply, and ignores the error."""
    asked = {"key": "g"} if version < 4 else {"coordinatorKeys": ["g"]}

    document = refused(10, version, asked)

    row = document if version < 4 else document["coordinators"][0]
    assert (row["nodeId"], row["host"], row["port"]) == (-1, "", -1)


@pytest.mark.parametrize(
    ("version", "asked", "results"),
    [
        (
            3,
            {"v3AndBelowTopics": [{"name": "a", "partitions": [1]}]},
            lambda document: document["resultsByTopicV3AndBelow"],
        ),
        (
            4,
            {
                "transactions": [
                    {"transactionalId": "t", "topics": [{"name": "a", "partitions": [1]}]}
                ]
            },
            lambda document: document["resultsByTransaction"][0]["topicResults"],
        ),
    ],
)
def test_a_transaction_is_told_of_each_partition_that_it_adds(
    version: int, asked: dict[str, Any], results: Any
) -> None:
    (topic,) = results(refused(24, version, asked))

    assert topic == {
        "name": "a",
        "resultsByPartition": [{"partitionIndex": 1, "partitionErrorCode": 44}],
    }


def test_replicas_are_refused_without_the_folder_that_they_were_to_move_to() -> None:
    topics = [{"name": "a", "partitions": [0, 2]}]

    (topic,) = refused(34, 2, {"dirs": [{"path": "/x", "topics": topics}]})["results"]

    assert topic["topicName"] == "a"
    assert [(row["partitionIndex"], row["errorCode"]) for row in topic["partitions"]] == [
        (0, 44),
        (2, 44),
    ]


def test_a_produce_request_with_acks_0_expects_no_response() -> None:
    assert is_one_way(request_of(0, {"acks": 0}))
    assert not is_one_way(request_of(0, {"acks": 1}))
    assert not is_one_way(request_of(12, {}))


def test_a_response_may_have_a_struct_that_is_null_or_not() -> None:
    group = {"topicPartitions": [{"topicId": "AAAAAAAAAAAAAAAAAAAABw", "partitions": [1, 2]}]}
    for assignment in (None, group):
        response = from_json(APIS[68].response, {"memberId": "m", "assignment": assignment})
        frame = encode_response(68, 1, 7, response)
        _, decoded = decode_response(68, 1, frame[4:])
        assert decoded == response
        assert to_json(APIS[68].response, decoded, 1)["assignment"] == assignment
