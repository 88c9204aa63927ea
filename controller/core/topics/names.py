"""Validation of topic names (rule 4.54), with Kafka's messages."""

import re

from ..errors import ApiError, ErrorCode
from ..state import State

NAME_LENGTH_MAX = 249
METADATA_TOPIC = "__cluster_metadata"
INTERNAL_TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state")
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def check(state: State, name: str) -> None:
    """Raises ApiError for an existing, invalid or colliding topic name.

    TOPIC_ALREADY_EXISTS (36) takes precedence: creating "a.b" again is not a collision.
    """
    if name in state.image.topic_ids:
        raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
    flaw = _flaw(name)
    if flaw is not None:
        raise _invalid(f"Topic name is invalid: {flaw}")
    existing = state.image.names.existing(name)
    if existing is not None:
        raise _invalid(f"Topic '{name}' collides with existing topic: {existing}")


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, message)


def _flaw(name: str) -> str | None:
    if not name:
        return "the empty string is not allowed"
    if name in (".", ".."):
        return f"'{name}' is not allowed"
    if len(name) > NAME_LENGTH_MAX:
        return f"the length of '{name}' is longer than the max allowed length {NAME_LENGTH_MAX}"
    if not _LEGAL.fullmatch(name):
        return (
            f"'{name}' contains one or more characters other than ASCII alphanumerics, "
            "'.', '_' and '-'"
        )
    return None
