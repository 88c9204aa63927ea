"""Compares two campaigns run by run: which measures changed, and is the change significant?

The same seed makes the same draws on both sides, so runs are compared in pairs; a difference is due
to the change between the campaigns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from ..analysis.statistics import Difference, paired_difference, quantile_bounds, sign_test
from ..analysis.views import Query, sql
from ..campaign.plan import Plan, PlanError
from .document import in_lower_camel

FORMAT = "kraftsim/campaign-comparison/2"
READS = ("runs", "intervals")
QUANTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
Interval = tuple[float | None, float | None]
PREFIXES = {"fence": "", "recovery": "recovery-"}  # prefixes of the names of gates


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """A measure of both campaigns.

    `base` and `new` are sums of the measure over the pairs of runs. It grew in `more` pairs and
    shrank in `less` pairs. `chance` is the p-value of the sign test. `share` is the share of
    pairs in which it grew minus the share in which it shrank.
    """

    name: str
    base: int
    new: int
    more: int
    less: int
    pairs: int
    chance: float
    share: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile:
    """A quantile of both sides in microseconds, with 95 % intervals.

    A value is None without samples; an end of an interval is None if there are too few samples.
    """

    name: str
    base_us: float | None
    base_interval_us: Interval | None
    new_us: float | None
    new_interval_us: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Runs whose verdict changed from `was` to `is_now`; `repro` is the command to repeat a run."""

    was: str
    is_now: str
    is_planted: bool
    runs: int
    repro: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """How many runs of a scenario have another digest in `new`; `repro` repeats a run."""

    scenario: str
    pairs: int
    different: int
    repro: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of a comparison; `pairs` is the number of runs that both campaigns have."""

    pairs: int
    measures: tuple[Paired, ...]
    quantiles: tuple[Quantile, ...]
    flips: tuple[Flip, ...]
    digests: tuple[Digests, ...]

    def value(self, name: str) -> tuple[float | None, float | None]:
        """Returns the value of a gate's measure in the base and in the new campaign.

        Raises KeyError for an unknown name.
        """
        for measure in self.measures:
            if measure.name == name:
                return measure.base, measure.new
        for quantile in self.quantiles:
            if quantile.name == name:
                return quantile.base_us, quantile.new_us
        if name == "flips":
            return 0, sum(flip.runs for flip in self.flips if not flip.is_planted)
        if name == "digests":
            return 0, sum(digest.different for digest in self.digests)
        raise KeyError(name)

    def to_document(self) -> dict[str, object]:
        """Returns the comparison as JSON values."""
        return {"format": FORMAT, **in_lower_camel(asdict(self))}


def definitions(base: Plan, new: Plan) -> Sequence[str]:
    """Returns the SQL that creates the views of pairs of runs.

    It reads the views of the campaigns, whose names start with `base_` and `new_`.
    """
    names = sorted({item.name for item in (*base.items, *new.items) if item.is_canary})
    canaries = " or ".join(f"base.scenario = '{name}'" for name in names) or "false"
    view = "create or replace temp view"
    return (
        f"{view} pairs as {sql('pairs', canaries=canaries)}",
        f"{view} paired_delays as {sql('paired_delays')}",
    )


def compare(query: Query) -> Comparison:
    """Compares two campaigns by queries; raises PlanError if they share no run."""
    measures = tuple(_paired(row) for row in query(sql("paired")))
    if not measures:
        raise PlanError(
            "expected campaigns that share runs (same scenario, cell and seed), got none"
        )
    return Comparison(
        pairs=measures[0].pairs,
        measures=measures,
        quantiles=_quantiles(query),
        flips=tuple(Flip(**row) for row in query(sql("flips"))),
        digests=tuple(Digests(**row) for row in query(sql("digests"))),
    )


def _paired(row: Mapping[str, int]) -> Paired:
    more, less, pairs = row["more"], row["less"], row["pairs"]
    return Paired(
        name=str(row["name"]),
        base=int(row["base"]),
        new=int(row["new"]),
        more=more,
        less=less,
        pairs=pairs,
        chance=sign_test(more, less),
        share=paired_difference(more, less, pairs),
    )


def _quantiles(query: Query) -> tuple[Quantile, ...]:
    times = {(row["what"], row["side"]): int(row["times"]) for row in query(sql("delay_counts"))}
    quantiles = []
    for kind, prefix in PREFIXES.items():
        for name, quantile in QUANTILES.items():
            base = _quantile(query, kind, "base", quantile, times)
            new = _quantile(query, kind, "new", quantile, times)
            quantiles.append(
                Quantile(
                    name=f"{prefix}{name}",
                    base_us=base[0],
                    base_interval_us=base[1],
                    new_us=new[0],
                    new_interval_us=new[1],
                )
            )
    return tuple(quantiles)


def _quantile(
    query: Query, kind: str, side: str, quantile: float, times: Mapping[tuple[str, str], int]
) -> tuple[float | None, Interval | None]:
    low, high = quantile_bounds(quantile, times.get((kind, side), 0))
    text = sql(
        "quantile",
        what=kind,
        side=side,
        quantile=quantile,
        low=0.0 if low is None else low,
        high=1.0 if high is None else high,
    )
    for row in query(text):
        interval = None if low is None else row["low_us"], None if high is None else row["high_us"]
        return row["value_us"], interval
    return None, None
