"""Numbers that are measured in a run, and may have bounds.

{while: CONDITION}            how long the condition held
{from: CONDITION, to: ...}    how long it took, each time, from one condition to the other
{count: CONDITION}            how often: each record, answer or message; a state each time that it
                              begins to hold

`take` selects the statistic of times: total (default of `while`), longest (default of `from`),
shortest, mean, median, p90 or p99. With `each: brokers` each broker is measured, as `$each`, and
the statistic is about all of them together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from ..conditions.condition import Condition, Not
from ..conditions.unknown_subjects import all_subjects_exist
from ..language.amounts import Amount, in_order
from ..language.constraints import OneOf
from ..language.reading import Path, Problem, document_of, mapping, read
from ..language.schema import Schema, SchemaOf, any_of
from ..language.selectors import Selector
from ..language.spelling import in_short
from ..stage.stage import Stage
from .each import claims_per_node
from .measured import TAKES, Measured
from .spans import Spans

TakeName = Annotated[str, OneOf(tuple(TAKES))]
# called with the name of the measure; None: nothing was measured
Measurement = Callable[[str], Measured | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Counts how often a condition came true."""

    count: Condition
    each: Selector | None = None
    at_least: int | None = None
    at_most: int | None = None

    def __post_init__(self) -> None:
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            got = f"{self.at_least} and {self.at_most}"
            raise ValueError(f"expected at_least to be at most at_most, got {got}")

    def begin(self, stage: Stage) -> Measurement:
        """Starts counting; the returned function returns the count at the end of the run."""
        counts = [measure.count.counted(stage) for measure in claims_per_node(self, stage)]

        def measured(name: str) -> Measured | None:
            if not counts or not all_subjects_exist(self.count, stage):
                return None
            return Measured(
                name=name,
                value=sum(count() for count in counts),
                is_time=False,
                take="count",
                samples=len(counts),
                at_least=self.at_least,
                at_most=self.at_most,
            )

        return measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """Base of measured times. `take` names the statistic; its default depends on the measure."""

    take: TakeName | None = None
    each: Selector | None = None
    at_least: Amount | None = None
    at_most: Amount | None = None

    def __post_init__(self) -> None:
        if self.at_least is not None and self.at_most is not None:
            in_order("at_least", self.at_least, "at_most", self.at_most)

    def statistic_of(self, spans: Spans, default: str) -> Measurement:
        """Returns a function that returns the statistic of `spans` at the end of the run."""
        take, at_most = self.take or default, None if self.at_most is None else self.at_most.us

        def measured(name: str) -> Measured | None:
            samples = spans.samples(at_most)
            if not samples:
                return None
            return Measured(
                name=name,
                value=TAKES[take](samples),
                is_time=True,
                take=take,
                samples=len(samples),
                at_least=None if self.at_least is None else self.at_least.us,
                at_most=at_most,
            )

        return measured


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Timed):
    """Measures how long a condition held."""

    while_: Condition

    def begin(self, stage: Stage) -> Measurement:
        """Starts measuring; the returned function returns the result at the end of the run."""
        spans = Spans(stage, counts_unfinished=True)
        for measure in claims_per_node(self, stage):
            spans.watch(measure.while_, Condition(Not(not_=measure.while_)))
        return self.statistic_of(spans, "total")


@dataclass(frozen=True, slots=True, kw_only=True)
class FromTo(Timed):
    """Measures the time from one condition to another.

    A time that has not ended when the run ends counts only if it already exceeds `at_most`.
    """

    from_: Condition
    to: Condition

    def begin(self, stage: Stage) -> Measurement:
        """Starts measuring; the returned function returns the result at the end of the run."""
        spans = Spans(stage, counts_unfinished=False)
        for measure in claims_per_node(self, stage):
            spans.watch(measure.from_, measure.to)
        return self.statistic_of(spans, "longest")


_KINDS: dict[str, type[Count] | type[While] | type[FromTo]] = {
    "count": Count,
    "while": While,
    "from": FromTo,
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: a count, the time of a condition, or the time from one condition to another."""

    of: Count | While | FromTo

    @staticmethod
    def from_document(value: object, path: Path) -> "Measure":
        """Reads a measure; raises Problem if it has none of the words of a kind."""
        words = mapping(value, path)
        kind = next((kind for kind in _KINDS if kind in words), None)
        if kind is None:
            message = f"expected one of {', '.join(_KINDS)}, got {in_short(value)}"
            raise Problem(path, message)
        return Measure(read(_KINDS[kind], words, path))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of all kinds of measures."""
        return any_of(*(of(kind) for kind in _KINDS.values()))

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        return document_of(self.of)

    def begin(self, stage: Stage) -> Measurement:
        """Starts measuring; the returned function returns the result at the end of the run."""
        return self.of.begin(stage)
