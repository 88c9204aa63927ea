"""`quorum show` says how far each replica lags, in offsets and in time, as Kafka's tool does."""

from typing import Any

import pytest

from kraftsim.cli.quorum.summary import quorum_summary
from kraftsim.controller.wire.json.document import Document
from tests.kraftsim.conftest import Service


def replica(node_id: int, end: int, fetched_ms: int, caught_up_ms: int) -> Document:
    return {
        "nodeId": node_id,
        "directoryId": "d",
        "endpoint": None,
        "logEndOffset": end,
        "lastFetchTimestamp": fetched_ms,
        "lastCaughtUpTimestamp": caught_up_ms,
    }


LEADER = replica(3001, 130_383, 10_000, 10_000)
SLOW = replica(3000, 130_380, 9_900, 8_500)
UNSEEN = replica(3002, -1, -1, -1)


def quorum(*voters: Document, observers: tuple[Document, ...] = ()) -> Document:
    return {
        "leaderId": 3001,
        "leaderEpoch": 4,
        "highWatermark": 130_380,
        "highWatermarkUpdateTimeMs": 10_000,
        "voters": list(voters),
        "observers": list(observers),
    }


def rows(summary: Document) -> dict[object, Document]:
    found = summary["replicas"]
    assert isinstance(found, list), summary
    return {row["nodeId"]: row for row in found}


@pytest.mark.rule("6.33", "6.35")
def test_lags_and_ages_are_those_against_the_leader() -> None:
    summary = quorum_summary(quorum(SLOW, LEADER, observers=(replica(1, 130_383, 9_000, 9_000),)))

    assert (3, "1.500 s ago") == (summary["maxFollowerLag"], summary["maxFollowerLagAge"])
    shown = [(row["status"], row["lag"], row["lastFetch"]) for row in rows(summary).values()]
    follower, leader = ("Follower", 3, "0.100 s ago"), ("Leader", 0, "now")
    assert [follower, leader, ("Observer", 0, "1.000 s ago")] == shown


@pytest.mark.rule("6.33")
def test_a_voter_that_never_fetched_lags_by_the_whole_log() -> None:
    summary = quorum_summary(quorum(LEADER, UNSEEN))

    assert (130_384, "never") == (summary["maxFollowerLag"], summary["maxFollowerLagAge"])
    assert "never" == rows(summary)[3002]["lastCaughtUp"]


def test_a_leader_without_a_slower_voter_lags_by_nothing() -> None:
    summary = quorum_summary(quorum(LEADER))

    assert (0, "now") == (summary["maxFollowerLag"], summary["maxFollowerLagAge"])


def test_a_leader_that_is_being_removed_leaves_the_values_as_they_are() -> None:
    of_others = quorum(SLOW)

    assert of_others == quorum_summary(of_others)


@pytest.mark.realtime
def test_the_verb_prints_a_row_for_each_replica(run: Any) -> None:
    service = Service(brokers=1, controllers=3)
    try:
        service.do(service.kraft.clock.advance("2s"))
        code, out, _ = run(f"quorum show --output wide --url {service.kraft.http_url}")
    finally:
        service.close()

    lines = out.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("  nodeId"))
    assert 0 == code
    assert "maxFollowerLag: " in out
    statuses = [line.split()[1] for line in lines[head + 1 :]]
    assert ["Follower", "Follower", "Leader", "Observer"] == sorted(statuses)
