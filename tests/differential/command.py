"""make differential ARGS="--release 4.3.1 --sequences 10000 --seed 1": prints what differs."""

import argparse
import signal
import sys
import time
from pathlib import Path

from tests.differential.explained import matches
from tests.differential.generate.silent import is_silent, silent_number
from tests.differential.run import Finding, Outcome, Run, smallest
from tests.differential.sequence import read, write
from tests.released.releases import RELEASES, Release

FOUND = Path("build") / "differential"
SILENT_SHARE = 10  # one of so many sequences falls silent
COMPLETE_FROM = 2000  # sequences, from which on every explained row must match its example
SHOWN_MAX = 8  # mismatches of a finding that are printed


def main(arguments: list[str] | None = None) -> int:
    """Exit 0 if nothing unexplained was found, else 1."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the released controller ends too
    options = _parser().parse_args(arguments)
    release = RELEASES[options.release]
    began_s = time.monotonic()
    run = Run(release, _Progress(options.sequences))
    if options.replay:
        given = [read(path) for path in options.replay]
        run.judge_side_by_side({silent_number(one): one for one in given if is_silent(one)})
        for sequence in given:
            if not is_silent(sequence):
                run.judge_all(iter([sequence]))
    else:
        silent = options.sequences // SILENT_SHARE
        if options.sequences >= COMPLETE_FROM:
            run.judge_examples()
        run.judge_drawn(options.seed, options.sequences - silent)
        run.judge_silent(options.seed, silent)
    outcome = run.outcome
    for finding in outcome.findings:
        _print_finding(release, finding, shrinks=not options.replay)
    unmatched = [] if outcome.sequences < COMPLETE_FROM else _unmatched(release, outcome)
    _print_summary(release, outcome, time.monotonic() - began_s, unmatched)
    return 0 if outcome.is_clean and not unmatched else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make differential", description=__doc__)
    parser.add_argument("--release", choices=sorted(RELEASES), default="4.3.1")
    parser.add_argument("--sequences", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="judge these files")
    return parser


class _Progress:
    """On stderr: what was found at once, as a run may be ended early, and a line about once every
    five seconds."""

    INTERVAL_S = 5.0

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._next_s = time.monotonic() + self.INTERVAL_S
        self._told = 0

    def __call__(self, outcome: Outcome) -> None:
        for finding in outcome.findings[self._told :]:
            print(f"found: {finding.sequence.name}: {finding.mismatches[0]}", file=sys.stderr)
        self._told = len(outcome.findings)
        if time.monotonic() < self._next_s:
            return
        self._next_s = time.monotonic() + self.INTERVAL_S
        print(
            f"{outcome.sequences} of {self._wanted} sequences, {outcome.requests} requests, "
            f"{outcome.explained.total()} explained, {len(outcome.findings)} unexplained",
            file=sys.stderr,
        )


def _print_finding(release: Release, finding: Finding, *, shrinks: bool) -> None:
    if shrinks and not is_silent(finding.sequence):
        finding = smallest(release, finding)
    path = FOUND / release.version / f"{finding.sequence.name}.json"
    write(finding.sequence, path, release=release.version)
    print(f"\n{path}: {len(finding.sequence.steps)} steps")
    for mismatch in finding.mismatches[:SHOWN_MAX]:
        print(f"  {mismatch}")
    print(f'  again: make differential ARGS="--release {release.version} --replay {path}"')


def _unmatched(release: Release, outcome: Outcome) -> list[str]:
    applicable = [m for m in matches() if not m.releases or release.version in m.releases]
    return [f"{m.row}: {m}" for m in applicable if m not in outcome.explained]


def _print_summary(
    release: Release, outcome: Outcome, elapsed_s: float, unmatched: list[str]
) -> None:
    for difference in outcome.log_differences:
        print(f"Kafka's own decoder tells the logs apart: {difference}")
    for match, count in outcome.explained.most_common():
        print(f"explained by {match.row}: {count} sequences")
    for row in unmatched:
        print(f"a row of docs/differences.toml matched nothing: {row}")
    print(
        f"Kafka {release.version}: {outcome.sequences} sequences, {outcome.requests} requests, "
        f"{outcome.records} records, {outcome.explained.total()} explained, "
        f"{len(outcome.findings)} unexplained, {outcome.pairs} starts, {elapsed_s:.0f} s"
    )
