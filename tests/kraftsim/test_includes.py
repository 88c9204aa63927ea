"""Words that files share, and sweeps, as who runs scenarios sees them."""

import json

import pytest

from kraftsim.cli.main import main
from kraftsim.errors import CommandError
from kraftsim.files.scenario_files import read_file

MINE = """\
schema: kraftsim/scenario/1
name: mine
claim: Nothing happens.
include: parts/small.yaml
time: {run: 5s}
"""
SMALL = """\
cluster: {controllers: 1, brokers: 2}
time: {warmup: 1s, run: 90s, calm: 2s}
expect:
  calm:
    - {broker: brokers, state: unfenced}
"""
SWEPT = """\
schema: kraftsim/scenario/1
name: swept
claim: Nothing happens.
cluster: {controllers: 1, brokers: 2}
time: {warmup: 1s, run: 5s, calm: 2s}
sweep: {loss: [0.0, 0.1], beat: [500, 2000]}
network: {preset: lan, loss: $loss}
config: {broker.heartbeat.interval.ms: $beat}
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Writes files here, by their paths."""
    monkeypatch.chdir(tmp_path)

    def write(**texts):
        for name, text in texts.items():
            path = tmp_path / f"{name.replace('__', '/')}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_a_file_is_laid_over_what_it_includes(files):
    here = files(mine=MINE, parts__small=SMALL)

    scenario = read_file(here / "mine.yaml").scenario

    assert (1, 2) == (scenario.cluster.controllers, scenario.cluster.brokers)
    assert (1_000_000, 5_000_000) == (scenario.time.warmup.us, scenario.time.run.us)
    assert 1 == len(scenario.expect.calm)


def test_what_stands_later_in_the_list_is_laid_over_what_stands_before(files):
    both = MINE.replace("parts/small.yaml", "[parts/small.yaml, parts/more.yaml]")
    here = files(mine=both, parts__small=SMALL, parts__more="cluster: {brokers: 4}\n")

    scenario = read_file(here / "mine.yaml").scenario

    assert (1, 4) == (scenario.cluster.controllers, scenario.cluster.brokers)


def test_a_mistake_is_told_where_it_stands_be_it_in_a_part(files):
    here = files(mine=MINE, parts__small=SMALL.replace("brokers: 2", "brokers: x"))

    with pytest.raises(
        CommandError, match=r"parts/small\.yaml:1: cluster\.brokers: expected a whole"
    ):
        read_file(here / "mine.yaml")


WRONG = {
    "a file that is not there": ({"mine": MINE}, "mine.yaml:4: include: no such file: "),
    "itself": (
        {"mine": MINE, "parts__small": "include: small.yaml\n"},
        "small.yaml:1: include: includes itself: mine.yaml -> small.yaml -> small.yaml",
    ),
    "an absolute path": (
        {"mine": MINE.replace("parts/", "/parts/")},
        "mine.yaml:4: include: expected a path inside the folder of this file, got '/parts/",
    ),
    "no words": ({"mine": MINE, "parts__small": "- 1\n"}, "expected a mapping in"),
    "no text": (
        {"mine": MINE.replace("parts/small.yaml", "7")},
        "mine.yaml:4: include: expected a",
    ),
    "too deep": (
        {"mine": MINE, "parts__small": "include: p0.yaml\n"}
        | {f"parts__p{n}": f"include: p{n + 1}.yaml\n" for n in range(9)},
        "at most 5 files that include one another",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_include_that_cannot_be_is_told_with_its_line(files, capsys, wrong):
    texts, said = WRONG[wrong]
    files(**texts)

    assert main(["scenario", "lint", "mine.yaml"]) == 1
    assert said in capsys.readouterr().out


def test_a_sweep_is_run_cell_by_cell_and_each_says_which_it_is(files, capsys):
    files(swept=SWEPT)

    assert main(["scenario", "run", "swept.yaml"]) == 0

    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("PASS")]
    assert 4 == len(lines)
    assert "loss=0.0, beat=500" in lines[0]
    assert "loss=0.1, beat=2000" in lines[3]


def test_one_cell_can_be_picked_for_a_run_and_for_a_plan(files, capsys):
    files(swept=SWEPT)

    main(["scenario", "run", "swept.yaml", "--json", "--cell", "loss=0.1", "--cell", "beat=500"])
    (line,) = capsys.readouterr().out.splitlines()
    assert "loss=0.1, beat=500" == json.loads(line)["cell"]

    main(["scenario", "show", "swept.yaml", "--cell", "beat=2000"])
    shown = capsys.readouterr().out
    assert "broker.heartbeat.interval.ms: 2000" in shown
    (files() / "plan.yaml").write_text(shown)
    assert main(["scenario", "run", "plan.yaml"]) == 0


def test_a_cell_that_there_is_not_names_those_that_there_are(files, capsys):
    files(swept=SWEPT)

    assert main(["scenario", "run", "swept.yaml", "--cell", "beat=1"]) == 2
    assert "no cell with beat=1: expected one of loss=0.0, beat=500;" in capsys.readouterr().err


def test_a_pin_of_a_cell_is_about_that_cell_alone(files, capsys):
    """Its seed is that of no other, and its digest has drifted where it is another."""
    pins = "pins:\n  - {seed: 5, cell: [loss=0.1, beat=500], digest: b2:00}\n  - {seed: 3}\n"
    files(swept=SWEPT + pins)

    main(["scenario", "run", "swept.yaml", "--json"])

    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [3, 3, 5, 3] == [problem["seed"] for problem in found]
    assert [0, 0, 1, 0] == [len(problem["drifted"]) for problem in found]


@pytest.mark.parametrize(
    ("pin", "said"),
    [
        ("{seed: 5, digest: b2:00}", "pins[0]: expected a cell"),
        ("{seed: 5, cell: lose=0.1}", "pins[0].cell: expected 'loss' (nearest), got 'lose'"),
    ],
)
def test_a_pin_of_no_cell_is_complained_of(files, capsys, pin, said):
    files(swept=SWEPT + f"pins: [{pin}]\n")

    assert main(["scenario", "lint", "swept.yaml"]) == 1
    assert said in capsys.readouterr().out


def test_a_cell_that_fails_is_repeated_by_its_name(files, capsys):
    never = "expect: {never: [{not: {leaderless: 1h}}], calm: []}\n"
    files(swept=SWEPT + never)

    main(["scenario", "run", "swept.yaml", "--cell", "beat=500", "--cell", "loss=0.0"])

    command = "kraftsim scenario run swept.yaml --sweep loss=0.0 --sweep beat=500 --seed 1"
    assert f"repeat: {command}" in capsys.readouterr().out
