"""The library in small: every file is sound, every pinned run ends as it should, and repeats."""

import pytest

from kraftsim.cli.scenario.runs import CANARIES
from kraftsim.scenarios.document.smoke import in_small
from kraftsim.scenarios.lint import complaints
from kraftsim.scenarios.running.run import Run, run
from tests.scenarios.read_library import (
    Library,
    cells_of,
    names_with,
    names_without,
)
from tools import scenario_docs

pytestmark = pytest.mark.slow


SCENARIOS = Library()

SEED_TWICE = 1
CELLS_MAX = 6  # of a sweep that the gate runs whole; a soak runs all
REPEATED_IN_THE_GATE = ("cold-start-100", "retry-storm-metastable")  # a soak repeats all


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_file_is_sound_and_says_what_it_is(name):
    for scenario in cells_of(name):
        assert [] == list(complaints(scenario))
        assert name == scenario.name
        assert scenario.title
        assert scenario.refs or name in CANARIES or "lease" in scenario.tags
        assert scenario.pins
        assert scenario_docs.family_of(scenario)
        assert scenario.draw or any(step.say for step in scenario.do), "no step says what it does"


@pytest.mark.parametrize("name", names_without("draw"))
def test_a_file_makes_three_claims_or_more(name):
    """But one whose cluster is drawn: it claims the properties that hold in every cluster."""
    assert len(SCENARIOS[name].expect.names()) >= 3


def expect_the_pinned_end(name, scenario):
    for pin in scenario.own_pins:
        result = run(in_small(scenario), pin.seed)

        ended = result.verdict, result.violations, result.vacuous
        assert CANARIES.get(name, "pass") == result.verdict, (scenario.cell, pin.seed, ended)
        if not scenario.smoke:
            assert pin.digest in ("", result.digest), (scenario.cell, pin.seed)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_pinned_run_ends_as_it_should(name):
    """And it is the run that it was when it was pinned. Mend that with `python -m tools.pins`."""
    cells = cells_of(name)
    for scenario in cells if len(cells) <= CELLS_MAX else cells[::4]:
        expect_the_pinned_end(name, scenario)


@pytest.mark.soak
def test_every_cell_of_a_large_sweep_ends_as_it_should():
    for name in SCENARIOS:
        if len(cells_of(name)) > CELLS_MAX:
            for scenario in cells_of(name):
                expect_the_pinned_end(name, scenario)


def with_marks(name):
    marks = () if name in REPEATED_IN_THE_GATE else pytest.mark.soak
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [with_marks(name) for name in names_with("\nsmoke")])
def test_a_seed_gives_one_digest(name):
    """H1: a run repeats in one process. Properties change no digest (H2), so none are watched.

    The other pinned runs repeat above, since another day and another process. `make determinism`
    has ten thousand, in two processes.
    """
    scenario = in_small(SCENARIOS[name])

    once, again = (Run(scenario, SEED_TWICE, []).finish().digest for _ in range(2))

    assert once == again


def test_the_page_about_the_library_is_up_to_date():
    """Mend it with `python -m tools.scenario_docs`."""
    assert scenario_docs.render(scenario_docs.scenarios()) == scenario_docs.PAGE.read_text("utf-8")
