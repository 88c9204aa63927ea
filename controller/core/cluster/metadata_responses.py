"""Responses of Metadata, which brokers alone answer, as each version has them (rule 5.41)."""

from dataclasses import replace

from ..errors import ApiError, ErrorCode
from ..rpc import MetadataRequest, MetadataResponse, MetadataTopic, Response
from ..uuid import ZERO_UUID

LISTENER_NOT_FOUND_SINCE = 6
_WITHOUT_IDS = (10, 11)  # the request has topic ids, but Kafka refuses all but zero


def respond(request: MetadataRequest, reply: Response | ApiError, version: int) -> Response:
    """Returns the response to a Metadata request."""
    response = _refused(request, reply) if isinstance(reply, ApiError) else reply
    if not isinstance(response, MetadataResponse):
        return response
    if version in _WITHOUT_IDS:
        return _without_ids(request, response)
    if version < LISTENER_NOT_FOUND_SINCE:
        return replace(response, topics=tuple(map(_without_listener_errors, response.topics)))
    return response


def _refused(request: MetadataRequest, error: ApiError) -> MetadataResponse:
    """Returns a refusal, in which a topic without a name has an empty one."""
    topics = (
        MetadataTopic(error_code=error.code, name=topic.name or "", topic_id=topic.topic_id)
        for topic in request.topics or ()
    )
    return MetadataResponse(topics=tuple(topics), error_code=error.code)


def _without_listener_errors(topic: MetadataTopic) -> MetadataTopic:
    """Returns the topic; a leader without the client's listener is one that is not available."""
    missing = ErrorCode.LISTENER_NOT_FOUND
    if all(partition.error_code != missing for partition in topic.partitions):
        return topic
    return replace(
        topic,
        partitions=tuple(
            replace(partition, error_code=ErrorCode.LEADER_NOT_AVAILABLE)
            if partition.error_code == missing
            else partition
            for partition in topic.partitions
        ),
    )


def _without_ids(request: MetadataRequest, response: Response) -> Response:
    """Returns the response, or a refusal if a topic has an id or no name (KafkaApis.scala)."""
    if all(
        topic.name is not None and topic.topic_id == ZERO_UUID for topic in request.topics or ()
    ):
        return response
    return _refused(request, ApiError(ErrorCode.INVALID_REQUEST, "expected topics by name"))
