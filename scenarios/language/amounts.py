"""Times in a scenario: fixed, relative to the configuration, or drawn from the run's seed.

30s                                   fixed
{of: session, times: 1, plus: -1ms}   relative to broker.session.timeout.ms
{from: 1s, to: 5s}                    drawn uniformly
{heavy: 6s}                           drawn with mean about 6s: mostly short, sometimes long
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Annotated

from kraftsim.controller.core.settings import Settings

from .durations import duration_text, microseconds
from .reading import Path, Problem, expect_keys, mapping
from .schema import SWEPT, Schema, SchemaOf, any_of, closed
from .suggestions import nearest

SETTINGS_OF = {
    "session": "broker_session_timeout_ms",
    "heartbeat": "broker_heartbeat_interval_ms",
    "election": "controller_quorum_election_timeout_ms",
    "fetch": "controller_quorum_fetch_timeout_ms",
    "request": "controller_quorum_request_timeout_ms",
    "registration": "initial_broker_registration_timeout_ms",
}
WRITTEN = r"^\s*-?\s*\d+(\.\d+)?\s*(us|ms|s|m|h)?\s*$"  # as `durations.py` reads it, or negative
# FoundationDB's durations: scale * e^(-9u); their mean is 1.1 times the given mean
HEAVY_SCALE, HEAVY_FALL = 10.0, 9.0


@dataclass(frozen=True, slots=True)
class Amount:
    """A time in a scenario.

    `fixed_us` is the value in microseconds; None until the value is computed from the settings
    or drawn.
    """

    fixed_us: int | None = None
    of: str | None = None
    times: float = 1.0
    plus_us: int = 0
    low: "Amount | None" = None
    high: "Amount | None" = None
    heavy: "Amount | None" = None

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None:
            in_order("from", self.low, "to", self.high)

    @property
    def us(self) -> int:
        """The value in microseconds; raises AssertionError if the amount is not fixed."""
        assert self.fixed_us is not None, f"{self} was not expanded"
        return self.fixed_us

    @staticmethod
    def from_document(value: object, path: Path) -> "Amount":
        """Reads an amount; raises Problem if it is malformed.

        Only the word `by`, which sets a clock, may be negative.
        """
        if not isinstance(value, Mapping):
            us = _read_us(value, path)
            # only a clock can be set back: `by` may be negative
            if us < 0 and path[-1:] != ("by",):
                raise Problem(path, f"expected a duration of 0s or more, got {value!r}")
            return Amount(fixed_us=us)
        if "of" in value:
            expect_keys(value, ("of", "times", "plus"), path)
            return _relative(value, path)
        if "heavy" in value:
            expect_keys(value, ("heavy",), path)
            return Amount(heavy=Amount.from_document(value["heavy"], (*path, "heavy")))
        expect_keys(mapping(value, path), ("from", "to"), path)
        if "from" not in value or "to" not in value:
            raise Problem(path, f"expected the keys from and to, got {dict(value)}")
        low = Amount.from_document(value["from"], (*path, "from"))
        high = Amount.from_document(value["to"], (*path, "to"))
        try:
            return Amount(low=low, high=high)
        except ValueError as error:
            raise Problem(path, str(error)) from None

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of all forms of an amount."""
        written: Schema = {"type": "string", "pattern": WRITTEN}
        amount, times = of(Amount), any_of({"type": "number"}, SWEPT)
        name: Schema = {"enum": list(SETTINGS_OF)}
        relative = {"of": any_of(name, SWEPT), "times": times, "plus": any_of(written, SWEPT)}
        return any_of(
            written,
            closed(relative, ["of"]),
            closed({"from": amount, "to": amount}, ["from", "to"]),
            closed({"heavy": amount}, ["heavy"]),
            SWEPT,
        )

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        if self.fixed_us is not None:
            return _text(self.fixed_us)
        if self.heavy is not None:
            return {"heavy": self.heavy.to_document()}
        if self.low is not None and self.high is not None:
            return {"from": self.low.to_document(), "to": self.high.to_document()}
        document: dict[str, object] = {"of": self.of, "times": self.times}
        return document | ({"plus": _text(self.plus_us)} if self.plus_us else {})

    def fixed(self, settings: Settings, stream: Random) -> "Amount":
        """Returns a fixed amount, computed from `settings` or drawn from `stream`."""
        if self.fixed_us is not None:
            return self
        if self.of is not None:
            of_ms = getattr(settings, SETTINGS_OF[self.of])
            return Amount(fixed_us=max(0, round(of_ms * 1000 * self.times) + self.plus_us))
        if self.heavy is not None:
            mean_us = self.heavy.fixed(settings, stream).us
            return Amount(fixed_us=int(mean_us * HEAVY_SCALE * exp(-HEAVY_FALL * stream.random())))
        low, high = (amount.fixed(settings, stream) for amount in (self.low, self.high) if amount)
        in_order("from", low, "to", high)
        low_us, high_us = low.us, high.us
        return Amount(fixed_us=low_us + int(stream.random() * (high_us - low_us + 1)))


@dataclass(frozen=True)
class Lasting:
    """Constraint: a period is at least `least_us` microseconds, to limit repetitions.

    Only fixed amounts are checked.
    """

    least_us: int = 1_000

    def check(self, value: object) -> None:
        """Raises ValueError if the amount is fixed and below the limit."""
        us = value.fixed_us if isinstance(value, Amount) else None
        if us is not None and us < self.least_us:
            raise ValueError(f"expected {_text(self.least_us)} or more, got {_text(us)}")


Period = Annotated[Amount, Lasting()]


def in_order(low: str, least: Amount, high: str, most: Amount) -> None:
    """Raises ValueError if `least` exceeds `most`; amounts that are not fixed are not checked.

    `low` and `high` are the words of the two amounts, for the error.
    """
    if least.fixed_us is None or most.fixed_us is None or least.fixed_us <= most.fixed_us:
        return
    got = f"{_text(least.us)} and {_text(most.us)}"
    raise ValueError(f"expected {low} to be at most {high}, got {got}")


def _relative(value: Mapping[object, object], path: Path) -> Amount:
    of, times, plus = value["of"], value.get("times", 1), value.get("plus", "0s")
    if not isinstance(of, str) or of not in SETTINGS_OF:
        raise Problem((*path, "of"), f"expected {nearest(str(of), SETTINGS_OF)}, got {of!r}")
    if isinstance(times, bool) or not isinstance(times, int | float):
        raise Problem((*path, "times"), f"expected a number, got {times!r}")
    return Amount(of=of, times=float(times), plus_us=_read_us(plus, (*path, "plus")))


def _read_us(value: object, path: Path) -> int:
    if not isinstance(value, str):
        raise Problem(path, f"expected a duration with a unit, such as 12s, got {value!r}")
    sign = -1 if value.startswith("-") else 1
    try:
        return sign * microseconds(value.removeprefix("-"))
    except ValueError as error:
        raise Problem(path, str(error)) from None


def _text(us: int) -> str:
    return f"-{duration_text(-us)}" if us < 0 else duration_text(us)
