"""What a run of the judge has found so far."""

from collections import Counter
from dataclasses import dataclass, field

from tests.differential.explained import Match
from tests.differential.judge import Mismatch
from tests.differential.sequence import Ask, Sequence


@dataclass(frozen=True, slots=True)
class Finding:
    """A sequence that shows a difference that no row of the differences explains.

    `before` are the last sequences that the same pair of controllers judged before it.
    """

    sequence: Sequence
    mismatches: list[Mismatch]
    before: tuple[Sequence, ...] = ()


@dataclass(slots=True)
class Outcome:
    """`explained` counts sequences by the row that explains their difference; `matched` are the
    matches of rows that were used; `unjudged` says why sequences could not be judged."""

    sequences: int = 0
    requests: int = 0
    records: int = 0
    pairs: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    matched: set[Match] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    log_differences: list[str] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.findings or self.log_differences or self.unjudged)

    def count(self, sequence: Sequence) -> None:
        self.sequences += 1
        self.requests += sum(isinstance(step, Ask) for step in sequence.every_step)

    def explain(self, matches: list[Match]) -> None:
        self.matched |= set(matches)
        self.explained.update({match.row for match in matches})
