"""Every planted bug is noticed by what it says, and is gone afterwards."""

import pytest

from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.leases import Leases
from kraftsim.controller.core.replay import APPLIERS
from kraftsim.controller.raft import elections, fetch_answer, following, leading
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.scenario_files import library, read_file
from kraftsim.scenarios.mutants import MUTANTS, Mutant, planted
from kraftsim.scenarios.mutants.kill import kill
from tests import mutant_table

SEAMS = (elections, fetch_answer, following, leading, Leases, Quorum)


def scenario_of(one):
    return read_file(library()[one.scenario]).scenario


def killed(one):
    scenario = scenario_of(one)
    return kill(one, scenario, scenario.pins[0].seed)


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_mutant_is_killed_by_what_it_names(name):
    done = killed(MUTANTS[name])

    assert done.is_killed, done.broken


def test_a_bug_that_changes_nothing_survives():
    harmless = Mutant("M00", "Nothing", "", "steady-heartbeats", "no-early-fence", lambda _: None)

    done = killed(harmless)

    assert not done.is_killed
    assert () == done.broken


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_bug_is_there_while_it_is_planted_and_gone_afterwards(name):
    def seams():
        return dict(HANDLERS), dict(APPLIERS), [dict(vars(one)) for one in SEAMS]

    before = seams()
    with planted(MUTANTS[name]):
        pass

    assert before == seams()


def test_the_page_of_bugs_is_what_the_table_says():
    assert mutant_table.page() == mutant_table.PAGE.read_text("utf-8")
