"""`campaign run --guided`: the led search of a hunt, the same on every engine."""

from dataclasses import replace

import pytest

from kraftsim.cli.main import main
from kraftsim.files.hunt_files import write_corpus
from kraftsim.files.scenario_files import find, read_file
from kraftsim.pipeline.engines.session import SparkTarget
from kraftsim.pipeline.engines.spark_draws import draws_on_spark
from kraftsim.pipeline.forks import apart
from kraftsim.scenarios.hunting.branches import run_all
from kraftsim.scenarios.hunting.hunt import Hunt
from kraftsim.scenarios.language.amounts import Amount
from tests.pipeline.conftest import TEST_MASTER

SHORT = Amount(fixed_us=4_000_000)
DRAWS = 2


def a_short_hunt():
    scenario = read_file(find("swarm-of-everything")).scenario
    return Hunt(
        replace(scenario, time=replace(scenario.time, run=SHORT, calm=SHORT)), 3, True, DRAWS
    )


def here(draws):
    return [run_all(branches, apart) for branches in draws]


def after_rounds(run_draws, count=2):
    hunt = a_short_hunt()
    for _ in range(count):
        hunt.round(run_draws)
    return hunt


def corpus_file(hunt, folder):
    folder.mkdir()
    write_corpus(folder, hunt.corpus)
    return (folder / "corpus.jsonl").read_bytes()


@pytest.mark.soak
@pytest.mark.spark
def test_spark_finds_what_this_process_finds(spark, tmp_path):
    with draws_on_spark(SparkTarget(TEST_MASTER), lambda: None) as run_draws:
        there = after_rounds(run_draws)
    ours = after_rounds(here)

    assert there.runs == ours.runs > 2 * DRAWS  # the second round has crowds or branches
    assert there.corpus == ours.corpus
    assert there.findings == ours.findings
    assert corpus_file(there, tmp_path / "there") == corpus_file(ours, tmp_path / "ours")


@pytest.mark.slow
def test_a_round_that_is_interrupted_has_changed_nothing():
    def interrupted(draws):
        raise KeyboardInterrupt

    hunt, undisturbed = after_rounds(here, 1), after_rounds(here, 1)
    with pytest.raises(KeyboardInterrupt):
        hunt.round(interrupted)

    assert hunt.corpus == undisturbed.corpus
    assert hunt.runs == undisturbed.runs


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ([], "expected --seeds A..B, or --guided --runs N"),
        (["--guided"], "--guided: expected --runs N with it"),
        (["--guided", "--runs", "0"], "--runs: expected 1 or more, got 0"),
        (["--guided", "--runs", "1", "--round", "0"], "--round: expected 1 or more, got 0"),
        (["--guided", "--runs", "1", "--seeds", "1..3"], "--guided: expected no --seeds"),
        (["--guided", "--runs", "1", "rack-outage"], "--guided: expected no scenario"),
        (["--guided", "--runs", "1", "--events", "none"], "--guided: expected no --events"),
        (["--runs", "1", "--seeds", "1..3"], "--runs: expected --guided with it"),
        (["--seed", "1", "rack-outage"], "did you mean '--seeds'?"),
    ],
)
def test_options_that_contradict_each_other_are_refused(words, refusal, tmp_path, capsys):
    out = tmp_path / "hunt"

    assert main(["campaign", "run", *words, "--out", str(out), "--engine", "local"]) == 2

    assert refusal in capsys.readouterr().err
    assert not out.exists()


def test_a_guided_campaign_refuses_the_folder_of_a_campaign(tmp_path, capsys):
    (tmp_path / "plan.json").touch()
    words = ["--guided", "--runs", "1", "--engine", "local", "--out", str(tmp_path)]

    assert main(["campaign", "run", *words]) == 2

    assert "expected the folder of a hunt, got a campaign" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["status", "show", "report", "resume", "sweep"])
def test_verbs_of_tables_say_that_a_hunt_has_none(verb, tmp_path, capsys):
    (tmp_path / "corpus.jsonl").touch()

    assert main(["campaign", verb, str(tmp_path)]) == 2

    assert "got the folder of a hunt, which has none" in capsys.readouterr().err
