"""`--sweep NAME=VALUE,...`: other values than the file's, or for any other word; `--mutant`."""

import json

import pytest

from kraftsim.cli.main import main

pytestmark = pytest.mark.slow


QUIET = """
schema: kraftsim/scenario/1
name: quiet
claim: Nothing happens.
cluster: {controllers: 1, brokers: 1}
time: {warmup: 1s, run: 2s, calm: 1s}
sweep: {lost: [0.0, 0.1]}
network: {loss: $lost}
"""


@pytest.fixture
def quiet(tmp_path):
    path = tmp_path / "quiet.yaml"
    path.write_text(QUIET)
    return str(path)


def cells(capsys, *words):
    assert main(["scenario", "run", *words, "--json"]) in (0, 3)
    return [json.loads(line)["cell"] for line in capsys.readouterr().out.splitlines()]


def test_values_of_what_the_file_sweeps_take_the_place_of_its_own(quiet, capsys):
    assert ["lost=0.0", "lost=0.05"] == cells(capsys, quiet, "--sweep", "lost=0.0,0.05")


@pytest.mark.parametrize(
    "word",
    ["cluster.brokers=1,2", "time.run=1s,2s", "config.broker.session.timeout.ms=6000,9000"],
)
def test_any_word_can_be_swept_by_the_way_to_it(quiet, word, capsys):
    name, _, values = word.partition("=")
    expected = [f"lost=0.0, {name}={value}" for value in values.split(",")]

    assert expected == cells(capsys, quiet, "--sweep", word, "--cell", "lost=0.0")


@pytest.mark.parametrize("word", ["clustr.brokers=1,2", "cluster.brkers=1,2", "name.x=1,2"])
def test_a_way_that_leads_nowhere_is_refused_before_anything_runs(quiet, word, capsys):
    assert 2 == main(["scenario", "run", quiet, "--sweep", word])

    assert "expected" in capsys.readouterr().err


def test_a_word_that_is_swept_twice_is_refused(quiet, capsys):
    words = ["--sweep", "cluster.brokers=1", "--sweep", "cluster.brokers=2"]

    assert 2 == main(["scenario", "run", quiet, *words])
    assert "each key once" in capsys.readouterr().err


def test_one_run_has_a_bug_planted_and_falls_by_it(capsys):
    words = ["scenario", "run", "broker-crash-fenced", "--smoke", "--seed", "1"]
    assert 0 == main(words)
    assert 1 == main([*words, "--mutant", "M43"])


def test_an_unknown_bug_is_told_with_those_that_there_are(quiet, capsys):
    assert 2 == main(["scenario", "run", quiet, "--mutant", "M400"])

    assert "unknown planted bug 'M400': expected" in capsys.readouterr().err
