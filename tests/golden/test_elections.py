"""What was done to the leaders of A2, what the voters then said, and what the nodes kept of it."""

import json
import re
from pathlib import Path

import pytest

from kraftsim.controller.core.log.control_records import KRaftVersion
from kraftsim.controller.core.rpc import (
    BeginQuorumEpochPartition,
    BeginQuorumEpochRequest,
    VotePartition,
    VoteRequest,
    VoteResponse,
)
from kraftsim.controller.wire.frames import decode_request, decode_response, read_request_header
from kraftsim.controller.wire.records.record_batch import decode_batches
from kraftsim.storage.quorum_state import QUORUM_STATE, mark_first_run
from tests.golden import recordings
from tests.golden.recordings import RELEASES, Frame

RUNS = [(release, run) for release in RELEASES for run in recordings.runs(release)]
FALLS = [
    (release, int(match[2]), event["next_seq"])
    for release in RELEASES
    for event in recordings.events(release, "A2-quorum3")
    if (match := re.fullmatch(r"send SIG(KILL|STOP|TERM) to c(\d+)", event["event"]))
]


def requested(frame: Frame) -> object:
    return decode_request(read_request_header(frame.data), frame.data)


def granted_votes(release: str) -> list[tuple[int, VotePartition]]:
    """In A2: who was granted which vote, pre-votes left out, and when it was asked for."""
    asked = {}
    granted = []
    for frame in recordings.frames(release, "A2-quorum3", 52):
        exchange = (frame.connection, frame.correlation_id)
        if frame.direction == "req":
            request = requested(frame)
            assert isinstance(request, VoteRequest)
            asked[exchange] = (frame.seq, request.topics[0].partitions[0])
        else:
            _, response = decode_response(52, frame.api_version, frame.data)
            assert isinstance(response, VoteResponse)
            seq, vote = asked[exchange]
            if response.topics[0].partitions[0].vote_granted and not vote.pre_vote:
                granted.append((seq, vote))
    return granted


def begun_epochs(release: str) -> list[tuple[int, BeginQuorumEpochPartition]]:
    begun = []
    for frame in recordings.frames(release, "A2-quorum3", 53):
        if frame.direction == "req":
            request = requested(frame)
            assert isinstance(request, BeginQuorumEpochRequest)
            begun.append((frame.seq, request.topics[0].partitions[0]))
    return begun


@pytest.mark.rule("10.16", "10.22")
@pytest.mark.parametrize(("release", "fallen", "seq"), FALLS)
def test_a_leader_that_falls_is_followed_by_one_that_was_voted_for(
    release: str, fallen: int, seq: int
) -> None:
    begun = begun_epochs(release)
    before = max(told.leader_epoch for at, told in begun if at < seq)

    at, told = next((at, told) for at, told in begun if at >= seq and told.leader_epoch > before)
    assert told.leader_id != fallen
    assert [
        vote
        for asked_at, vote in granted_votes(release)
        if (vote.replica_id, vote.replica_epoch) == (told.leader_id, told.leader_epoch)
        and seq <= asked_at < at
    ]


def test_every_release_lost_a_leader_in_three_ways() -> None:
    assert [(release, 3) for release in RELEASES] == [
        (release, sum(of_fall == release for of_fall, *_ in FALLS)) for release in RELEASES
    ]


@pytest.mark.rule("10.3", "10.6")
@pytest.mark.parametrize(("release", "run"), RUNS)
def test_a_node_keeps_an_epoch_no_older_than_its_log(release: str, run: str) -> None:
    states = recordings.quorum_states(release, run)
    logs = [log for log in recordings.metadata_logs(release) if log.run == run]

    assert "c3000" in states
    for log in logs:
        if log.name.endswith(".log"):
            batches = decode_batches(log.data)
            can_change = any(
                isinstance(record, KRaftVersion) for batch in batches for record in batch.records
            )

            assert states[log.node]["leaderEpoch"] >= batches[-1].epoch, log.place
            assert states[log.node]["data_version"] == int(can_change), log.place


@pytest.mark.rule("10.6")
@pytest.mark.parametrize("release", RELEASES)
def test_the_mark_of_a_directory_is_what_kafka_writes_before_it_finds_a_leader(
    release: str, tmp_path: Path
) -> None:
    """The node `alien` found none."""
    mark_first_run(tmp_path / "static", kraft_version=0, voter_ids=[3000])
    mark_first_run(tmp_path / "dynamic", kraft_version=1, voter_ids=[3000])

    alien = recordings.quorum_states(release, "A1-single")["alien"]
    followed = recordings.quorum_states(release, "A3-dynamic")["c3000"]
    static, dynamic = (
        json.loads((tmp_path / name / QUORUM_STATE).read_bytes()) for name in ("static", "dynamic")
    )
    assert alien == static
    assert followed | {"leaderId": -1, "leaderEpoch": 0} == dynamic
