"""The library in small: every file is sound, every pinned run ends as it should, and repeats."""

import pytest

from kraftsim.cli.scenario.runs import CANARIES
from kraftsim.files.scenario_files import library, read_file, read_files
from kraftsim.scenarios.document.scenario import Pin
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.lint import complaints
from kraftsim.scenarios.running.run import Run, run
from tools import scenario_docs

pytestmark = pytest.mark.slow


SCENARIOS = {name: read_file(path).scenario for name, path in library().items()}
CELLS = {
    " ".join((name, *file.scenario.cell)): file.scenario
    for name, path in library().items()
    for file in read_files(path)
}
PINNED = [(name, pin) for name, scenario in CELLS.items() for pin in scenario.own_pins]

# What is cheap enough to run twice with many seeds: nothing with a fleet, or a day.
CHEAP = [name for name, scenario in SCENARIOS.items() if not scenario.smoke]
SEEDS_TWICE = 4


@pytest.mark.parametrize("name", CELLS)
def test_a_file_is_sound_and_says_what_it_is(name):
    scenario = CELLS[name]

    assert [] == list(complaints(scenario))
    assert name.split()[0] == scenario.name
    assert scenario.title
    assert scenario.refs or name in CANARIES or "lease" in scenario.tags
    assert scenario.pins
    assert scenario_docs.family_of(scenario)
    assert scenario.draw or any(step.say for step in scenario.do), "nothing is said of what is done"


@pytest.mark.parametrize("name", [name for name in SCENARIOS if not SCENARIOS[name].draw])
def test_a_file_makes_three_claims_or_more(name):
    """But one whose cluster is drawn: it claims the properties that hold in every cluster."""
    assert len(SCENARIOS[name].expect.names()) >= 3


def called(value):
    return f"seed {value.seed}" if isinstance(value, Pin) else value


@pytest.mark.parametrize(("name", "pin"), PINNED, ids=called)
def test_a_pinned_run_ends_as_it_should(name, pin):
    """And it is the run that it was when it was pinned. Mend that with `python -m tools.pins`."""
    result = run(in_small(CELLS[name]), pin.seed)

    assert CANARIES.get(name, "pass") == result.verdict, (result.violations, result.vacuous)
    if not CELLS[name].smoke:
        assert pin.digest in ("", result.digest)


@pytest.mark.parametrize("name", CHEAP)
def test_a_seed_gives_one_digest(name):
    """H1: over all of them more than two hundred runs, each of them twice in this process; watching
    changes no digest (H2), so nobody watches. `make determinism` has more, in two processes."""
    scenario = in_small(SCENARIOS[name])

    for seed in range(1, SEEDS_TWICE + 1):
        once, again = (Run(scenario, seed, []).finish().digest for _ in range(2))
        assert once == again, f"seed {seed}"


def test_the_page_about_the_library_is_up_to_date():
    """Mend it with `python -m tools.scenario_docs`."""
    assert scenario_docs.render(scenario_docs.scenarios()) == scenario_docs.PAGE.read_text("utf-8")
