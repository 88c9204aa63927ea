"""Numbers as people read them, each with its unit."""

from ..analysis.statistics import Difference, Share


def duration(us: float) -> str:
    """Of microseconds."""
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
    """As many digits as tell it from 0 and from 100 %."""
    if share in (0.0, 1.0) or 0.1 <= share <= 0.9:
        return f"{share:.0%}" if share in (0.0, 1.0) else f"{share:.1%}"
    return f"{share:.2%}" if 0.001 <= share <= 0.999 else f"{share:.4%}"


def with_interval(one: Share) -> str:
    if not one.of:
        return "-"
    return f"{percent(one.share)} ({percent(one.low)} to {percent(one.high)})"


def points(one: Difference) -> str:
    """Of a hundred."""
    return f"{100 * one.by:+.1f} points ({100 * one.low:+.1f} to {100 * one.high:+.1f})"


def count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
