"""Validation of topic names (rule 4.54), with Kafka's messages."""

from ..errors import ApiError, ErrorCode
from ..state import State
from ..topic_name import flaw as flaw_of

METADATA_TOPIC = "__cluster_metadata"
INTERNAL_TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state")


def check(state: State, name: str) -> None:
    """Raises ApiError for an existing, invalid or colliding topic name.

    TOPIC_ALREADY_EXISTS (36) takes precedence: creating "a.b" again is not a collision.
    """
    if name in state.image.topic_ids:
        raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
    flaw = flaw_of(name)
    if flaw is not None:
        raise _invalid(f"Topic name is invalid: {flaw}")
    existing = state.image.names.existing(name)
    if existing is not None:
        raise _invalid(f"Topic '{name}' collides with existing topic: {existing}")


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, message)
