"""DeleteTopics, by name or by id (rules 4.52, 4.59).

A topic that the request names twice is not deleted: a repeated name or id gets a single result, as
does a topic named both by name and by id.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from .. import rpc
from ..errors import ApiError, ErrorCode, expect_time
from ..hash_order import in_hash_order
from ..image.image import Image
from ..log.records import RemoveTopicRecord
from ..refusals import answered
from ..state import Decision, State
from ..uuid import ZERO_UUID, Uuid

Key = TypeVar("Key", str, bytes)
DELETION_DISABLED_SINCE = 3


def respond_to_deletion(
    request: rpc.DeleteTopicsRequest, reply: rpc.Response | ApiError, version: int
) -> rpc.Response:
    """Returns the response to a DeleteTopics request.

    Before version 3 there is no TOPIC_DELETION_DISABLED.
    """
    response = answered(request, reply)
    if version >= DELETION_DISABLED_SINCE or not isinstance(response, rpc.DeleteTopicsResponse):
        return response
    disabled, instead = ErrorCode.TOPIC_DELETION_DISABLED, ErrorCode.INVALID_REQUEST
    return replace(
        response,
        responses=tuple(
            replace(result, error_code=instead) if result.error_code == disabled else result
            for result in response.responses
        ),
    )


def delete_topics(state: State, request: rpc.DeleteTopicsRequest, now_ms: int) -> Decision:
    """Decide a DeleteTopics request: one RemoveTopicRecord for each topic, in one batch.

    Raises TOPIC_DELETION_DISABLED unless delete.topic.enable is true (rule 4.62).
    """
    if not state.settings.delete_topic_enable:
        raise ApiError(ErrorCode.TOPIC_DELETION_DISABLED, "")
    image, results = state.image, [refusal for topic in request.topics for refusal in _odd(topic)]
    names = Counter([*request.topic_names, *_names(request.topics)])
    ids = Counter(_ids(request.topics))
    if 1 in names.values() or 1 in ids.values():
        expect_time(request.timeout_ms)
    results += [_refused(name, ZERO_UUID, _DUPLICATE_NAME) for name in in_hash_order(_twice(names))]
    results += [_refused(None, topic_id, _DUPLICATE_ID) for topic_id in _twice(ids)]
    doomed: dict[Uuid, str] = {}
    for topic_id in (topic_id for topic_id, count in ids.items() if count == 1):
        if topic_id in image.topics:
            doomed[topic_id] = image.topics[topic_id].name
        else:
            results.append(_refused(None, topic_id, _UNKNOWN_ID))
    for name in in_hash_order(name for name, count in names.items() if count == 1):
        refusal = _doom(image, name, ids, doomed)
        results += [] if refusal is None else [refusal]
    allowance = state.mutations.allowance(image, request, now_ms)
    records: list[RemoveTopicRecord] = []
    for topic_id, name in doomed.items():
        try:
            allowance.take(len(image.topics[topic_id].partitions))
        except ApiError as error:
            results.append(_refused(name, topic_id, error))
        else:
            results.append(rpc.DeletableTopicResult(name=name, topic_id=topic_id))
            records.append(RemoveTopicRecord(topic_id=topic_id))
    reply = rpc.DeleteTopicsResponse(
        throttle_time_ms=allowance.throttle_ms, responses=tuple(results)
    )
    return Decision(tuple(records), reply, is_atomic=True, mutation=allowance.note(now_ms))


def _doom(
    image: Image, name: str, ids: Counter[Uuid], doomed: dict[Uuid, str]
) -> rpc.DeletableTopicResult | None:
    topic_id = image.topic_ids.get(name)
    if topic_id is None:
        return _refused(name, ZERO_UUID, _UNKNOWN_NAME)
    if ids[topic_id]:
        doomed.pop(topic_id, None)
        return _refused(name, topic_id, _ALREADY_SUPPLIED)
    doomed[topic_id] = name
    return None


def _odd(topic: rpc.DeleteTopicState) -> Iterable[rpc.DeletableTopicResult]:
    if topic.name is None and topic.topic_id == ZERO_UUID:
        yield _refused(None, ZERO_UUID, _NEITHER)
    elif topic.name is not None and topic.topic_id != ZERO_UUID:
        yield _refused(topic.name, topic.topic_id, _BOTH)


def _names(topics: Iterable[rpc.DeleteTopicState]) -> list[str]:
    return [t.name for t in topics if t.name is not None and t.topic_id == ZERO_UUID]


def _ids(topics: Iterable[rpc.DeleteTopicState]) -> list[Uuid]:
    return [t.topic_id for t in topics if t.name is None and t.topic_id != ZERO_UUID]


def _twice(counts: Counter[Key]) -> list[Key]:
    return [key for key, count in counts.items() if count > 1]


def _refused(name: str | None, topic_id: Uuid, error: ApiError) -> rpc.DeletableTopicResult:
    return rpc.DeletableTopicResult(
        name=name, topic_id=topic_id, error_code=error.code, error_message=error.message or None
    )


_NEITHER = ApiError(ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified.")
_BOTH = ApiError(ErrorCode.INVALID_REQUEST, "You may not specify both topic name and topic id.")
_DUPLICATE_NAME = ApiError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
_DUPLICATE_ID = ApiError(ErrorCode.INVALID_REQUEST, "Duplicate topic id.")
_ALREADY_SUPPLIED = ApiError(
    ErrorCode.INVALID_REQUEST, "The provided topic name maps to an ID that was already supplied."
)
_UNKNOWN_NAME = ApiError(
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition."
)
_UNKNOWN_ID = ApiError(ErrorCode.UNKNOWN_TOPIC_ID, "This server does not host this topic ID.")
