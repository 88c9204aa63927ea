"""Raises the refusals that responses of the controller contain."""

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Topic
from kraftsim.scenarios.language.suggestions import nearest

from ...errors import UnknownTopic


def raise_if_refused(code: int, message: str | None) -> None:
    """Raises ApiError unless an error code of a response is 0."""
    if code:
        raise ApiError(ErrorCode(code), message or "")


def raise_if_topic_refused(image: Image, name: str, code: int, message: str | None) -> None:
    """Raises ApiError unless `code` is 0; an unknown topic is refused with the nearest one."""
    if code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        names = sorted(image.topic_ids)
        known = (
            nearest(name, names, "kraftsim topic list")
            if names
            else "a topic, but the cluster has none"
        )
        raise ApiError(ErrorCode(code), f"no topic {name!r}: expected {known}")
    raise_if_refused(code, message)


def partitions_of(image: Image, name: str) -> list[int]:
    """Returns the partitions of a topic; 0 of an unknown one, which the controller refuses."""
    topic_id = image.topic_ids.get(name)
    return [0] if topic_id is None else sorted(image.topics[topic_id].partitions)


def raise_if_any_refused(
    image: Image, name: str, results: list[tuple[int, int, str | None]]
) -> None:
    """Raises ApiError if a partition was refused; `results` has its number, code and message.

    The error has the code of the first refused partition, and the messages of all of them.
    """
    refused = [result for result in results if result[1]]
    if not refused:
        return
    _, first, message = refused[0]
    if name not in image.topic_ids:
        raise_if_topic_refused(image, name, first, message)
    texts = (
        f"partition {number}: {_reason(image, name, code, message)}"
        for number, code, message in refused
    )
    raise ApiError(ErrorCode(first), f"topic {name!r}, {'; '.join(texts)}")


def _reason(image: Image, name: str, code: int, message: str | None) -> str:
    if code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        return f"expected 0 to {len(partitions_of(image, name)) - 1}"
    if code == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS:
        return "expected a reassignment in progress, got none"
    return message or ErrorCode(code).name


def topic_of(image: Image, name: str, partition: int | None = None) -> Topic:
    """Returns a topic; raises UnknownTopic, or ApiError if the partition does not exist."""
    if name not in image.topic_ids:
        raise UnknownTopic(name, sorted(image.topic_ids))
    topic = image.topics[image.topic_ids[name]]
    if partition is not None and partition not in topic.partitions:
        refused = (partition, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None)
        raise_if_any_refused(image, name, [refused])
    return topic
