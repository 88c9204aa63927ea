"""Limits of remote storage that contradict each other: what stays local, and what is copied later.

A broker checks them when its configurations change, and not at its start.
"""

from ..errors import ApiError
from .node_configs import Levels, topic_default
from .resources import invalid_request

_UNLIMITED, _AS_WHOLE = -1, -2  # `_AS_WHOLE`: as long, or as many, as the whole log
_INVALID = (
    "Invalid value org.apache.kafka.common.config.ConfigException: Invalid value {value} for "
    "configuration {name}: {reason} for configuration Invalid dynamic configuration"
)


def check_remote_storage(levels: Levels, *, has_copy_lag: bool) -> None:
    """Raises INVALID_REQUEST unless the log keeps what is local, and that what is not yet copied.

    `levels` are those after a change. From 4.4 on a copy may lag (`has_copy_lag`).
    """
    units = ("ms", "bytes")
    for unit in units:
        _check_local(levels, unit)
    for unit in units if has_copy_lag else ():
        _check_copy_lag(levels, unit)


def _check_local(levels: Levels, unit: str) -> None:
    whole, local = _number(levels, f"retention.{unit}"), _number(levels, f"local.retention.{unit}")
    if whole == _UNLIMITED or local == _AS_WHOLE:
        return
    if local == _UNLIMITED:
        reason = f"Value must not be -1 as log.retention.{unit} value is set as {whole}."
    elif local > whole:
        reason = f"Value must not be more than log.retention.{unit} property value: {whole}"
    else:
        return
    raise _refusal(f"log.local.retention.{unit}", local, reason)


def _check_copy_lag(levels: Levels, unit: str) -> None:
    local = _number(levels, f"local.retention.{unit}")
    effective = _number(levels, f"retention.{unit}") if local == _AS_WHOLE else local
    lag = _number(levels, f"remote.copy.lag.{unit}")
    if lag > effective >= 0:
        name = f"log.local.retention.{unit}"
        reason = f"Value must not exceed {name} (effective value: {effective})"
        raise _refusal(f"log.remote.copy.lag.{unit}", lag, reason)


def _number(levels: Levels, topic_name: str) -> int:
    """Returns the node's value of what topics name so; every level has a default."""
    return int(topic_default(levels, topic_name) or _UNLIMITED)


def _refusal(name: str, value: int, reason: str) -> ApiError:
    return invalid_request(_INVALID.format(name=name, value=value, reason=reason))
