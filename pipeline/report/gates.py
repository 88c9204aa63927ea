"""Gates of `kraftsim campaign compare --fail-on p99:+10%,violations:+0`.

A gate limits how far a measure of the new campaign may exceed that of the base campaign.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kraftsim.scenarios.language.suggestions import nearest

from ..campaign.campaign import UNENDED
from .amounts import count
from .comparison import PREFIXES, QUANTILES, Comparison

COUNTS = ("violations", "failures", "vacuous", "fences", "elections", "flips", "digests")
TIMES = ("zombies", *(f"{prefix}{name}" for prefix in PREFIXES.values() for name in QUANTILES))
UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6}
_LIMIT = re.compile(r"\+(\d+(?:\.\d+)?)(%|us|ms|s)?")


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit of the measure `name`: its value in the base campaign times `times`, plus `by`.

    `by` is in microseconds or a count, as the measure is. `text` is the gate as the user wrote it.
    """

    text: str
    name: str
    by: float
    times: float

    def limit(self, base: float) -> float:
        """Returns the highest value that the new campaign may have, for the value `base`."""
        return base * self.times + self.by


ENDS = Gate("unended:+0", "unended", 0.0, 1.0)  # implied by any other gate


def read_gates(text: str) -> tuple[Gate, ...]:
    """Parses the argument of --fail-on; raises ValueError for an invalid gate."""
    return tuple(map(_gate, text.split(",")))


def _gate(text: str) -> Gate:
    name, _, limit = text.partition(":")
    if name not in (*COUNTS, *TIMES):
        raise ValueError(f"unknown measure {name!r}: expected {nearest(name, (*COUNTS, *TIMES))}")
    match = _LIMIT.fullmatch(limit)
    if match is None:
        raise ValueError(f"{name}: expected +10%, +0 or +50ms, got {limit!r}")
    amount, unit = float(match[1]), match[2]
    if unit == "%":
        return Gate(text, name, 0.0, 1 + amount / 100)
    if amount and (unit is None) is (name in TIMES):
        expected = "+50ms" if name in TIMES else "+3"
        raise ValueError(f"{name}: expected a limit such as {expected} or +10%, got {limit!r}")
    return Gate(text, name, amount * UNITS_US.get(unit or "us", 1.0), 1.0)


def regressions(comparison: Comparison, gates: tuple[Gate, ...]) -> Iterator[tuple[Gate, str]]:
    """Yields each gate that fails, with the reason.

    A gate also fails if only one of the two campaigns has a value of its measure. If `gates` is not
    empty, `unended:+0` is added: it fails if a run that ended in the base campaign ended with an
    error or a crash in the new campaign.
    """
    for gate in gates:
        base, new = comparison.value(gate.name)
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
        for flip in comparison.flips
        if flip.is_now in UNENDED and flip.was not in UNENDED and not flip.is_planted
    )
    if gates and unended:
        yield ENDS, f"{count(unended, 'run')} ended in the base campaign and do not end now"
