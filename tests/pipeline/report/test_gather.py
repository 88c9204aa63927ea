"""What a report says is what the tables say, counted here another way."""

from collections import Counter, defaultdict

import pytest

from kraftsim.cli.main import build_parser
from kraftsim.pipeline.report.findings import Findings
from kraftsim.pipeline.report.gather import gather
from tests.pipeline.campaigns import rows
from tests.pipeline.duck import duck

# in the process of the other tests that read these campaigns
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slow]


@pytest.fixture(scope="module")
def found(shaky) -> Findings:
    return gather(shaky, duck((shaky, "")).ask)


@pytest.fixture(scope="module")
def runs(shaky) -> list[dict]:
    """Without planted bugs and without canaries."""
    return [
        row for row in rows(shaky.path, "runs") if row["scenario"] == "shaky" and not row["mutant"]
    ]


def test_verdicts_are_of_the_runs_that_are_judged(found: Findings, runs) -> None:
    (cell,) = found.cells
    verdicts = Counter(run["verdict"] for run in runs)

    assert (len(runs), verdicts["pass"], verdicts["fail"]) == (cell.runs, cell.passed, cell.failed)
    assert cell.failed > 0, "expected a scenario that fails now and then"
    assert "fail" == found.verdict


def test_failures_are_one_by_what_they_broke_with_a_command_for_the_first(found, runs) -> None:
    failed = [run for run in runs if run["verdict"] == "fail"]
    (cluster,) = found.failures
    first = min(failed, key=lambda row: row["seed"])

    assert (len(failed), first["seed"], first["repro"]) == (
        cluster.runs,
        cluster.first_seed,
        cluster.repro,
    )
    assert "FenceBroker" in cluster.what


def test_a_knob_is_held_against_the_runs_without_it(found: Findings, runs) -> None:
    varying = {lift.knob for lift in found.lifts}
    assert {"proc.crash", "net.delay"} <= varying
    assert "note" not in varying, "every run has it"

    (crash,) = (
        lift for lift in found.lifts if (lift.knob, lift.verdict) == ("proc.crash", "failed")
    )
    having = [run for run in runs if "proc.crash" in run["knobs"]]
    failed = sum(row["verdict"] == "fail" for row in having)
    assert (failed, len(having)) == (crash.having.hits, crash.having.of)
    assert len(runs) == crash.having.of + crash.lacking.of


def test_fences_and_recoveries_take_as_long_as_their_intervals(
    found: Findings, shaky, runs
) -> None:
    ours = {run["run_id"] for run in runs}
    lives = [
        row
        for row in rows(shaky.path, "intervals")
        if row["run_id"] in ours and (row["view"], row["state"]) == ("log", "fenced")
    ]
    silent_us = [life["begin_us"] - life["contact_us"] for life in lives if life["contact_us"]]
    at_once_us = [
        life["end_us"] - life["begin_us"]
        for life in lives
        if (life["cause"], life["ended_by"]) == ("fenced", "unfenced")
    ]
    by_name = {(delay.what, delay.scenario): delay for delay in found.delays}

    fence = by_name["fence", None]
    assert (len(silent_us), max(silent_us)) == (fence.times, fence.max_us)
    assert 9_000_000 <= fence.p50_us <= 10_250_000  # a session, and nine eighths of it: rule 2.47
    assert fence == max(fence, by_name["fence", "shaky"], key=lambda row: row.times)
    back_us = outages_us(lives)
    recovery = by_name["recovery", None]
    assert (len(back_us), max(back_us)) == (recovery.times, recovery.max_us)
    assert set(back_us) - set(at_once_us), "expected somebody that registered before it was back"


def outages_us(lives: list[dict]) -> list[int]:
    """From each fence to the unfence, whatever comes between the two."""
    fenced_us: dict[tuple[str, str], int] = {}
    found = []
    for life in sorted(lives, key=lambda life: (life["run_id"], life["seq"])):
        key = life["run_id"], life["subject"]
        if life["state"] != "fenced":
            continue
        if life["cause"] == "fenced":
            fenced_us[key] = life["begin_us"]
        if life["ended_by"] == "unfenced" and key in fenced_us:
            found.append(life["end_us"] - fenced_us.pop(key))
    return found


def test_availability_is_time_unfenced_since_the_first_registration(found, shaky, runs) -> None:
    length_us = {run["run_id"]: run["virtual_us"] for run in runs}
    away_us: dict[str, int] = defaultdict(int)
    known_us: dict[str, int] = defaultdict(int)
    first_us: dict[tuple[str, str], int] = {}
    for row in rows(shaky.path, "intervals"):
        if row["run_id"] in length_us and row["view"] == "log":
            key = row["run_id"], row["subject"]
            if key not in first_us:
                first_us[key] = row["begin_us"]
                known_us[row["subject"]] += length_us[row["run_id"]] - row["begin_us"]
            if row["state"] != "unfenced":
                away_us[row["subject"]] += row["end_us"] - row["begin_us"]

    assert 4 == len(found.availability)
    for row in found.availability:
        assert known_us[row.subject] == row.known_us
        assert known_us[row.subject] - away_us[row.subject] == row.in_service_us
        assert row.rack in ("a", "b")


def test_coverage_grows_to_all_kinds_and_halves_are_of_other_seeds(found: Findings, runs) -> None:
    (coverage,) = found.coverage
    kinds = Counter(kind for run in runs for kind in run["coverage"])
    early = {kind for run in runs if run["seed"] < 5 for kind in run["coverage"]}
    late = [run for run in runs if run["seed"] >= 5]

    assert (len(kinds), list(kinds.values()).count(1)) == (coverage.kinds, coverage.seen_once)
    assert (len(runs), len(kinds)) == coverage.curve[-1]
    assert sorted(coverage.curve) == list(coverage.curve)
    surprises = sum(not set(row["coverage"]) <= early for row in late)
    assert (surprises, len(late)) == (coverage.second_half.hits, coverage.second_half.of)
    assert len(kinds.keys() - early) == coverage.found_kinds


def test_a_bug_is_killed_where_the_run_without_it_passes(found: Findings, shaky) -> None:
    verdicts = {
        (row["seed"], row["mutant"]): row["verdict"]
        for row in rows(shaky.path, "runs")
        if row["scenario"] == "shaky"
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
    assert [False, False] == [canary.is_deaf for canary in found.canaries]


def test_a_sweep_has_a_field_for_every_combination(swept) -> None:
    found = gather(swept, duck((swept, "")).ask)
    (sweep,) = found.sweeps

    assert [("pause", ("3s", "13s")), ("session_ms", ("6000", "12000"))] == [
        (axis.name, axis.values) for axis in sweep.axes
    ]
    fenced = {field.places: field.with_fence for field in sweep.fields}
    assert {(0, 0): 0, (0, 1): 0, (1, 0): 3} == {at: fenced[at] for at in ((0, 0), (0, 1), (1, 0))}
    assert {3} == {field.runs for field in sweep.fields}


def test_each_cell_has_a_command_that_writes_any_of_its_runs(found: Findings, runs) -> None:
    (export,) = (export for export in found.exports if export.scenario == "shaky")
    seeds = [run["seed"] for run in runs]

    assert (min(seeds), max(seeds) + 1) == (export.first_seed, export.end_seed)
    for run in runs:
        command = export.command.replace("SEED", str(run["seed"]))
        assert command == f"{run['repro']} --html run-{run['seed']}.html"
        build_parser().parse_args(command.split()[1:])
