"""Chaos that is written out: the plan shows every fault, and the budget holds at every moment."""

import pytest

from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem, document_of

CHAOS = {
    "every": "1s",
    "lasting": "20s",
    "max_brokers": 2,
    "max_open_faults": 3,
    "kinds": {
        "proc.crash": {"weight": 2, "of": "nodes"},
        "net.loss": {"of": "brokers", "p": 0.5},
        "proc.pause": {"of": "controllers"},
    },
}


def scenario(chaos=CHAOS):
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "one",
            "claim": "Nothing breaks.",
            "cluster": {"controllers": 5, "brokers": 4},
            "time": {"run": "10m"},
            "chaos": chaos,
        }
    )


def spans(plan):
    """(from, to, node) of every fault."""
    for step in plan.do:
        yield step.amount.us, step.amount.us + step.verb.for_.us, int(step.verb.on.value)


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_budget_holds_at_every_moment(seed):
    faults = list(spans(expand(scenario(), seed)))

    assert len(faults) > 20
    for at_us, _, _ in faults:
        struck = [node for begins_us, ends_us, node in faults if begins_us <= at_us < ends_us]
        assert len(struck) == len(set(struck)) <= 3
        assert sum(node >= 3000 for node in struck) <= 2, "a majority of five is left alone"
        assert sum(node < 3000 for node in struck) <= 2


def test_a_plan_has_nothing_left_to_draw_and_is_read_back_as_it_was_written():
    plan = expand(scenario(), 3)

    assert plan.chaos is None
    assert plan == read_scenario(document_of(plan)) == expand(plan, 99)


def test_seeds_differ_in_the_kinds_that_they_have():
    kinds = {frozenset(step.word for step in expand(scenario(), seed).do) for seed in range(1, 20)}

    assert len(kinds) > 3


def test_a_chaos_block_is_written_as_it_was_read():
    again = read_scenario(document_of(scenario()))

    assert scenario() == again


def test_an_unknown_kind_is_a_problem_that_names_the_nearest():
    with pytest.raises(Problem, match=r"'proc\.crash' \(nearest\)"):
        scenario(CHAOS | {"kinds": {"proc.crush": {}}})
