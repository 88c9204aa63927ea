"""What is timed at size is a campaign like any other: whole, sound, and as large as was asked."""

from pathlib import Path

import pytest

from bench.synthetic_campaign import EVENTS, grow
from kraftsim.pipeline.invariants.recheck import shard_violations
from kraftsim.pipeline.report.gather import gather
from tests.pipeline.duck import duck

pytestmark = pytest.mark.xdist_group("spark")  # beside the others that read these campaigns


def test_a_grown_campaign_is_whole_and_sound(swept, tmp_path: Path) -> None:
    events = sum(one.pieces[name].rows for one in swept.commits().values() for name in EVENTS)
    grown = grow(swept, tmp_path / "grown", 2 * events)
    small, large = (gather(one, duck((one, "")).ask) for one in (swept, grown))
    times = large.campaign.seeds[1] // small.campaign.seeds[1]

    assert large.campaign.events >= 2 * events
    assert large.campaign.runs == large.campaign.runs_done
    assert [one.runs * times for one in small.cells] == [one.runs for one in large.cells]
    commits = grown.commits()
    assert [] == [wrong for one in commits.values() for wrong in grown.corrupt(one)]
    assert [] == [
        one for number in commits for one in shard_violations(grown, grown.plan(), number)
    ]
