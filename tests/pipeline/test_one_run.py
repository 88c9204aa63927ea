"""What a run leaves: rows of every table, which fit each other and what the run itself says."""

import json

import pytest

from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.campaign.one_run import run_seed
from kraftsim.pipeline.tables import TABLES
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.running.run import run
from tests.pipeline.campaigns import FENCED

ITEM = Item(called="fenced", document=FENCED)
SEED = 4


@pytest.fixture(scope="module")
def tables():
    ran = run_seed(ITEM, ITEM.scenario(), SEED, events="all")
    return {
        name: [dict(zip(TABLES[name].names, row, strict=True)) for row in rows]
        for name, rows in ran.rows.items()
    }


def test_it_is_the_run_that_the_scenario_is_by_itself(tables):
    (row,) = tables["runs"]
    result = run(read_scenario(FENCED), SEED)

    assert (result.verdict, result.digest) == (row["verdict"], row["digest"])
    assert (result.events, result.virtual_us) == (row["events"], row["virtual_us"])
    assert (1, 1, 1, 2) == (
        row["fencings"],
        row["lease_expiries"],
        row["elections"],
        row["registrations"],
    )


def test_transitions_are_the_rows_of_the_journal(tables):
    result = run(read_scenario(FENCED), SEED)

    assert [(row.seq, row.t_us, row.kind) for row in result.rows] == [
        (row["seq"], row["t_us"], row["kind"]) for row in tables["transitions"]
    ]


def test_the_same_seed_gives_the_same_rows(tables):
    again = run_seed(ITEM, ITEM.scenario(), SEED, events="all").rows

    for name in set(TABLES) - {"runs"}:
        rows = [dict(zip(TABLES[name].names, row, strict=True)) for row in again.get(name, [])]
        assert tables[name] == rows


def test_the_log_is_kept_as_kafka_prints_it_without_what_says_nothing(tables):
    records = tables["records"]

    assert sorted(row["offset"] for row in records) == [row["offset"] for row in records]
    assert "NO_OP_RECORD" not in {row["type"] for row in records}
    (first, *_) = [row for row in records if row["type"] == "REGISTER_BROKER_RECORD"]
    assert first["offset"] == json.loads(first["data"])["brokerEpoch"]  # rule 1.1: its own offset


def test_a_broker_that_was_silent_was_fenced_for_as_long_as_the_intervals_say(tables):
    mine = [row for row in tables["intervals"] if row["subject"] == "broker-1"]
    said = [(row["state"], row["cause"]) for row in mine if row["view"] == "log"]
    (silent,) = [row for row in mine if row["contact_us"] is not None]

    assert [
        ("fenced", "registered"),
        ("unfenced", "unfenced"),
        ("fenced", "fenced"),
        ("unfenced", "unfenced"),
    ] == said
    assert (
        9_000_000 <= silent["begin_us"] - silent["contact_us"] < 10_000_000
    )  # rule 3.1: a session
    assert "unfenced" == silent["ended_by"]
    assert "a" == silent["rack"]


def test_intervals_of_one_subject_follow_each_other_without_a_gap(tables):
    for subject in {row["subject"] for row in tables["intervals"]}:
        for view in ("log", "process", "quorum"):
            mine = [
                row
                for row in tables["intervals"]
                if (row["subject"], row["view"]) == (subject, view)
            ]
            ends = [row["end_us"] for row in mine]
            assert ends[:-1] == [row["begin_us"] for row in mine[1:]]


def test_heartbeats_say_what_came_of_them(tables):
    mine = [row for row in tables["heartbeats"] if row["broker_id"] == 1]
    outcomes = [(row["want_fence"], row["is_fenced"]) for row in mine]

    assert (True, True) in outcomes
    assert (False, False) == outcomes[-1]
    assert {0} == {row["error_code"] for row in mine}


def test_coverage_names_what_occurred_without_saying_to_whom(tables):
    (row,) = tables["runs"]

    assert {
        "broker unfenced lease_expired: unfenced",
        "broker unfenced fenced: fenced",
        "broker fenced unfenced: unfenced",
        "broker unfenced heartbeat work: unfenced",
    } <= set(row["coverage"])


@pytest.mark.parametrize(("events", "kept"), [("failures", False), ("none", False), ("all", True)])
def test_the_bulk_of_a_run_that_passed_is_kept_when_it_is_wanted(events, kept):
    rows = run_seed(ITEM, ITEM.scenario(), SEED, events=events).rows

    assert kept == ("transitions" in rows)
    assert rows["intervals"]
    assert rows["runs"]


def test_what_cannot_be_run_is_a_row_that_says_why():
    short = FENCED | {"time": {"run": "30s", "limit": "10s"}}
    item = Item(called="short", document=short)

    ran = run_seed(item, item.scenario(), SEED, events="all")

    (row,) = [dict(zip(TABLES["runs"].names, row, strict=True)) for row in ran.rows["runs"]]
    assert "error" == row["verdict"]
    assert "LimitError" in row["error"]
