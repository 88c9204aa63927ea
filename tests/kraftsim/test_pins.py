"""A plan that is kept beside its scenario: the run that was meant, whatever the seed gives now."""

import json

import pytest

from kraftsim.cli.main import main
from kraftsim.files.scenario_files import library, read_file
from kraftsim.scenarios.document.plan import expand, named
from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.running.drift import first_difference
from kraftsim.scenarios.running.run import Run, bound_by
from tests.scenarios.read_library import names_with

pytestmark = pytest.mark.slow


DRAWN = """\
schema: kraftsim/scenario/1
name: drawn
claim: Somebody is fenced in time.
cluster: {controllers: 1, brokers: 2}
time: {warmup: 1s, run: 30s, calm: 10s}
let: {victim: {pick: 1, of: brokers}}
do:
  - at: {from: 1s, to: 5s}
    say: He falls.
    proc.crash: {on: $victim, for: {heavy: 15s}}
expect:
  calm: [{broker: brokers, state: unfenced}]
pins:
  - {seed: 3, plan: drawn-3.yaml}
"""


@pytest.fixture
def drawn(tmp_path, capsys):
    """A scenario with its plan beside it; the path of each."""
    path, plan = tmp_path / "drawn.yaml", tmp_path / "drawn-3.yaml"
    path.write_text(DRAWN, "utf-8")
    assert main(["scenario", "show", str(path), "--seed", "3"]) == 0
    plan.write_text(capsys.readouterr().out, "utf-8")
    return path, plan


def ran(path, capsys, *options):
    """What it printed as JSON."""
    assert main(["scenario", "run", str(path), "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_plan_is_a_file_that_repeats_its_run_without_words(drawn, capsys):
    path, plan = drawn

    meant = ran(path, capsys)

    assert [] == meant["drifted"]
    assert (3, meant["digest"]) == (ran(plan, capsys)["seed"], ran(plan, capsys)["digest"])


def test_a_seed_whose_plan_is_another_is_said_to_have_drifted_and_where(drawn, capsys):
    path, plan = drawn
    meant = ran(path, capsys)
    path.write_text(DRAWN.replace("{from: 1s, to: 5s}", "{from: 6s, to: 9s}"), "utf-8")

    (sentence,) = ran(path, capsys)["drifted"]
    assert sentence.startswith("the plan of this seed has changed: do[0].at: ")
    assert meant["digest"] == ran(plan, capsys)["digest"], "the plan is what it was"
    assert main(["scenario", "run", str(path)]) == 0
    assert f"drifted: {sentence}" in capsys.readouterr().out
    assert f"kraftsim scenario run {plan}" in sentence


def test_a_plan_names_whom_let_has_found_and_that_moves_no_draw(drawn, capsys):
    path, plan = drawn
    also = "\n  - {at: 500ms, proc.pause: {on: {pick: 1}, for: 100ms}}\nexpect:"
    path.write_text(DRAWN.replace("\nexpect:", also), "utf-8")
    main(["scenario", "show", str(path), "--seed", "3"])
    plan.write_text(capsys.readouterr().out, "utf-8")

    assert "let:\n  victim:\n  - 1\n" in plan.read_text("utf-8")
    assert ran(path, capsys)["digest"] == ran(plan, capsys)["digest"]


def test_another_whom_let_finds_is_drift(drawn, capsys):
    path, _ = drawn
    path.write_text(DRAWN.replace("{pick: 1, of: brokers}", "[2]"), "utf-8")

    (sentence,) = ran(path, capsys)["drifted"]
    assert sentence.startswith("the plan of this seed has changed: let.victim[0]: 1 before, 2 now;")


def test_what_is_only_said_or_claimed_is_no_drift(drawn, capsys):
    path, _ = drawn
    path.write_text(DRAWN.replace("He falls.", "She does.").replace("in time", "soon"), "utf-8")

    assert [] == ran(path, capsys)["drifted"]


def test_a_step_more_is_a_difference(drawn):
    plan = read_file(drawn[1]).scenario
    assert isinstance(plan, Scenario)
    longer = read_file(drawn[0]).scenario

    bound = bound_by(longer, 3)
    assert first_difference(plan, named(expand(longer, 3), bound)) is None
    assert "do[0].at" in first_difference(plan, named(expand(longer, 4), bound))


def test_a_plan_that_is_not_there_is_asked_for_with_the_command_that_writes_it(drawn, capsys):
    path, plan = drawn
    plan.unlink()

    assert main(["scenario", "run", str(path)]) == 2
    assert f"kraftsim scenario show {path} --seed 3 > {plan}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "plan"), [("pins[0].plan", "../drawn-3.yaml"), ("include[0]", "../drawn.yaml")]
)
def test_a_file_outside_the_folder_is_refused_before_anything_runs(drawn, capsys, key, plan):
    path, _ = drawn
    if key == "include[0]":
        path.write_text(f"include: [{plan}]\n{DRAWN}", "utf-8")
    else:
        path.write_text(DRAWN.replace("drawn-3.yaml", plan), "utf-8")
    expected = f"{key}: expected a path inside the folder of this file, got {plan!r}"

    assert main(["scenario", "run", str(path)]) == 2
    printed = capsys.readouterr()
    assert (printed.out, expected in printed.err) == ("", True)
    assert main(["scenario", "lint", str(path)]) == 1
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize("name", names_with("plan"))
def test_a_plan_of_the_library_is_what_its_seed_gives(name):
    """Written by `kraftsim scenario show NAME --seed N > scenarios/library/pins/NAME-N.yaml`."""
    path = library()[name]
    scenario = read_file(path).scenario
    (pin,) = [pin for pin in scenario.pins if pin.plan]
    plan = read_file(path.parent / pin.plan).scenario

    results = [Run(document, pin.seed, []).finish() for document in (scenario, plan)]
    now = named(expand(scenario, pin.seed), results[0].bound)
    assert first_difference(plan, now) is None
    assert 1 == len({result.digest for result in results})
