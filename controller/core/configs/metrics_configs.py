"""The configurations of client metrics subscriptions (KIP-714), and their validation."""

import re
from collections.abc import Mapping

from ..errors import ApiError, ErrorCode
from ..java_text import parse_integer
from ..profile import Profile
from .configuration import Configuration
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
    if "interval.ms" in configs:
        _check_interval(configs["interval.ms"], profile)
    if match := configs.get("match"):
        for pattern in match.split(","):
            _check_pattern(pattern)


def _check_interval(text: str, profile: Profile) -> None:
    if not profile.parses_metrics_intervals and parse_integer(text, 32) is None:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
    number = METRICS_CONFIGS["interval.ms"].parse(text)
    if not INTERVAL_MS_MIN <= int(str(number)) <= INTERVAL_MS_MAX:
        raise invalid_request(
            f"Invalid value {text} for interval.ms, interval must be between "
            f"{INTERVAL_MS_MIN} and {INTERVAL_MS_MAX} (1 hour)"
        )


def _check_pattern(pattern: str) -> None:
    """Raises INVALID_CONFIG unless `pattern` is `name=expression`."""
    name, *rest = (part.strip() for part in pattern.split("="))
    if len(rest) != 1 or name not in _MATCHED or not _compiles(rest[0]):
        raise invalid(f"Illegal client matching pattern: {pattern}")


def _compiles(expression: str) -> bool:
    """True for a regular expression; Python's agree with Java's but for rare constructs."""
    try:
        re.compile(expression)
    except re.error:
        return False
    return True
