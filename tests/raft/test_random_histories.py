"""Whatever the network, the clocks and the disks do, a quorum stays safe; and it lives on after."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.raft.history import CHANGES, COMMON, SNAPSHOTS, TROUBLE, History

pytestmark = pytest.mark.slow


STEPS = 150
RULES = ("9.36", "9.37", "9.38", "9.39", "9.40", "9.41", "9.42", "9.43")
DRAWN = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def steps(*verbs):
    return st.lists(st.tuples(st.sampled_from(verbs), st.integers(0, 30)), max_size=STEPS)


def live_through(history, drawn):
    for verb, number in drawn:
        history.do(verb, number)
    history.end_well()


@pytest.mark.rule(*RULES)
@pytest.mark.parametrize("voters", [3, 5])
@DRAWN
@given(drawn=steps(*COMMON, *TROUBLE))
def test_a_quorum_of_fixed_voters_is_safe_and_recovers(voters, drawn):
    live_through(History(voters), drawn)


@pytest.mark.rule(*RULES, "9.46")
@DRAWN
@given(drawn=steps(*COMMON, *TROUBLE, *SNAPSHOTS))
def test_a_quorum_that_takes_snapshots_is_safe_and_recovers(drawn):
    live_through(History(3), drawn)


@pytest.mark.rule(*RULES, "9.45")
@DRAWN
@given(drawn=steps(*COMMON, *TROUBLE, *CHANGES))
def test_a_quorum_whose_voters_change_is_safe_and_recovers(drawn):
    live_through(History(3, spares=2), drawn)
