"""`kraftsim scenario shrink` writes a new file, named after its input, and overwrites none."""

import pytest

from kraftsim.cli.main import main

FALSE = """\
schema: kraftsim/scenario/1
name: roll
claim: Nobody is ever without a process.
cluster: {controllers: 1, brokers: 2}
time: {warmup: 1s, run: 5s, calm: 1s}
do: [{at: 1s, proc.crash: {on: 1}}]
expect: {never: [{broker: 1, state: NOT_RUNNING}]}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shrink(*arguments):
    return main(["scenario", "shrink", *map(str, arguments), "--tries", "1"])


def test_two_files_with_one_name_inside_are_shrunk_into_two(here):
    for name in ("roll.yaml", "fail.yaml"):
        (here / name).write_text(FALSE)
        assert 0 == shrink(name)

    names = {"roll.yaml", "fail.yaml", "roll-small.yaml", "fail-small.yaml"}
    assert names == {path.name for path in here.iterdir()}


def test_a_file_that_exists_keeps_its_text_and_the_next_one_is_numbered(here, capsys):
    (here / "roll.yaml").write_text(FALSE)
    (here / "roll-small.yaml").write_text("mine")

    assert [0, 0] == [shrink("roll.yaml"), shrink("roll.yaml")]

    assert "mine" == (here / "roll-small.yaml").read_text()
    assert (here / "roll-small-2.yaml").exists()
    assert (here / "roll-small-3.yaml").exists()
    assert "kraftsim explain roll-small-3.yaml" in capsys.readouterr().out


def test_a_file_of_out_is_not_overwritten(here, capsys):
    (here / "roll.yaml").write_text(FALSE)
    (here / "mine.yaml").write_text("mine")

    assert 2 == shrink("roll.yaml", "--out", "mine.yaml")

    assert "mine" == (here / "mine.yaml").read_text()
    assert "expected a file that does not exist, got mine.yaml" in capsys.readouterr().err


def test_a_planted_bug_overwrites_no_file_either(here):
    (here / "M42.yaml").write_text("mine")

    assert 0 == shrink("broker-crash-fenced", "--mutant", "M42")

    assert "mine" == (here / "M42.yaml").read_text()
    assert (here / "M42-2.yaml").exists()
