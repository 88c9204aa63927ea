"""Shrinks a finding and confirms it on controllers that have judged nothing before."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from tests.differential.generate.silent import is_silent
from tests.differential.judge import Mismatch
from tests.differential.outcome import Finding
from tests.differential.pair import Pair, StartPair
from tests.differential.phases import number_of
from tests.differential.sequence import Sequence
from tests.differential.settings import SILENT_SESSION_MS
from tests.differential.shrink import kind, shows, shrunk
from tests.differential.silence import SideBySide
from tests.differential.started import started_alike
from tests.released.releases import Release

SILENT_JUDGEMENTS_MAX = 8  # each waits until leases have run out: about half a minute
ALONE = "shown again by fresh controllers"
AFTER_OTHERS = "shown only after its predecessors"
BESIDE_OTHERS = "not shown again alone: only beside the other sequences of its batch"
NEVER_AGAIN = "not shown again, neither alone nor after its last predecessors"

Tell = Callable[[Sequence], None]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """`finding.before` are the predecessors that it needs."""

    finding: Finding
    verdict: str


class Confirming:
    """`tell` is called before each judgement; `start` starts the pairs of controllers."""

    def __init__(self, release: Release, tell: Tell, start: StartPair = started_alike) -> None:
        self._release = release
        self._tell = tell
        self._start = start

    def confirm(self, finding: Finding) -> Confirmed:
        """Shrink a finding and judge it anew."""
        if is_silent(finding.sequence):
            return self._confirm_silent(finding)
        wanted = kind(finding.mismatches[0])
        for sequence in (self._smallest(finding), finding.sequence):
            found = self._judge_afresh(sequence)
            if shows(found, wanted):
                return Confirmed(Finding(sequence, found), ALONE)
        return self._after_predecessors(finding)

    def _judge_afresh(
        self, sequence: Sequence, before: tuple[Sequence, ...] = ()
    ) -> list[Mismatch]:
        self._tell(sequence)
        with self._start(self._release, sequence.start) as pair:
            for predecessor in before:
                pair.bench.judge(predecessor)
            return pair.bench.judge(sequence)

    def _after_predecessors(self, finding: Finding) -> Confirmed:
        """Find how many predecessors it needs: the last, the last two, four, eight, and so on."""
        wanted, count = kind(finding.mismatches[0]), 1
        while count < 2 * len(finding.before):
            before = finding.before[-count:]
            found = self._judge_afresh(finding.sequence, before)
            if shows(found, wanted):
                return Confirmed(Finding(finding.sequence, found, before), AFTER_OTHERS)
            count *= 2
        return Confirmed(finding, NEVER_AGAIN)

    def _smallest(self, finding: Finding) -> Sequence:
        """Shrink with pairs that are used again; ours begins anew after each sequence that parts
        the sides, and the released controller where its cleanup was not like ours."""
        with ExitStack() as running:
            pairs: list[Pair] = []

            def judge(sequence: Sequence) -> list[Mismatch]:
                self._tell(sequence)
                if not pairs:
                    running.close()
                    started = self._start(self._release, sequence.start)
                    pairs.append(running.enter_context(started))
                mismatches = pairs[0].bench.judge(sequence)
                if mismatches and pairs[0].bench.is_reconciled(sequence, mismatches[0].step):
                    pairs[0].renew()
                elif mismatches:
                    pairs.clear()
                return mismatches

            return shrunk(finding.sequence, finding.mismatches, judge)

    def _confirm_silent(self, finding: Finding) -> Confirmed:
        wanted = kind(finding.mismatches[0])
        shown: list[list[Mismatch]] = []

        def judge(sequence: Sequence) -> list[Mismatch]:
            found = self._judge_alone(sequence)
            if shows(found, wanted):
                shown.append(found)
            return found

        found = judge(finding.sequence)
        if not shown:
            return Confirmed(finding, BESIDE_OTHERS)
        sequence = shrunk(finding.sequence, found, judge, judgements_max=SILENT_JUDGEMENTS_MAX)
        return Confirmed(Finding(sequence, shown[-1]), ALONE)

    def _judge_alone(self, sequence: Sequence) -> list[Mismatch]:
        """The mismatches of a silent sequence; none if this machine leaves it unsettled."""
        self._tell(sequence)
        number = number_of(sequence)
        with self._start(self._release, session_timeout_ms=SILENT_SESSION_MS) as pair:
            return SideBySide(pair.bench, {number: sequence}).judge().get(number, [])
