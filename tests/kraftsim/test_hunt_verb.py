"""`kraftsim scenario hunt`: what it prints, writes and returns."""

import json

import pytest

from kraftsim.cli.main import main


@pytest.mark.slow
def test_a_hunt_writes_its_corpus_and_goes_on_from_it(tmp_path, capsys):
    hunt = ["scenario", "hunt", "--runs", "16", "--out", str(tmp_path), "--json"]

    assert main(hunt) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*hunt, "--seed", "2"]) == 0
    second = json.loads(capsys.readouterr().out)

    assert first["runs"] >= 16
    assert first["findings"] == []
    assert second["behaviours"] > first["behaviours"] > 100
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert [point["runs"] for point in curve if point["runs"] >= 16] == [
        first["runs"],
        second["runs"],
    ]


def test_a_file_that_is_no_corpus_is_named_with_its_line(tmp_path, capsys):
    (tmp_path / "corpus.jsonl").write_text('{"seed": 1}\n')

    assert main(["scenario", "hunt", "--runs", "1", "--out", str(tmp_path)]) == 2

    assert "corpus.jsonl:1: expected a kept plan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--runs", "0"], "--runs: expected 1 or more, got 0"),
        (["-j", "0"], "--jobs: expected 1 or more, got 0"),
        (["--minutes", "-1"], "--minutes: expected more than 0, got -1"),
        (["--out", __file__], "--out: expected a folder"),
    ],
)
def test_a_hunt_of_nothing_or_into_a_file_is_refused(words, refusal, capsys):
    assert main(["scenario", "hunt", *words]) == 2
    assert refusal in capsys.readouterr().err
