"""What a report says is what the tables say, counted here another way."""

from collections import Counter, defaultdict

import pytest

from kraftsim.pipeline.report.findings import Findings
from kraftsim.pipeline.report.gather import gather
from tests.pipeline.campaigns import rows
from tests.pipeline.duck import duck

pytestmark = pytest.mark.xdist_group("spark")  # beside the others that read these campaigns


@pytest.fixture(scope="module")
def found(shaky) -> Findings:
    return gather(shaky, duck((shaky, "")).ask)


@pytest.fixture(scope="module")
def runs(shaky) -> list[dict]:
    """Without planted bugs and without canaries."""
    return [
        one for one in rows(shaky.path, "runs") if one["scenario"] == "shaky" and not one["mutant"]
    ]


def test_verdicts_are_of_the_runs_that_are_judged(found: Findings, runs) -> None:
    (cell,) = found.cells
    verdicts = Counter(one["verdict"] for one in runs)

    assert (len(runs), verdicts["pass"], verdicts["fail"]) == (cell.runs, cell.passed, cell.failed)
    assert cell.failed > 0, "expected a scenario that fails now and then"
    assert "fail" == found.verdict


def test_failures_are_one_by_what_they_broke_with_a_command_for_the_first(found, runs) -> None:
    failed = [one for one in runs if one["verdict"] == "fail"]
    (cluster,) = found.failures
    first = min(failed, key=lambda one: one["seed"])

    assert (len(failed), first["seed"], first["repro"]) == (
        cluster.runs,
        cluster.first_seed,
        cluster.repro,
    )
    assert "FenceBroker" in cluster.what


def test_a_knob_is_held_against_the_runs_without_it(found: Findings, runs) -> None:
    varying = {one.knob for one in found.lifts}
    assert {"proc.crash", "net.delay"} <= varying
    assert "note" not in varying, "every run has it"

    (crash,) = (one for one in found.lifts if (one.knob, one.verdict) == ("proc.crash", "failed"))
    having = [one for one in runs if "proc.crash" in one["knobs"]]
    failed = sum(one["verdict"] == "fail" for one in having)
    assert (failed, len(having)) == (crash.having.hits, crash.having.of)
    assert len(runs) == crash.having.of + crash.lacking.of


def test_fences_and_recoveries_take_as_long_as_their_intervals(
    found: Findings, shaky, runs
) -> None:
    ours = {one["run_id"] for one in runs}
    lives = [
        one
        for one in rows(shaky.path, "intervals")
        if one["run_id"] in ours and (one["view"], one["state"]) == ("log", "FENCED")
    ]
    silent_us = [one["begin_us"] - one["contact_us"] for one in lives if one["contact_us"]]
    at_once_us = [
        one["end_us"] - one["begin_us"]
        for one in lives
        if (one["cause"], one["ended_by"]) == ("fenced", "unfenced")
    ]
    by_name = {(one.what, one.scenario): one for one in found.delays}

    fence = by_name["fence", None]
    assert (len(silent_us), max(silent_us)) == (fence.times, fence.max_us)
    assert 9_000_000 <= fence.p50_us <= 10_250_000  # a session, and nine eighths of it: rule 2.47
    assert fence == max(fence, by_name["fence", "shaky"], key=lambda one: one.times)
    back_us = outages_us(lives)
    recovery = by_name["recovery", None]
    assert (len(back_us), max(back_us)) == (recovery.times, recovery.max_us)
    assert set(back_us) - set(at_once_us), "expected somebody that registered before it was back"


def outages_us(lives: list[dict]) -> list[int]:
    """From each fence to the unfence, whatever comes between the two."""
    fenced_us: dict[tuple[str, str], int] = {}
    found = []
    for one in sorted(lives, key=lambda one: (one["run_id"], one["seq"])):
        key = one["run_id"], one["subject"]
        if one["state"] != "FENCED":
            continue
        if one["cause"] == "fenced":
            fenced_us[key] = one["begin_us"]
        if one["ended_by"] == "unfenced" and key in fenced_us:
            found.append(one["end_us"] - fenced_us.pop(key))
    return found


def test_availability_is_time_unfenced_since_the_first_registration(found, shaky, runs) -> None:
    length_us = {one["run_id"]: one["virtual_us"] for one in runs}
    away_us: dict[str, int] = defaultdict(int)
    known_us: dict[str, int] = defaultdict(int)
    first_us: dict[tuple[str, str], int] = {}
    for one in rows(shaky.path, "intervals"):
        if one["run_id"] in length_us and one["view"] == "log":
            key = one["run_id"], one["subject"]
            if key not in first_us:
                first_us[key] = one["begin_us"]
                known_us[one["subject"]] += length_us[one["run_id"]] - one["begin_us"]
            if one["state"] != "UNFENCED":
                away_us[one["subject"]] += one["end_us"] - one["begin_us"]

    assert 4 == len(found.availability)
    for one in found.availability:
        assert known_us[one.subject] == one.known_us
        assert known_us[one.subject] - away_us[one.subject] == one.in_service_us
        assert one.rack in ("a", "b")


def test_coverage_grows_to_all_kinds_and_halves_are_of_other_seeds(found: Findings, runs) -> None:
    (coverage,) = found.coverage
    kinds = Counter(kind for one in runs for kind in one["coverage"])
    early = {kind for one in runs if one["seed"] < 5 for kind in one["coverage"]}
    late = [one for one in runs if one["seed"] >= 5]

    assert (len(kinds), list(kinds.values()).count(1)) == (coverage.kinds, coverage.seen_once)
    assert (len(runs), len(kinds)) == coverage.curve[-1]
    assert sorted(coverage.curve) == list(coverage.curve)
    surprises = sum(not set(one["coverage"]) <= early for one in late)
    assert (surprises, len(late)) == (coverage.second_half.hits, coverage.second_half.of)
    assert len(kinds.keys() - early) == coverage.found_kinds


def test_a_bug_is_killed_where_the_run_without_it_passes(found: Findings, shaky) -> None:
    verdicts = {
        (one["seed"], one["mutant"]): one["verdict"]
        for one in rows(shaky.path, "runs")
        if one["scenario"] == "shaky"
    }
    passing = [
        seed for (seed, mutant), verdict in verdicts.items() if (mutant, verdict) == (None, "pass")
    ]
    killed = [seed for seed in passing if verdicts[seed, "M41"] == "fail"]
    all_of_it, of_shaky = found.kills

    assert (len(killed), len(passing)) == (all_of_it.killed.hits, all_of_it.killed.of)
    assert (None, "shaky") == (all_of_it.scenario, of_shaky.scenario)


def test_a_campaign_counts_what_was_committed(found: Findings, shaky) -> None:
    campaign = found.campaign

    assert (0, 10) == campaign.seeds
    assert len(rows(shaky.path, "heartbeats")) == campaign.rows["heartbeats"]
    assert campaign.runs == campaign.runs_done == 10 * 2 + 2
    assert [False, False] == [one.is_deaf for one in found.canaries]


def test_a_sweep_has_a_field_for_every_combination(swept) -> None:
    found = gather(swept, duck((swept, "")).ask)
    (sweep,) = found.sweeps

    assert [("pause", ("3s", "13s")), ("session_ms", ("6000", "12000"))] == [
        (one.name, one.values) for one in sweep.axes
    ]
    fenced = {one.places: one.with_fence for one in sweep.fields}
    assert {(0, 0): 0, (0, 1): 0, (1, 0): 3} == {at: fenced[at] for at in ((0, 0), (0, 1), (1, 0))}
    assert {3} == {one.runs for one in sweep.fields}
