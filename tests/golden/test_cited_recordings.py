"""What docs/rules.md cites of recordings is in the archives (rule 0.2 says how it is cited)."""

import re
from collections.abc import Iterator

import pytest

from tests.golden import recordings
from tools.rule_book import rule_book

RUNS = {
    "": "A1-single",
    "A2": "A2-quorum3",
    "A3": "A3-dynamic",
    "A4": "A4-isr",
    "A5": "A5-cordon",
    "A6": "A6-errors",
}
_FRAMES = re.compile(r"(\d\.\d\.\d|4\.x) (?:(A\d) )?((?:\d+(?:-\d+)?(?:, (?!\d\.))?)+)")


def _cited(recording: str) -> Iterator[tuple[str, str, int]]:
    """Release, run and `seq` of each frame; a range cites its first and last."""
    for part in recording.split("; "):
        if part.endswith("not kept"):
            continue
        for release, run, numbers in _FRAMES.findall(part):
            for of_release in ("4.1.1", "4.3.1") if release == "4.x" else (release,):
                yield from (
                    (of_release, RUNS[run], int(seq)) for seq in re.findall(r"\d+", numbers)
                )


def _kept(release: str, run: str) -> set[int]:
    kept = {frame.seq for frame in recordings.frames(release, run)}
    if run == "A6-errors":
        kept |= {seq for probe in recordings.probes(release) for seq in probe["seq"]}
    return kept


@pytest.mark.parametrize("release", recordings.RELEASES)
def test_every_frame_that_a_rule_cites_is_kept(release: str) -> None:
    cited = [
        (run, seq, rule.number)
        for rule in rule_book().rules.values()
        for of_release, run, seq in _cited(rule.sources.get("Recording", ""))
        if of_release == release
    ]
    kept = {run: _kept(release, run) for run, _, _ in cited}

    assert len(cited) > 150
    assert [citation for citation in cited if citation[1] not in kept[citation[0]]] == []
