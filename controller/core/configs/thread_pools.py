"""Pools of threads that a broker resizes while it runs: by a factor of two at most, in one step."""

from collections.abc import Mapping
from typing import NamedTuple

from ..errors import ApiError
from .node_configs import Levels, in_force
from .resources import invalid_request


class _Texts(NamedTuple):
    """Why a pool may not be empty, not shrink so far and not grow so far."""

    empty: str
    smaller: str
    larger: str


_INVALID = (
    "Invalid value org.apache.kafka.common.config.ConfigException: {} for configuration Invalid "
    "dynamic configuration"
)
_POOL = "Dynamic thread count update validation failed for {name}={new}, value should"
_OF_A_POOL = _Texts(
    _INVALID.format(f"{_POOL} be at least 1"),
    _INVALID.format(f"{_POOL} be at least half the current value {{old}}"),
    _INVALID.format(f"{_POOL} not be greater than double the current value {{old}}"),
)
_CLEANER = "Log cleaner threads cannot be"
_OF_THE_CLEANER = _Texts(
    "/ by zero",  # Kafka divides a buffer by the number of threads before it checks the number
    _INVALID.format(f"{_CLEANER} reduced to less than half the current value {{old}}"),
    _INVALID.format(f"{_CLEANER} increased to more than double the current value {{old}}"),
)
POOLS: Mapping[str, _Texts] = {
    "background.threads": _OF_A_POOL,
    "log.cleaner.threads": _OF_THE_CLEANER,
    "num.io.threads": _OF_A_POOL,
    "num.network.threads": _OF_A_POOL,
    "num.recovery.threads.per.data.dir": _OF_A_POOL,
    "num.replica.fetchers": _OF_A_POOL,
}


def check_pools(levels: Levels, texts: Mapping[str, str]) -> None:
    """Raises INVALID_REQUEST unless each pool of `texts` may have its new size (4.3.1)."""
    for name in sorted(POOLS.keys() & texts.keys()):
        refusal = _refusal(name, int(texts[name]), int(in_force(levels, name) or texts[name]))
        if refusal is not None:
            raise refusal


def _refusal(name: str, new: int, old: int) -> ApiError | None:
    if new < 1:
        text = POOLS[name].empty
    elif new < old // 2:
        text = POOLS[name].smaller
    elif new > old * 2:
        text = POOLS[name].larger
    else:
        return None
    return invalid_request(text.format(name=name, new=new, old=old))
