"""What is timed at size is a campaign like any other: whole, sound, and as large as was asked."""

from pathlib import Path

import pytest

from bench.synthetic_campaign import EVENTS, grow
from kraftsim.pipeline.invariants.recheck import shard_violations
from kraftsim.pipeline.report.gather import gather
from tests.pipeline.duck import duck

# in the process of the other tests that read these campaigns
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slow]


def test_a_grown_campaign_is_whole_and_sound(swept, tmp_path: Path) -> None:
    events = sum(commit.pieces[name].rows for commit in swept.commits().values() for name in EVENTS)
    grown = grow(swept, tmp_path / "grown", 2 * events)
    small, large = (gather(campaign, duck((campaign, "")).ask) for campaign in (swept, grown))
    times = large.campaign.seeds[1] // small.campaign.seeds[1]

    assert large.campaign.events >= 2 * events
    assert large.campaign.runs == large.campaign.runs_done
    assert [cell.runs * times for cell in small.cells] == [cell.runs for cell in large.cells]
    commits = grown.commits()
    assert [] == [wrong for commit in commits.values() for wrong in grown.corrupt(commit)]
    assert [] == [
        violation
        for number in commits
        for violation in shard_violations(grown, grown.plan(), number)
    ]
