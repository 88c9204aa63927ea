"""The rounds of a hunt.

A round draws its candidates from the seed and the corpus, and takes their results in the order of
their numbers, whatever process ran them. So a hunt repeats, and only its length depends on time.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from ..document.scenario import Scenario
from .branches import Branches
from .candidate import Candidate, Shown, drawn
from .corpus import Corpus
from .crowds import crowd
from .variation import varied
from .ways import CROWDS, WHOLE, Ways

ROUND = 8  # draws; enough for several processes, and few enough to learn from each soon
KNOWN_SHAPES = 0.5  # part of the crowds that have the cluster of a kept plan
ALIKE_MAX = 3  # findings that are kept of one broken property
RunAll = Callable[[Sequence[Branches]], Iterable[Sequence[Shown]]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A candidate whose run broke properties or claims; `what` describes the first."""

    candidate: Candidate
    broken: tuple[str, ...]
    what: str


@dataclass(slots=True)
class Hunt:
    """A search for new behaviours and for violations, from one seed.

    `scenario` is a swarm of everything, whose claims all candidates have. Without `is_led` every
    candidate is drawn anew as a whole run: the plain swarm, to compare with. `draws` are those of
    a round: another number gives other candidates. A hunt that goes on from a corpus draws other
    whole runs than the hunt that began it: their numbers begin at the number of its behaviours.
    """

    scenario: Scenario
    seed: int
    is_led: bool = True
    draws: int = ROUND
    corpus: Corpus = field(default_factory=Corpus)
    findings: list[Finding] = field(default_factory=list)
    runs: int = 0
    ways: Ways = field(default_factory=Ways)
    first: int = field(init=False)

    def __post_init__(self) -> None:
        self.first = len(self.corpus.runs_with)

    def round(self, run_all: RunAll) -> None:
        """Draws a round of candidates, lets `run_all` run them, and learns from the results.

        `run_all` may end early, as at an interrupt. If it raises, nothing has changed.
        """
        first = self.first + self.runs
        stream = Random(f"{self.seed}/{first}")
        varied = self.corpus.varied
        draws = [self._draw(first + number, stream) for number in range(self.draws)]
        try:
            results = run_all(draws)
        except BaseException:
            self.corpus.varied = varied
            raise
        for branches, shown in zip(draws, results, strict=False):
            for candidate, shown_by_it in zip(branches.candidates, shown, strict=True):
                self._learn(branches.way, candidate, shown_by_it)

    def _learn(self, way: str, candidate: Candidate, shown: Shown) -> None:
        self.runs += 1
        self.ways.count(way, self.corpus.take(candidate, shown), shown.events)
        if shown.broken and self._is_wanted(shown):
            self.findings.append(Finding(candidate, shown.broken, shown.what))

    def _draw(self, number: int, stream: Random) -> Branches:
        way = self.ways.drawn(stream) if self.is_led and self.corpus.kept else WHOLE
        seed = self.seed * 1_000_003 + number
        if way == WHOLE:
            return Branches((drawn(self.scenario, seed),), way=way)
        if way == CROWDS:
            known = stream.random() < KNOWN_SHAPES
            return crowd(self.scenario, seed, self.corpus.drawn(stream) if known else None, stream)
        return varied(self.corpus.drawn(stream), self.corpus.drawn(stream), stream)

    def _is_wanted(self, shown: Shown) -> bool:
        alike = sum(finding.broken[0] == shown.broken[0] for finding in self.findings)
        return alike < ALIKE_MAX
