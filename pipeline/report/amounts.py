"""Formats numbers for people, each with its unit."""

from ..analysis.statistics import Difference, Share


def duration(us: float) -> str:
    """Formats a duration in microseconds."""
    if us < 1_000_000:
        return f"{us / 1000:.3g} ms"
    if us < 600 * 1_000_000:
        return f"{us / 1e6:,.4g} s"
    if us < 2 * 3600 * 1_000_000:
        return f"{us / 60e6:,.3g} min"
    if us < 48 * 3600 * 1_000_000:
        return f"{us / 3.6e9:,.3g} h"
    return f"{us / 86.4e9:,.4g} days"


def percent(share: float) -> str:
    """Formats a share with enough digits to distinguish it from 0 % and 100 %."""
    if share in (0.0, 1.0) or 0.1 <= share <= 0.9:
        return f"{share:.0%}" if share in (0.0, 1.0) else f"{share:.1%}"
    return f"{share:.2%}" if 0.001 <= share <= 0.999 else f"{share:.4%}"


def with_interval(share: Share) -> str:
    """Formats a share with its interval; "-" if there were no trials."""
    if not share.of:
        return "-"
    return f"{percent(share.share)} ({percent(share.low)} to {percent(share.high)})"


def points(difference: Difference) -> str:
    """Formats a difference of shares in percentage points."""
    by, low, high = (100 * share for share in (difference.by, difference.low, difference.high))
    return f"{by:+.1f} points ({low:+.1f} to {high:+.1f})"


def count(number: int, noun: str) -> str:
    """Formats a number with its noun, in the plural unless it is 1."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
