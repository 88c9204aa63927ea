"""Tells on stderr how far a run is, and writes each finding as soon as there is one."""

import sys
import time

from tests.differential.findings import write_found
from tests.differential.outcome import Outcome
from tests.differential.sequence import Sequence
from tests.released.releases import Release

INTERVAL_S = 5.0


class Progress:
    """Prints each finding at once, and a line about every five seconds. What is replayed has a file
    already: only what is drawn is written."""

    def __init__(self, release: Release, wanted: int, *, is_drawn: bool) -> None:
        self._release = release
        self._wanted = wanted
        self._is_drawn = is_drawn
        self._next_s = time.monotonic() + INTERVAL_S
        self._told = 0
        self._judgements = 0

    def judged(self, outcome: Outcome) -> None:
        for finding in outcome.findings[self._told :]:
            name = finding.sequence.name
            place = write_found(self._release, finding) if self._is_drawn else name
            first, *others = finding.mismatches
            also = f", and {', '.join(other.path for other in others)}"[:80] if others else ""
            tell(f"found: {place}: {first}{also}")
        self._told = len(outcome.findings)
        if self._is_due():
            tell(
                f"{outcome.sequences} of {self._wanted} sequences, {outcome.requests} requests, "
                f"{outcome.explained.total()} explained, {len(outcome.findings)} unexplained"
            )

    def shrinks(self, sequence: Sequence) -> None:
        self._judgements += 1
        if self._is_due():
            tell(
                f"shrinking {sequence.name}: judgement {self._judgements}, "
                f"{len(sequence.every_step)} steps"
            )

    def _is_due(self) -> bool:
        if time.monotonic() < self._next_s:
            return False
        self._next_s = time.monotonic() + INTERVAL_S
        return True


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
