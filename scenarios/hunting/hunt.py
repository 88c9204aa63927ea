"""The rounds of a hunt.

A round draws its candidates from the seed and the corpus, and takes their results in the order of
their numbers, whatever process ran them. So a hunt repeats, and only its length depends on time.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from ..document.scenario import Scenario
from .candidate import Candidate, Shown, drawn
from .corpus import Corpus
from .variation import varied

ROUND = 16  # candidates; enough for several processes, and few enough to learn from each soon
FRESH = 0.25  # part of the candidates that are drawn anew, so that the search leaves no corner out
ALIKE_MAX = 3  # findings that are kept of one broken property
RunAll = Callable[[Sequence[Candidate]], Iterable[Shown]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A candidate whose run broke properties or claims; `what` describes the first."""

    candidate: Candidate
    broken: tuple[str, ...]
    what: str


@dataclass(slots=True)
class Hunt:
    """A search for new behaviours and for violations, from one seed.

    `scenario` is a swarm of everything, whose time and claims all candidates have. Without
    `is_led` every candidate is drawn anew: the plain swarm, to compare with.
    """

    scenario: Scenario
    seed: int
    is_led: bool = True
    corpus: Corpus = field(default_factory=Corpus)
    findings: list[Finding] = field(default_factory=list)
    runs: int = 0

    def round(self, run_all: RunAll) -> None:
        """Draws a round of candidates, lets `run_all` run them, and learns from the results."""
        stream = Random(f"{self.seed}/{self.runs}")
        candidates = [self._candidate(self.runs + number, stream) for number in range(ROUND)]
        for candidate, shown in zip(candidates, run_all(candidates), strict=True):
            self.runs += 1
            self.corpus.take(candidate, shown)
            if shown.broken and self._is_wanted(shown):
                self.findings.append(Finding(candidate, shown.broken, shown.what))

    def _candidate(self, number: int, stream: Random) -> Candidate:
        if not self.is_led or not self.corpus.kept or stream.random() < FRESH:
            return drawn(self.scenario, self.seed * 1_000_003 + number)
        parent, other = self.corpus.drawn(stream), self.corpus.drawn(stream)
        return varied(parent.candidate, parent.moments_us, other.candidate, stream)

    def _is_wanted(self, shown: Shown) -> bool:
        alike = sum(finding.broken[0] == shown.broken[0] for finding in self.findings)
        return alike < ALIKE_MAX
