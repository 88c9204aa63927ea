"""What a released controller does when the policy about new topics raises, and ours likewise."""

from pathlib import Path

import pytest

from tests.differential import test_options
from tests.differential.pair import Pair, started_pair
from tests.differential.policies import with_policies
from tests.differential.sequence import Ask
from tests.released.releases import RELEASES

pytestmark = pytest.mark.released
RELEASE = RELEASES["4.1.1"]


def creation(*names: str) -> Ask:
    usual = {"numPartitions": 1, "replicationFactor": 1, "assignments": [], "configs": []}
    topics = [{"name": name} | usual for name in names]
    return Ask("CreateTopics", 7, {"timeoutMs": 30_000, "validateOnly": False, "topics": topics})


def changed(name: str, value: str) -> dict[str, object]:
    entry = {"name": "segment.ms", "configOperation": 0, "value": value}
    return {"resourceType": 2, "resourceName": name, "configs": [entry]}


@pytest.mark.rule("4.60", "4.61")
def test_before_4_3_the_whole_request_is_refused_and_the_controller_resigns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_options, "RELEASE", RELEASE)
    steps = (
        test_options.registration(1),
        test_options.heartbeat(1),
        creation("first"),
        creation("second", "broken-a", "third"),
        creation("fourth"),
        creation("broken-b", "refused-c"),
        Ask(
            "IncrementalAlterConfigs",
            1,
            {
                "validateOnly": False,
                "resources": [changed("first", "778"), changed("fourth", "666")],
            },
        ),
    )
    options = with_policies(RELEASE, tmp_path / "policies")
    with started_pair(RELEASE, session_timeout_ms=60_000, options=options) as pair:
        for place, step in enumerate(steps):
            assert [] == pair.bench.compare(place, step), step
            if "broken" in str(step.body):
                lead_again(pair)


def lead_again(pair: Pair) -> None:
    """Waits until both controllers lead the next epoch."""
    kafka, ours = pair.bench.kafka.side, pair.bench.ours.side
    for _ in range(20):
        kafka.wait(0.5)
        ours.follow_clock()
    assert ours.hosted.node.is_active
