"""A property of one's own is a function of a Python file that the scenario names."""

import json

import pytest

from kraftsim.cli.main import main

CHECKS = '''
def one_at_most(world):
    """No more than one broker is unfenced."""
    unfenced = sum(not broker.fenced for broker in world.committed.brokers.values())
    return f"expected one at most, got {unfenced}" if unfenced > 1 else True


def two_at_most(world):
    unfenced = sum(not broker.fenced for broker in world.committed.brokers.values())
    return None if not unfenced else True if unfenced <= 2 else "three"


def whatever(world):
    return True


def when_there_are_nine(world):
    return None if len(world.committed.brokers) < 9 else True
'''


@pytest.fixture
def scenario(tmp_path):
    def write(*always, checks=CHECKS):
        (tmp_path / "checks.py").write_text(checks)
        words = {
            "schema": "kraftsim/scenario/1",
            "name": "own",
            "claim": "Mine hold.",
            "cluster": {"controllers": 1, "brokers": 2},
            "time": {"warmup": "1s", "run": "2s", "calm": "1s"},
            "expect": {"always": [*always]},
        }
        path = tmp_path / "own.yaml"
        path.write_text(json.dumps(words))
        return str(path)

    return write


def run(path, capsys):
    code = main(["scenario", "run", path, "--json", "--allow-code"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("file", "checks", "code", "what"),
    [
        ("divides.py", "def mine(world):\n    return 1 / 0", 1, "divides.py:2: ZeroDivisionError"),
        ("asserts.py", "def mine(world): assert 0, 'no'", 1, "asserts.py:1: AssertionError: no"),
        ("says_nothing.py", "def mine(world): assert 0", 1, "nothing.py:1: AssertionError\n"),
        ("asks.py", "def mine(world, more): ...", 1, "asks.py: TypeError: mine() missing 1"),
        ("whole.py", "\nx = y\ndef mine(world): ...", 2, "whole.py:2: NameError: name 'y'"),
    ],
)
def test_an_exception_of_its_code_ends_the_run_with_its_line(
    file, checks, code, what, scenario, tmp_path, capsys
):
    path = scenario(f"{file}:mine")
    (tmp_path / file).write_text(checks)

    assert main(["scenario", "run", path, "--allow-code"]) == code
    told = capsys.readouterr().err
    assert what in told
    assert "Traceback" not in told


def test_one_that_holds_passes_and_says_that_it_was_put_to_the_test(scenario, capsys):
    code, result = run(scenario("all", "checks.py:two_at_most"), capsys)

    assert (0, "pass") == (code, result["verdict"])
    assert result["exercised"]["checks.py:two_at_most"] > 0


def test_one_that_breaks_fails_with_what_it_says(scenario, capsys):
    code, result = run(scenario("checks.py:one_at_most"), capsys)

    assert (1, "fail") == (code, result["verdict"])
    (broken,) = result["violations"]
    assert "checks.py:one_at_most" == broken["property"]
    assert "got 2" in broken["what"]


def test_one_with_nothing_to_check_makes_the_run_vacuous(scenario, capsys):
    code, result = run(scenario("checks.py:when_there_are_nine"), capsys)

    assert (3, "vacuous") == (code, result["verdict"])


def test_one_that_is_true_of_a_cluster_without_brokers_too_makes_the_run_vacuous(scenario, capsys):
    code, result = run(scenario("checks.py:whatever"), capsys)

    assert (3, 0) == (code, result["exercised"]["checks.py:whatever"])
    assert "property checks.py:whatever never returned both True and None" in result["vacuous"][0]


@pytest.mark.parametrize(
    ("always", "checks", "said"),
    [
        ("checks.py:one_at_mst", CHECKS, "'checks.py:one_at_most' (nearest)"),
        ("cheks.py:one_at_most", CHECKS, "no such file"),
        ("broken.py:one", "", "no such file"),
    ],
)
def test_a_name_that_leads_nowhere_is_told(scenario, always, checks, said, capsys):
    assert 2 == main(["scenario", "run", scenario(always, checks=checks), "--allow-code"])

    assert said in capsys.readouterr().err


def test_a_file_that_is_no_python_is_told_by_its_line(scenario, tmp_path, capsys):
    path = scenario("wrong.py:one")
    (tmp_path / "wrong.py").write_text("\ndef one(world:\n")

    assert 2 == main(["scenario", "run", path, "--allow-code"])
    assert "wrong.py:2" in capsys.readouterr().err


def test_two_files_of_one_name_are_not_taken_for_one_another(scenario, capsys):
    run(scenario("checks.py:two_at_most"), capsys)

    path = scenario("checks.py:f", checks="def f(world): return 1")

    assert 2 == main(["scenario", "run", path, "--allow-code"])
    assert "rename one" in capsys.readouterr().err
