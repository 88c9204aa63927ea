"""Two campaigns of the same seeds, pair by pair; and the gates that a change may not fail."""

from pathlib import Path

import pytest

from kraftsim.pipeline.campaign.plan import PlanError
from kraftsim.pipeline.report.comparison import Comparison, compare, definitions
from kraftsim.pipeline.report.gates import read_gates, regressions
from tests.pipeline.duck import Duck, duck

# in the process of the other tests that read these campaigns
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slow]


@pytest.fixture
def tables(shaky) -> Duck:
    found = duck((shaky, "base_"), (shaky, "new_"))
    for text in definitions(shaky.plan(), shaky.plan()):
        found.database.execute(text)
    return found


def failed(found: Comparison, gates: str) -> list[str]:
    return [gate.name for gate, _ in regressions(found, read_gates(gates))]


EVERY = (
    "p50:+0,p99:+0%,recovery-p99.9:+0ms,violations:+0,failures:+0,flips:+0,digests:+0,zombies:+0"
)


def test_a_campaign_is_no_worse_than_itself(tables: Duck) -> None:
    found = compare(tables.ask)

    assert 10 == found.pairs
    assert 20 == sum(digest.pairs for digest in found.digests)  # with a bug planted, too
    assert [] == failed(found, EVERY)
    assert () == found.flips
    assert {0} == {digest.different for digest in found.digests}
    assert {1.0} == {measure.chance for measure in found.measures}


def test_runs_that_fail_now_fail_the_gate_and_have_a_command(tables: Duck) -> None:
    tables.tamper(
        "new_runs",
        "update tampered set verdict = 'fail', violations = 1, digest = 'other' "
        "where verdict = 'pass' and mutant is null",
    )
    found = compare(tables.ask)
    (flip,) = found.flips
    (violations,) = (measure for measure in found.measures if measure.name == "violations")

    assert ["violations", "failures", "flips", "digests"] == failed(found, EVERY)
    assert ("pass", "fail", flip.runs) == (flip.was, flip.is_now, violations.more)
    assert 0 == violations.less
    assert flip.repro.startswith("kraftsim scenario run")
    assert [] == failed(found, f"violations:+{flip.runs},flips:+100")


def test_a_bug_that_is_killed_more_often_is_no_regression(tables: Duck) -> None:
    tables.tamper("new_runs", "update tampered set verdict = 'fail' where mutant is not null")
    found = compare(tables.ask)

    assert [] == failed(found, EVERY)
    assert all(flip.is_planted for flip in found.flips)


def test_fences_that_come_later_fail_a_gate_of_their_quantile(tables: Duck) -> None:
    tables.tamper("new_intervals", "update tampered set contact_us = contact_us - 1000000")
    found = compare(tables.ask)
    (p99,) = (quantile for quantile in found.quantiles if quantile.name == "p99")

    assert p99.new_us == pytest.approx(p99.base_us + 1e6)
    low_us, high_us = p99.base_interval_us
    assert low_us <= p99.base_us
    assert high_us is None, "of so few fences the longest is no bound"
    assert ["p99"] == failed(found, "p99:+5%")
    assert [] == failed(found, "p99:+20%,p50:+1s")


def test_what_cannot_be_measured_any_more_keeps_no_gate(tables: Duck) -> None:
    tables.tamper("new_intervals", "update tampered set contact_us = null")

    assert ["p50", "p99.9"] == failed(compare(tables.ask), "p50:+10%,p99.9:+10%,violations:+0")


def test_runs_that_come_to_no_end_any_more_fail_whatever_gate_there_is(tables: Duck) -> None:
    tables.tamper("new_runs", "update tampered set verdict = 'crash' where mutant is null")

    assert ["unended"] == failed(compare(tables.ask), "violations:+0")
    assert [] == list(regressions(compare(tables.ask), ()))


def test_runs_that_came_to_no_end_before_are_no_worse_now(tables: Duck) -> None:
    tables.database.execute("create table before as select * from base_runs")
    tables.database.execute("update before set verdict = 'error' where mutant is null")
    tables.database.execute("create or replace temp view base_runs as select * from before")
    tables.tamper("new_runs", "update tampered set verdict = 'crash' where mutant is null")

    assert [] == failed(compare(tables.ask), "violations:+0")


def test_two_campaigns_that_share_no_run_are_refused(shaky, swept) -> None:
    found = duck((shaky, "base_"), (swept, "new_"))
    for text in definitions(shaky.plan(), swept.plan()):
        found.database.execute(text)

    with pytest.raises(PlanError, match="expected campaigns that share runs"):
        compare(found.ask)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p98:+10%", r"unknown measure 'p98': expected 'p9.*' \(nearest\)"),
        ("violation:+0", r"expected 'violations' \(nearest\)"),
        ("p99:10%", r"p99: expected \+10%, \+0 or \+50ms, got '10%'"),
        ("p99:+10", r"p99: expected a limit such as \+50ms or \+10%, got '\+10'"),
        ("failures:+3ms", r"failures: expected a limit such as \+3 or \+10%"),
        ("failures", r"failures: expected \+10%"),
    ],
)
def test_gates_that_cannot_be_meant_name_what_could(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_gates(text)


def test_a_gate_allows_so_much_more(tmp_path: Path) -> None:
    relative, absolute, none = read_gates("p99:+10%,p50:+50ms,violations:+0")

    assert 1_100_000 == pytest.approx(relative.limit(1_000_000))
    assert 1_050_000 == absolute.limit(1_000_000)
    assert 3 == none.limit(3)
