"""Every planted bug is noticed by what it says, and is gone afterwards."""

import json
import sys
from collections import defaultdict

import pytest

from kraftsim.cli.main import main
from kraftsim.files.mutant_files import densities, reproducers
from kraftsim.files.scenario_files import read_file
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.lint import complaints
from kraftsim.scenarios.mutants import MUTANTS, Mutant, planted
from kraftsim.scenarios.mutants.kill import Kill, broken, kill
from tests.scenarios.read_library import Library
from tools import mutant_table

pytestmark = pytest.mark.slow


LIBRARY = Library()
PARTS = (
    "kraftsim.controller",
    "kraftsim.broker_agent",
    "kraftsim.simulation",
    "kraftsim.scenarios",
)


def killed(mutant):
    """That a pinned run passes without it is for test_library."""
    scenario = in_small(LIBRARY[mutant.scenario])
    return kill(mutant, scenario, scenario.pins[0].seed)


def harmless():
    return Mutant("M00", "Nothing", "", "steady-heartbeats", "no-early-fence", lambda _: None)


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_mutant_is_killed_by_what_it_names(name):
    done = killed(MUTANTS[name])

    assert done.is_killed, done.broken


def test_a_bug_that_changes_nothing_survives():
    done = killed(harmless())

    assert not done.is_killed
    assert () == done.broken


def test_what_falls_without_a_bug_kills_none():
    mutant = MUTANTS["M41"]

    assert not Kill(mutant, (mutant.broken,), without=(mutant.broken,)).is_killed


def places():
    """What stands where in every module, class and table of what can be broken."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith(PARTS):
            for key, value in vars(module).items():
                found[name, key] = id(value)
                found |= {(name, key, inner): id(member) for inner, member in inside(name, value)}
    return found


def inside(module_name, value):
    if isinstance(value, type) and value.__module__ == module_name:
        return vars(value).items()
    is_table = isinstance(value, dict) and value is not MUTANTS
    return list(value.items()) if is_table else ()


def test_every_bug_is_there_while_it_is_planted_and_gone_afterwards():
    for name in MUTANTS:
        with planted(MUTANTS[name]):
            pass  # values generate their methods when they are first used
    before = places()

    without_a_trace = []
    for name in MUTANTS:
        with planted(MUTANTS[name]):
            if places() == before:
                without_a_trace.append(name)

    assert [] == without_a_trace
    assert before == places()


def test_a_bug_that_breaks_the_run_is_gone_all_the_same():
    before = places()

    with pytest.raises(ZeroDivisionError), planted(MUTANTS["M42"]):
        raise ZeroDivisionError

    assert before == places()


def test_a_scenario_names_those_that_it_kills():
    named = defaultdict(list)
    for name in sorted(MUTANTS):
        named[MUTANTS[name].scenario].append(name)

    assert named == {
        name: list(member.mutants) for name, member in LIBRARY.items() if member.mutants
    }


def test_no_scenario_kills_by_what_it_is_known_to_break():
    assert [] == [
        mutant.name
        for mutant in MUTANTS.values()
        if mutant.broken == LIBRARY[mutant.scenario].expect.fails_with
    ]


def test_the_page_of_bugs_is_what_the_table_says():
    """Mend it with `python -m tools.mutant_table`."""
    assert mutant_table.page() == mutant_table.PAGE.read_text("utf-8")


def test_the_command_tells_who_is_killed_by_what(capsys):
    assert 0 == main(["scenario", "mutants", "M42", "M22"])

    told = capsys.readouterr().out.splitlines()
    assert ["M42", "M22"] == [line.split()[0] for line in told]
    assert all("killed" in line for line in told)


def test_the_command_gives_rows_and_fails_with_a_survivor(capsys, monkeypatch):
    monkeypatch.setitem(MUTANTS, "M00", harmless())

    assert 1 == main(["scenario", "mutants", "--json", "M00", "M42"])

    rows = json.loads(capsys.readouterr().out)
    assert [("M00", False), ("M42", True)] == [(row["mutant"], row["killed"]) for row in rows]
    assert {
        *("mutant", "defect", "scenario", "property", "killed"),
        *("swarmKills", "swarmSeeds", "smallest"),
    } == set(rows[0])
    assert (None, None) == (rows[0]["swarmSeeds"], rows[0]["smallest"])


def test_every_mutant_was_measured_and_has_its_smallest_scenario():
    """Mend it with `make mutants`."""
    assert set(MUTANTS) == set(densities()) == set(reproducers())


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_smallest_scenario_is_sound(name):
    """One that is not is made again: `python -m tools.mutant_measures smallest NAME`."""
    assert [] == list(complaints(read_file(reproducers()[name]).scenario))


@pytest.mark.parametrize("name", sorted(MUTANTS)[::6])
def test_a_smallest_scenario_falls_with_its_bug_and_holds_without(name):
    mutant, scenario = MUTANTS[name], read_file(reproducers()[name]).scenario
    seed = scenario.pins[0].seed

    assert () == broken(scenario, seed)
    assert kill(mutant, scenario, seed).is_killed


def test_the_smallest_scenario_of_a_bug_is_run_by_name(capsys):
    assert 0 == main(["scenario", "mutants", "M42", "--smallest"])

    assert "M42 killed" in capsys.readouterr().out


def test_a_bug_without_a_smallest_scenario_says_how_to_make_it(capsys, monkeypatch):
    monkeypatch.setitem(MUTANTS, "M00", harmless())

    assert 1 == main(["scenario", "mutants", "M00", "--smallest"])

    assert "scenario shrink steady-heartbeats --mutant M00" in capsys.readouterr().err


def test_a_scenario_is_made_smaller_with_a_bug_in_place(capsys, tmp_path):
    path = tmp_path / "small.yaml"
    words = ["scenario", "shrink", "gc-pause-shorter-than-lease", "--mutant", "M41"]

    assert 0 == main([*words, "--out", str(path)])

    small = read_file(path).scenario
    assert (1, 1, 1) == (small.cluster.controllers, small.cluster.brokers, len(small.do))
    assert f"{path}: 1 + 1 nodes, 1 step, " in capsys.readouterr().out
    assert () == broken(small, small.pins[0].seed)
    assert kill(MUTANTS["M41"], small, small.pins[0].seed).is_killed


def test_a_scenario_that_does_not_kill_a_bug_is_not_made_smaller_with_it(capsys):
    assert 1 == main(["scenario", "shrink", "steady-heartbeats", "--mutant", "M42"])

    assert (
        "expected a run that detects the planted bug M42, got none: steady-heartbeats"
        in capsys.readouterr().err
    )


def test_the_swarm_alone_is_counted(capsys):
    assert 0 == main(["scenario", "mutants", "--swarm", "1", "--json", "M43"])

    rows = json.loads(capsys.readouterr().out)
    assert [(1, 1)] == [(row["seeds"], row["kills"]) for row in rows]
