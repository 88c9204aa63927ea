"""Findings as files in build/differential/RELEASE, and what is printed about them."""

import shutil
from pathlib import Path

from tests.differential.confirm import AFTER_OTHERS, Confirmed
from tests.differential.files import write
from tests.differential.outcome import Finding
from tests.released.releases import Release

FOUND = Path("build") / "differential"
SHOWN_MAX = 8  # mismatches of a finding that are printed


def write_found(release: Release, finding: Finding) -> Path:
    path = FOUND / release.version / f"{finding.sequence.name}.json"
    write(finding.sequence, path, release=release.version)
    return path


def write_confirmed(release: Release, confirmed: Confirmed) -> list[Path]:
    """Return the files to replay, in order: the sequence, after the predecessors that it needs."""
    last = write_found(release, confirmed.finding)
    folder = last.with_suffix(".before")
    shutil.rmtree(folder, ignore_errors=True)
    if confirmed.verdict != AFTER_OTHERS:
        return [last]
    paths = []
    for place, sequence in enumerate(confirmed.finding.before):
        paths.append(folder / f"{place:03}-{sequence.name}.json")
        write(sequence, paths[-1], release=release.version)
    return [*paths, last]


def print_confirmed(release: Release, confirmed: Confirmed) -> None:
    paths = write_confirmed(release, confirmed)
    finding = confirmed.finding
    steps = len(finding.sequence.steps)
    print(f"\n{paths[-1]}: {steps} steps, {confirmed.verdict}")
    print_mismatches(finding)
    files = f"{paths[0].parent}/*.json {paths[-1]}" if len(paths) > 1 else str(paths[-1])
    print(f'  again: make differential ARGS="--replay {files}"')


def print_replayed(finding: Finding) -> None:
    print(f"\n{finding.sequence.name}: {len(finding.sequence.steps)} steps")
    print_mismatches(finding)


def print_mismatches(finding: Finding) -> None:
    for mismatch in finding.mismatches[:SHOWN_MAX]:
        print(f"  {mismatch}")
    if more := len(finding.mismatches[SHOWN_MAX:]):
        print(f"  and {more} more fields of this step")
