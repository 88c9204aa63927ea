"""`--fail-on p99:+10%,violations:+0`: the limits above which a measure counts as a regression."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kraftsim.scenarios.language.suggestions import nearest

from ..campaign.campaign import UNENDED
from .amounts import count
from .comparison import QUANTILES, WHAT, Comparison

COUNTS = ("violations", "failures", "vacuous", "fences", "elections", "flips", "digests")
TIMES = ("zombies", *(f"{prefix}{name}" for prefix in WHAT.values() for name in QUANTILES))
UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6}
_LIMIT = re.compile(r"\+(\d+(?:\.\d+)?)(%|us|ms|s)?")


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit of a measure: `times` its base value plus `by` (microseconds or a count)."""

    text: str
    name: str
    by: float
    times: float

    def limit(self, base: float) -> float:
        """Returns the highest allowed value."""
        return base * self.times + self.by


ENDS = Gate("unended:+0", "unended", 0.0, 1.0)  # implied by any other gate


def read_gates(text: str) -> tuple[Gate, ...]:
    """Parses the gates; raises ValueError for an invalid one."""
    return tuple(map(_gate, text.split(",")))


def _gate(text: str) -> Gate:
    name, _, limit = text.partition(":")
    if name not in (*COUNTS, *TIMES):
        raise ValueError(f"unknown measure {name!r}: expected {nearest(name, (*COUNTS, *TIMES))}")
    found = _LIMIT.fullmatch(limit)
    if found is None:
        raise ValueError(f"{name}: expected +10%, +0 or +50ms, got {limit!r}")
    amount, unit = float(found[1]), found[2]
    if unit == "%":
        return Gate(text, name, 0.0, 1 + amount / 100)
    if amount and (unit is None) is (name in TIMES):
        expected = "+50ms" if name in TIMES else "+3"
        raise ValueError(f"{name}: expected a limit such as {expected} or +10%, got {limit!r}")
    return Gate(text, name, amount * UNITS_US.get(unit or "us", 1.0), 1.0)


def regressions(found: Comparison, gates: tuple[Gate, ...]) -> Iterator[tuple[Gate, str]]:
    """Yields each gate that fails, with the reason.

    A gate also fails if only one of the campaigns has a value. Any gate implies `unended:+0`, which
    fails if a run that ended in the base campaign no longer does.
    """
    for gate in gates:
        base, new = found.value(gate.name)
        if new is None:
            if base is not None:
                yield gate, f"{gate.name}: expected a value, got none (base: {base:,.0f})"
        elif base is None:
            yield gate, f"{gate.name}: expected no value, as in the base, got {new:,.0f}"
        elif new > gate.limit(base):
            yield (
                gate,
                f"{gate.name}: expected at most {gate.text} over {base:,.0f}, got {new:,.0f}",
            )
    unended = sum(
        flip.runs
        for flip in found.flips
        if flip.is_now in UNENDED and flip.was not in UNENDED and not flip.is_planted
    )
    if gates and unended:
        yield ENDS, f"{count(unended, 'run')} ended in the base campaign and do not end now"
