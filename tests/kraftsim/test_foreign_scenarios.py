"""The scenario file of a stranger runs no code unasked and reads nothing outside its folder."""

import json
import os
import shlex

import pytest

from kraftsim.cli.main import main
from kraftsim.files.yaml_document import FILE_BYTES_MAX

SECRET = "password: hunter2: [x"  # as YAML an error, whose text a parser would print
# The same text in every test, since a process defines a file name once.
ATTACK = """
from pathlib import Path
Path("../marker").write_text("ran")

def holds(world):
    '''Nothing.'''
    return True if world.committed.brokers else None
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "secret.yaml").write_text(SECRET)
    (tmp_path / "secret.py").write_text(ATTACK)
    path = tmp_path / "foreign"
    path.mkdir()
    (path / "foreign.py").write_text((tmp_path / "secret.py").read_text())
    monkeypatch.chdir(path)
    return path


def write(folder, **changes):
    words = {
        "schema": "kraftsim/scenario/1",
        "name": "foreign",
        "claim": "Nothing happens.",
        "cluster": {"controllers": 1, "brokers": 1},
        "time": {"warmup": "1s", "run": "1s", "calm": "1s"},
        "expect": {"always": ["all", "foreign.py:holds"]},
    }
    (folder / "foreign.yaml").write_text(json.dumps(words | changes))
    return "foreign.yaml"


def lint(capsys):
    code = main(["scenario", "lint", "foreign.yaml"])
    return code, capsys.readouterr().out


RUNS = [
    "scenario run foreign.yaml",
    "scenario shrink foreign.yaml",
    "campaign run foreign.yaml --seeds 1..2 --out c --engine local",
]
NEVER_RUN = [
    "scenario lint foreign.yaml",
    "scenario show foreign.yaml",
    "explain foreign.yaml",
]


@pytest.mark.parametrize("command", NEVER_RUN)
def test_a_verb_that_runs_no_property_runs_no_python(folder, command):
    write(folder)

    assert 0 == main(shlex.split(command))
    assert not (folder.parent / "marker").exists()


@pytest.mark.parametrize("command", RUNS)
def test_without_the_option_python_is_not_run_but_named(folder, command, capsys):
    write(folder)

    assert 2 == main(shlex.split(command))
    assert not (folder.parent / "marker").exists()
    said = capsys.readouterr().err
    assert "foreign.yaml:1: expect.always[1]: runs the Python code of foreign.py" in said
    assert "read it, then add --allow-code" in said


def test_with_the_option_it_is_run_and_its_run_is_repeated_with_the_option(folder, capsys):
    write(folder, expect={"always": ["foreign.py:holds"], "never": [{"not": {"leaderless": "1h"}}]})

    assert 1 == main(["scenario", "run", "foreign.yaml", "--allow-code"])
    assert (folder.parent / "marker").exists()
    assert "--seed 1 --allow-code" in capsys.readouterr().out


def test_lint_names_a_function_that_the_file_does_not_define(folder, capsys):
    write(folder, expect={"always": ["foreign.py:hodls"]})

    code, said = lint(capsys)

    assert 1 == code
    assert "expect.always[0]: expected 'foreign.py:holds' (nearest)" in said
    assert not (folder.parent / "marker").exists()


@pytest.mark.parametrize("source", ["(" * 100_000, "def holds(world", "\0", "\N{BOM}" * 9])
def test_lint_survives_python_that_is_none(folder, source, capsys):
    write(folder)
    (folder / "foreign.py").write_text(source)

    code, said = lint(capsys)

    assert 1 == code
    assert "foreign.py" in said


OUTSIDE = {
    "a path that climbs": ("../secret.yaml", "../secret.py"),
    "a path that climbs and comes back": ("x/../../secret.yaml", "x/../../secret.py"),
    "a path that climbs and stays": ("x/../inner.yaml", "x/../inner.py"),
    "an absolute path": ("{root}/secret.yaml", "{root}/secret.py"),
    "a link": ("link.yaml", "link.py"),
    "a file behind a linked folder": ("out/secret.yaml", "out/secret.py"),
}


@pytest.fixture(params=OUTSIDE)
def outside(request, folder):
    (folder / "link.yaml").symlink_to("../secret.yaml")
    (folder / "link.py").symlink_to("../secret.py")
    (folder / "out").symlink_to("..")
    (folder / "x").mkdir()
    (folder / "inner.yaml").write_text("time: {run: 2s}\n")
    (folder / "inner.py").write_text(ATTACK)
    return [name.format(root=folder.parent) for name in OUTSIDE[request.param]]


def test_an_include_outside_the_folder_is_refused_and_not_read(folder, outside, capsys):
    write(folder, include=outside[0])

    code, said = lint(capsys)

    assert 1 == code
    assert "foreign.yaml:1: include: expected a path inside the folder of this file" in said
    assert repr(outside[0]) in said
    assert "hunter2" not in said


def test_python_outside_the_folder_is_refused_and_not_run(folder, outside, capsys):
    write(folder, expect={"always": [f"{outside[1]}:holds"]})

    assert 2 == main(["scenario", "run", "foreign.yaml", "--allow-code"])
    said = capsys.readouterr().err
    assert "foreign.yaml:1: expect.always[0]: expected a path inside the folder" in said
    assert not (folder.parent / "marker").exists()


def test_a_pinned_plan_outside_the_folder_is_not_read(folder, outside, capsys):
    write(folder, expect={"always": ["all"]}, pins=[{"seed": 1, "plan": outside[0]}])

    assert 2 == main(["scenario", "run", "foreign.yaml"])
    said = capsys.readouterr()
    assert "expected a path inside the folder" in said.err
    assert "hunter2" not in said.out + said.err


def test_a_part_may_not_climb_back_out_of_its_own_folder(folder, capsys):
    (folder / "parts").mkdir()
    (folder / "parts" / "part.yaml").write_text("include: ../other.yaml\n")
    write(folder, include="parts/part.yaml")

    code, said = lint(capsys)

    assert 1 == code
    assert "parts/part.yaml:1: include: expected a path inside the folder" in said


def test_links_within_the_folder_are_followed(folder):
    (folder / "parts").mkdir()
    (folder / "parts" / "real.yaml").write_text("time: {run: 2s}\n")
    os.symlink("parts/real.yaml", folder / "part.yaml")
    write(folder, include="part.yaml", expect={"always": ["all"]})

    assert 0 == main(["scenario", "lint", "foreign.yaml"])


@pytest.mark.slow
def test_the_code_in_a_campaign_of_a_stranger_runs_only_with_the_option(folder, capsys):
    write(folder)
    local = ["--engine", "local", "--workers", "1"]
    words = ["foreign.yaml", "--seeds", "1..2", "--out", "c", *local]
    assert 0 == main(["campaign", "run", *words, "--allow-code"])
    (folder.parent / "marker").unlink()
    capsys.readouterr()

    for verb in ("resume", "verify"):
        assert 2 == main(["campaign", verb, "c", *local])
        said = capsys.readouterr().err
        assert "run Python code (foreign.py)" in said
        assert "--allow-code" in said
    assert 0 == main(["campaign", "status", "c"])
    assert not (folder.parent / "marker").exists()
    assert 0 == main(["campaign", "verify", "c", *local, "--allow-code"])


def test_a_file_above_the_limit_is_refused_unread(folder, capsys):
    path = folder / "large.yaml"
    path.write_bytes(b"#" * (FILE_BYTES_MAX + 1))

    assert main(["scenario", "lint", str(path)]) == 1
    assert f"expected at most {FILE_BYTES_MAX} bytes" in capsys.readouterr().out
