"""Judges many sequences of one seed; pairs are started anew where the two sides have parted."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from tests.differential.explained import explanation, matches
from tests.differential.generate import draw_examples, draw_sequence, draw_silent_sequence
from tests.differential.judge import Mismatch
from tests.differential.listener.generate import draw_listener_sequence, start_of
from tests.differential.outcome import Finding, Outcome
from tests.differential.pair import CLUSTER_ID, Pair, StartPair
from tests.differential.phases import number_of
from tests.differential.sequence import Sequence
from tests.differential.settings import SILENT_SESSION_MS, USUAL, Start, unusual_starts
from tests.differential.silence import SideBySide
from tests.differential.started import started_alike
from tests.released.releases import Release

SIDE_BY_SIDE = 200  # silent sequences that share one wait
UNUSUAL_SHARE = 40  # one of so many sequences has each of the unusual starts
FINDINGS_MAX = 20  # a run that finds more has found enough
BEFORE_MAX = 200  # predecessors that a finding remembers

Progress = Callable[[Outcome], None]
Batch = Mapping[int, Sequence]  # silent sequences by number


class Run:
    """`progress` is called after each sequence; `start` starts the pairs of controllers."""

    def __init__(
        self, release: Release, progress: Progress, start: StartPair = started_alike
    ) -> None:
        self.release = release
        self._start = start
        self.outcome = Outcome()
        self._progress = progress
        self._known = matches()
        self._before: deque[Sequence] = deque(maxlen=BEFORE_MAX)
        self.has_judged_examples = False

    @property
    def has_found_enough(self) -> bool:
        return len(self.outcome.findings) >= FINDINGS_MAX

    def judge_drawn(self, seed: int, count: int) -> None:
        """Judge `count` sequences one after the other, some of them from an unusual start."""
        for start, numbers in starts(self.release, count):
            self.judge_all(draw_sequence(self.release, CLUSTER_ID, seed, n, start) for n in numbers)

    def judge_listener(self, seed: int, numbers: Iterable[int]) -> None:
        """Judge sequences of requests to the listener of a broker; those with a follower last."""
        drawn = sorted(numbers, key=lambda number: (start_of(number).has_follower, number))
        self.judge_files(draw_listener_sequence(seed, number) for number in drawn)

    def judge_only(self, seed: int, number: int, count: int) -> None:
        """Judge one sequence, with the start that it has among `count` of them."""
        found = starts(self.release, count)
        start = next(start for start, numbers in found if number in numbers)
        self.judge_all([draw_sequence(self.release, CLUSTER_ID, seed, number, start)])

    def judge_examples(self) -> None:
        """Judge a sequence for every explained difference, so that a row that no longer matches
        its example is found in every run."""
        self.has_judged_examples = True
        for sequence in draw_examples(self.release, CLUSTER_ID):
            self.judge_all([sequence])

    def judge_files(self, sequences: Iterable[Sequence]) -> None:
        """Judge sequences in order; a pair judges all that follow each other and share a start."""
        for _, group in groupby(sequences, key=lambda sequence: sequence.start):
            self.judge_all(group)

    def judge_all(self, sequences: Iterable[Sequence]) -> None:
        """Judge sequences of one start one after the other."""
        remaining = iter(sequences)
        pending = next(remaining, None)
        while pending is not None and not self.has_found_enough:
            with self._start(self.release, pending.start) as pair:
                self.outcome.pairs += 1
                self._before.clear()
                while pending is not None and self._goes_on(pair, pending):
                    pending = next(remaining, None)
                self.outcome.log_differences += pair.logs_differ()
                pending = next(remaining, None) if pending is not None else None

    def _goes_on(self, pair: Pair, sequence: Sequence) -> bool:
        """Judge one sequence; False if the two sides have parted, or their leader epochs have."""
        try:
            mismatches = pair.bench.judge(sequence)
        except Exception as error:  # named and raised again
            error.add_note(f"while {sequence.name} was judged")
            raise
        self.outcome.count(sequence)
        if mismatches:
            self._take(sequence, mismatches)
            return pair.outlives_differences and self._is_reconciled(pair, sequence, mismatches)
        self.outcome.records += pair.ends[0] - pair.agreed[0]
        pair.agreed = pair.ends
        self._before.append(sequence)
        self._progress(self.outcome)
        return not pair.has_parted

    def _is_reconciled(self, pair: Pair, sequence: Sequence, found: list[Mismatch]) -> bool:
        return pair.bench.is_reconciled(sequence, found[0].step) and not self.has_found_enough

    def judge_silent(self, seed: int, count: int) -> None:
        """Judge `count` silent sequences, many side by side."""
        for first in range(0, count, SIDE_BY_SIDE):
            self.judge_silent_numbers(seed, range(first, min(first + SIDE_BY_SIDE, count)))

    def judge_silent_numbers(self, seed: int, numbers: Iterable[int]) -> None:
        self.judge_side_by_side(
            draw_silent_sequence(self.release, CLUSTER_ID, seed, n) for n in numbers
        )

    def judge_side_by_side(self, sequences: Iterable[Sequence]) -> None:
        """Judge silent sequences. Those that stay unsettled are judged again; if a batch settles
        none, by halves, so that a sequence that disturbs the others is judged alone at last."""
        self._before.clear()
        waiting = list(reversed(batches(sequences)))
        while waiting and not self.has_found_enough:
            batch = waiting.pop()
            unsettled, disturbance = self._judge_batch(batch)
            again = {number: batch[number] for number in sorted(unsettled)}
            if len(again) < len(batch):
                waiting += [again] if again else []
            elif len(batch) > 1:
                waiting += halves(again)
            else:
                names = ", ".join(sequence.name for sequence in batch.values())
                why = disturbance or "this machine is too slow: a lease may have ended meanwhile"
                self.outcome.unjudged.append(f"{names}: {why}")

    def _judge_batch(self, batch: Batch) -> tuple[set[int], str]:
        with self._start(self.release, session_timeout_ms=SILENT_SESSION_MS) as pair:
            self.outcome.pairs += 1
            together = SideBySide(pair.bench, batch)
            found = together.judge()
            settled = batch.keys() - together.unsettled
            if not together.disturbance:
                self.outcome.log_differences += together.of_nobody
                self.outcome.log_differences += pair.silent_logs_differ(settled - found.keys())
            self.outcome.records += pair.ends[0]
        for number in sorted(settled):
            self.outcome.count(batch[number])
            if number in found:
                self._take(batch[number], found[number])
        self._progress(self.outcome)
        return together.unsettled, together.disturbance

    def _take(self, sequence: Sequence, mismatches: list[Mismatch]) -> None:
        used = explanation(mismatches, self.release.version, self._known)
        if used:
            self.outcome.explain(used)
        else:
            before = tuple(self._before)
            self.outcome.findings.append(Finding(sequence, mismatches, before))
        self._progress(self.outcome)


def starts(release: Release, count: int) -> Iterator[tuple[Start, range]]:
    """Yield each start with the numbers of the sequences that begin with it."""
    unusual = unusual_starts(release)
    each = count // UNUSUAL_SHARE
    first = count - each * len(unusual)
    yield USUAL, range(first)
    for place, start in enumerate(unusual):
        yield start, range(first + place * each, first + (place + 1) * each)


def batches(sequences: Iterable[Sequence]) -> list[Batch]:
    """Silent sequences by number; two of one number share ids, and so stand in two batches."""
    found: list[dict[int, Sequence]] = []
    for sequence in sequences:
        number = number_of(sequence)
        batch = next((batch for batch in found if number not in batch), None)
        if batch is None:
            found.append({number: sequence})
        else:
            batch[number] = sequence
    return list(found)


def halves(batch: Batch) -> list[Batch]:
    numbers = sorted(batch)
    middle = len(numbers) // 2
    return [{n: batch[n] for n in part} for part in (numbers[:middle], numbers[middle:])]
