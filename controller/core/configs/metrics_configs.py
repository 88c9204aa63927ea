"""The configurations of client metrics subscriptions (KIP-714), and their validation."""

import re
from collections.abc import Mapping, Sequence
from warnings import catch_warnings

from ..errors import ApiError, ErrorCode
from ..java_text import parse_integer
from ..profile import Profile
from .configuration import Configuration
from .lists import split
from .resources import invalid_request
from .validators import INT, LIST, invalid

METRICS_CONFIGS = {
    row.name: row
    for row in (
        Configuration("metrics", LIST, ""),
        Configuration("interval.ms", INT, "300000"),
        Configuration("match", LIST, ""),
    )
}

_parse = vars(re)["_parser"].parse  # the public functions compile too
INTERVAL_MS_MIN, INTERVAL_MS_MAX = 100, 3_600_000
_MATCHED = frozenset(
    {
        "client_instance_id",
        "client_id",
        "client_software_name",
        "client_software_version",
        "client_source_address",
        "client_source_port",
    }
)


def check(configs: Mapping[str, str], profile: Profile) -> None:
    """Raises INVALID_REQUEST or INVALID_CONFIG for invalid configurations."""
    for name in configs:
        if name not in METRICS_CONFIGS:
            raise invalid_request(f"Unknown client metrics configuration: {name}")
    interval = configs.get("interval.ms")
    _check_elements("metrics", configs, profile)
    number = None if interval is None else _interval(interval, profile)
    _check_elements("match", configs, profile)
    if number is not None and not INTERVAL_MS_MIN <= number <= INTERVAL_MS_MAX:
        raise invalid_request(
            f"Invalid value {interval} for interval.ms, interval must be between "
            f"{INTERVAL_MS_MIN} and {INTERVAL_MS_MAX} (1 hour)"
        )
    for pattern in _patterns(configs, profile):
        _check_pattern(pattern)


def _check_elements(name: str, configs: Mapping[str, str], profile: Profile) -> None:
    if profile.refuses_empty_metrics and "" in LIST(name, configs.get(name, "")):
        raise invalid(f"Configuration '{name}' values must not be empty.")


def _interval(text: str, profile: Profile) -> int:
    if not profile.parses_metrics_configs and parse_integer(text, 32) is None:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
    return int(str(METRICS_CONFIGS["interval.ms"].parse(text)))


def _patterns(configs: Mapping[str, str], profile: Profile) -> Sequence[str]:
    """Returns the patterns of `match`; 3.9 splits it as it is."""
    match = configs.get("match")
    if match is None:
        return ()
    return LIST("match", match) if profile.parses_metrics_configs else split(match)


def _check_pattern(pattern: str) -> None:
    """Raises INVALID_CONFIG unless `pattern` is `name=expression`; more `=` may follow."""
    name, *rest = (part.strip() for part in pattern.rstrip("=").split("="))
    if len(rest) != 1 or name not in _MATCHED or not _is_expression(rest[0]):
        raise invalid(f"Illegal client matching pattern: {pattern}")


def _is_expression(text: str) -> bool:
    """True for a regular expression; Python's agree with Java's but for rare constructs.

    It is parsed, not compiled: compiling a class of a million characters that ignores case takes
    10 ms, and a value has room for thousands of them. Python warns of constructs that a later
    Python may read differently.
    """
    try:
        with catch_warnings(action="ignore"):
            _parse(text)
    except (re.error, OverflowError, RecursionError):  # the last for thousands of brackets
        return False
    return True
