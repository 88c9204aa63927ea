"""Compares two campaigns run by run: which measures changed, and is the change significant?

The same seed makes the same draws on both sides, so runs are compared in pairs; a difference is due
to the change between the campaigns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from ..analysis.statistics import Difference, paired_difference, quantile_bounds, sign_test
from ..analysis.views import Ask, sql
from ..campaign.plan import Plan, PlanError

FORMAT = "kraftsim/campaign-comparison/1"
READS = ("runs", "intervals")
QUANTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
Interval = tuple[float | None, float | None]
WHAT = {"fence": "", "recovery": "recovery-"}  # prefixes of the names of gates


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """A measure of both campaigns.

    `base` and `new` are sums over the pairs; it grew in `more` pairs and shrank in `less`. `chance`
    is the p-value of the sign test; `share` is the difference of the shares of pairs with an
    increase and a decrease.
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
    """Runs whose verdict changed from `was` to `is_now`; `repro` repeats one of them."""

    was: str
    is_now: str
    is_planted: bool
    runs: int
    repro: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """How many runs of a scenario have another digest; `repro` repeats one of them."""

    scenario: str
    pairs: int
    different: int
    repro: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of a comparison over `pairs` runs."""

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
        return {"format": FORMAT, **asdict(self)}


def definitions(base: Plan, new: Plan) -> Sequence[str]:
    """Returns the statements of the views of pairs.

    They use the views of both campaigns, with the prefixes `base_` and `new_`.
    """
    names = sorted({item.name for item in (*base.items, *new.items) if item.is_canary})
    canaries = " or ".join(f"base.scenario = '{name}'" for name in names) or "false"
    view = "create or replace temp view"
    return (
        f"{view} pairs as {sql('pairs', canaries=canaries)}",
        f"{view} paired_delays as {sql('paired_delays')}",
    )


def compare(ask: Ask) -> Comparison:
    """Compares the campaigns; raises PlanError if they share no run."""
    measures = tuple(_paired(row) for row in ask(sql("paired")))
    if not measures:
        raise PlanError(
            "expected campaigns that share runs (same scenario, cell and seed), got none"
        )
    return Comparison(
        pairs=measures[0].pairs,
        measures=measures,
        quantiles=_quantiles(ask),
        flips=tuple(Flip(**row) for row in ask(sql("flips"))),
        digests=tuple(Digests(**row) for row in ask(sql("digests"))),
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


def _quantiles(ask: Ask) -> tuple[Quantile, ...]:
    times = {(row["what"], row["side"]): int(row["times"]) for row in ask(sql("delay_counts"))}
    found = []
    for what, prefix in WHAT.items():
        for name, quantile in QUANTILES.items():
            base = _quantile(ask, what, "base", quantile, times)
            new = _quantile(ask, what, "new", quantile, times)
            found.append(
                Quantile(
                    name=f"{prefix}{name}",
                    base_us=base[0],
                    base_interval_us=base[1],
                    new_us=new[0],
                    new_interval_us=new[1],
                )
            )
    return tuple(found)


def _quantile(
    ask: Ask, what: str, side: str, quantile: float, times: Mapping[tuple[str, str], int]
) -> tuple[float | None, Interval | None]:
    low, high = quantile_bounds(quantile, times.get((what, side), 0))
    text = sql(
        "quantile",
        what=what,
        side=side,
        quantile=quantile,
        low=0.0 if low is None else low,
        high=1.0 if high is None else high,
    )
    for row in ask(text):
        known = None if low is None else row["low_us"], None if high is None else row["high_us"]
        return row["value_us"], known
    return None, None
