"""Judges many sequences of one seed; pairs are started anew where the two sides have parted."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from tests.differential.explained import Match, explanation, matches
from tests.differential.generate import draw_examples, draw_sequence, draw_silent_sequence
from tests.differential.judge import Mismatch
from tests.differential.pair import CLUSTER_ID, Pair, started_pair
from tests.differential.sequence import Ask, Sequence
from tests.differential.settings import SILENT_SESSION_MS, UNUSUAL, USUAL, Start
from tests.differential.shrink import shrunk
from tests.differential.silence import SideBySide
from tests.released.releases import Release

SIDE_BY_SIDE = 200  # silent sequences that share one wait
UNUSUAL_SHARE = 40  # one of so many sequences has each of the unusual starts
FINDINGS_MAX = 20  # a run that finds more has found enough


@dataclass(frozen=True, slots=True)
class Finding:
    """A sequence that shows a difference that no row of the differences explains."""

    sequence: Sequence
    mismatches: list[Mismatch]


@dataclass(slots=True)
class Outcome:
    """`explained` counts sequences by the match that explains their difference."""

    sequences: int = 0
    requests: int = 0
    records: int = 0
    pairs: int = 0
    explained: Counter[Match] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    log_differences: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not self.findings and not self.log_differences


Progress = Callable[[Outcome], None]


class Run:
    """`progress` is called after each sequence."""

    def __init__(self, release: Release, progress: Progress) -> None:
        self.release = release
        self.outcome = Outcome()
        self._progress = progress
        self._known = matches()

    def judge_drawn(self, seed: int, count: int) -> None:
        """Judge `count` sequences one after the other, some of them from an unusual start."""
        each = count // UNUSUAL_SHARE
        first = count - each * len(UNUSUAL)
        self.judge_all(self._drawn(seed, 0, first, USUAL))
        for start in UNUSUAL if each else ():
            self.judge_all(self._drawn(seed, first, first + each, start))
            first += each

    def _drawn(self, seed: int, first: int, end: int, start: Start) -> Iterator[Sequence]:
        return (draw_sequence(self.release, CLUSTER_ID, seed, n, start) for n in range(first, end))

    def judge_examples(self) -> None:
        """Judge a sequence for every explained difference, so that a row that no longer matches
        its example is found in every run."""
        for sequence in draw_examples(self.release, CLUSTER_ID):
            self.judge_all(iter([sequence]))

    def judge_all(self, sequences: Iterator[Sequence]) -> None:
        """Judge sequences one after the other; those that follow each other have one start."""
        pending = next(sequences, None)
        while pending is not None and not self._has_found_enough:
            with started_pair(self.release, pending.start) as pair:
                self.outcome.pairs += 1
                while pending is not None and self._goes_on(pair, pending):
                    pending = next(sequences, None)
                self.outcome.log_differences += pair.logs_differ()
                self.outcome.records += pair.agreed[0]
                pending = next(sequences, None) if pending is not None else None

    @property
    def _has_found_enough(self) -> bool:
        return len(self.outcome.findings) >= FINDINGS_MAX

    def _goes_on(self, pair: Pair, sequence: Sequence) -> bool:
        """Judge one sequence; False if the two sides have parted."""
        mismatches = pair.bench.judge(sequence)
        self._count(sequence)
        if mismatches:
            self._take(sequence, mismatches)
            return False
        pair.agreed = pair.ends
        self._progress(self.outcome)
        return True

    def judge_silent(self, seed: int, count: int) -> None:
        """Judge `count` silent sequences, many side by side."""
        for first in range(0, count, SIDE_BY_SIDE):
            numbers = range(first, min(first + SIDE_BY_SIDE, count))
            self.judge_side_by_side(
                {n: draw_silent_sequence(self.release, CLUSTER_ID, seed, n) for n in numbers}
            )

    def judge_side_by_side(self, sequences: Mapping[int, Sequence]) -> None:
        """Judge silent sequences by their numbers, which their brokers and topics tell. Those that
        a slow machine leaves unsettled are judged once more; RuntimeError if it settles none."""
        while sequences and not self._has_found_enough:
            with started_pair(self.release, session_timeout_ms=SILENT_SESSION_MS) as pair:
                self.outcome.pairs += 1
                together = SideBySide(pair.bench, sequences)
                found = together.judge()
            for number in sequences.keys() - together.unsettled:
                self._count(sequences[number])
                if number in found:
                    self._take(sequences[number], found[number])
            self._progress(self.outcome)
            if len(together.unsettled) == len(sequences):
                raise RuntimeError("this machine is too slow to judge any silent sequence")
            sequences = {number: sequences[number] for number in sorted(together.unsettled)}

    def _count(self, sequence: Sequence) -> None:
        self.outcome.sequences += 1
        self.outcome.requests += sum(isinstance(step, Ask) for step in sequence.every_step)

    def _take(self, sequence: Sequence, mismatches: list[Mismatch]) -> None:
        match = explanation(mismatches, self.release.version, self._known)
        if match is None:
            self.outcome.findings.append(Finding(sequence, mismatches))
        else:
            self.outcome.explained[match] += 1
        self._progress(self.outcome)


def smallest(release: Release, finding: Finding) -> Finding:
    """Shrink a finding; ours begins anew after each sequence that parts the sides, and the released
    controller where its cleanup was not like ours."""
    with ExitStack() as running:
        pairs: list[Pair] = []

        def judge(sequence: Sequence) -> list[Mismatch]:
            if not pairs:
                running.close()
                pairs.append(running.enter_context(started_pair(release, sequence.start)))
            mismatches = pairs[0].bench.judge(sequence)
            if mismatches and pairs[0].bench.is_reconciled(sequence, mismatches[0].step):
                pairs[0].renew()
            elif mismatches:
                pairs.clear()
            return mismatches

        sequence = shrunk(finding.sequence, finding.mismatches, judge)
        return Finding(sequence, judge(sequence) or finding.mismatches)
