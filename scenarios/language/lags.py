"""Lags of requests: the same for each, or drawn for each from a distribution.

300ms                                   the same lag for each request, written as any time
{uniform: {low: 1ms, high: 20ms}}       drawn for each request, from `low` to `high`
{exponential: {mean: 20ms}}             mostly short, sometimes long
{lognormal: {median: 5ms, p99: 80ms}}   as round trips in a data centre
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Annotated

from kraftsim.simulation import delays

from .amounts import Amount, Lasting, in_order
from .reading import Path, Problem, document_of, read
from .schema import Schema, SchemaOf, any_of, closed
from .suggestions import nearest

AtLeastNothing = Annotated[Amount, Lasting(0)]
Longer = Annotated[Amount, Lasting(1)]  # of which a logarithm is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform:
    """Lags from `low` to `high`, all equally likely."""

    low: AtLeastNothing
    high: AtLeastNothing

    def __post_init__(self) -> None:
        in_order("low", self.low, "high", self.high)

    def draws(self, stream: Random) -> delays.Draw:
        """Returns a draw of lags in microseconds."""
        return delays.uniform(self.low.us, self.high.us, stream)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """Lags that are exponentially distributed with mean `mean`."""

    mean: AtLeastNothing

    def draws(self, stream: Random) -> delays.Draw:
        """Returns a draw of lags in microseconds."""
        return delays.exponential(self.mean.us, stream)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lognormal:
    """Lags that are lognormally distributed, with their median and 99th percentile."""

    median: Longer
    p99: Longer

    def __post_init__(self) -> None:
        in_order("median", self.median, "p99", self.p99)

    def draws(self, stream: Random) -> delays.Draw:
        """Returns a draw of lags in microseconds."""
        return delays.lognormal(self.median.us, self.p99.us, stream)


DISTRIBUTIONS: Mapping[str, type[Uniform | Exponential | Lognormal]] = {
    "uniform": Uniform,
    "exponential": Exponential,
    "lognormal": Lognormal,
}


@dataclass(frozen=True, slots=True)
class Lag:
    """The lag of each request: a time, or a distribution from which each lag is drawn."""

    of: Amount | Uniform | Exponential | Lognormal

    @staticmethod
    def from_document(value: object, path: Path) -> "Lag":
        """Reads a time or a distribution; raises Problem for anything else."""
        name = next(iter(value), None) if isinstance(value, Mapping) and len(value) == 1 else None
        if name in DISTRIBUTIONS and isinstance(value, Mapping):
            kind = DISTRIBUTIONS[str(name)]
            return Lag(read(kind, value[name], (*path, str(name))))
        known = (*DISTRIBUTIONS, "heavy", "of")
        if name is not None and name not in known:
            raise Problem(path, f"expected a time or {nearest(str(name), known)}, got {name!r}")
        return Lag(read(AtLeastNothing, value, path))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of all forms."""
        return any_of(
            of(Amount), *(closed({name: of(kind)}, [name]) for name, kind in DISTRIBUTIONS.items())
        )

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        if isinstance(self.of, Amount):
            return self.of.to_document()
        name = next(name for name, kind in DISTRIBUTIONS.items() if isinstance(self.of, kind))
        return {name: document_of(self.of)}

    def draws(self, stream: Random) -> delays.Draw:
        """Returns a draw of lags in microseconds."""
        if isinstance(self.of, Amount):
            return delays.constant(self.of.us)
        return self.of.draws(stream)
