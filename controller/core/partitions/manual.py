"""Checks of replicas that a request names itself (rule 4.55)."""

from ..errors import ApiError, ErrorCode
from ..state import State

_PREFIX = "The manual partition assignment includes"


def check_manual_replicas(
    state: State, broker_ids: tuple[int, ...], count: int | None = None
) -> None:
    """Raises INVALID_REPLICA_ASSIGNMENT unless `broker_ids` is a valid replica list.

    With a `count`, the list must have as many replicas.
    """
    if not broker_ids:
        raise bad_assignment(f"{_PREFIX} an empty replica list.")
    for broker_id in sorted(broker_ids):
        if broker_id not in state.image.brokers:
            raise bad_assignment(f"{_PREFIX} broker {broker_id}, but no such broker is registered.")
        if state.profile.spares_cordoned_brokers and state.image.brokers[broker_id].is_cordoned:
            raise bad_assignment(
                f"{_PREFIX} broker {broker_id}, but all its log directories are cordoned."
            )
        if broker_ids.count(broker_id) > 1:
            raise bad_assignment(f"{_PREFIX} the broker {broker_id} more than once.")
    if count is not None and len(broker_ids) != count:
        raise bad_assignment(
            f"{_PREFIX} a partition with {len(broker_ids)} replica(s), but this is not consistent "
            f"with previous partitions, which have {count} replica(s)."
        )


def check_any_active(state: State, broker_ids: tuple[int, ...], partition_index: int) -> None:
    """Raises INVALID_REPLICA_ASSIGNMENT if no replica of a new partition is active."""
    if not any(map(state.image.is_active, broker_ids)):
        raise bad_assignment(
            "All brokers specified in the manual partition assignment for partition "
            f"{partition_index} are fenced or in controlled shutdown."
        )


def bad_assignment(message: str) -> ApiError:
    """Returns the refusal of a replica list."""
    return ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)
