"""A plan has every run once, in shards of about the same work, and is read back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kraftsim.pipeline import tables
from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.campaign.plan import SHARDS_MAX, Plan, PlanError, Slice, seeds_of, shards_of
from tests.pipeline.campaigns import FENCED, QUIET

ITEMS = (Item(called="quiet", document=QUIET), Item(called="fenced", document=FENCED))
PLAN = Plan(code="c", events="all", items=ITEMS, shards=((Slice(0, 1, 5), Slice(1, 1, 3)),))


@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.integers(1, 200), st.floats(0.001, 30.0)),
        min_size=1,
        max_size=6,
    )
)
def test_every_run_is_in_one_shard(campaign):
    items = [Item(called="quiet", document=QUIET)] * len(campaign)
    seeds = {n: range(first, first + count) for n, (first, count, _) in enumerate(campaign)}
    cost_s = {n: cost for n, (_, _, cost) in enumerate(campaign)}

    shards = shards_of(items, seeds, cost_s)

    planned = [
        (slice_.item, seed) for shard in shards for slice_ in shard for seed in seeds_of(slice_)
    ]
    assert [(n, seed) for n in range(len(campaign)) for seed in seeds[n]] == planned


def test_a_shard_is_some_seconds_of_work_and_there_are_never_too_many():
    (short,) = shards_of(ITEMS[:1], {0: range(100)}, {0: 0.01})
    shards = shards_of(ITEMS[:1], {0: range(1_000_000)}, {0: 0.5})

    assert (Slice(0, 0, 100),) == short
    assert SHARDS_MAX >= len(shards) > SHARDS_MAX / 2


def test_it_is_read_back_as_it_was_written():
    assert Plan.from_json(PLAN.to_json()) == PLAN
    assert Plan.from_json(PLAN.to_json()).digest == PLAN.digest
    assert 6 == PLAN.runs


@pytest.mark.parametrize("text", ["", "[]", "{}", PLAN.to_json().replace("campaign/1", "nine")])
def test_anything_else_is_no_plan(text):
    with pytest.raises(PlanError, match="expected"):
        Plan.from_json(text)


def test_a_plan_of_tables_with_other_spellings_is_refused():
    older = PLAN.to_json().replace(f'"tables": {tables.VERSION}', '"tables": 1')

    with pytest.raises(PlanError, match="tables 1; run the campaign again"):
        Plan.from_json(older)


def test_a_run_is_known_by_scenario_cell_bug_and_seed():
    quiet = ITEMS[0]
    other = Item(called="quiet", document=QUIET, mutant="M43")

    assert quiet.run_id(1) == Item(called="elsewhere.yaml", document=QUIET).run_id(1)
    assert 3 == len({quiet.run_id(1), quiet.run_id(2), other.run_id(1)})


def test_a_run_says_the_command_that_repeats_it():
    item = Item(called="my file.yaml", document=QUIET, cell=("a=1s",), mutant="M43", is_small=True)

    expected = "kraftsim scenario run 'my file.yaml' --seed 7 --sweep a=1s --smoke --mutant M43"
    assert expected == item.repro(7)
    own = Item(called="mine.yaml", document=QUIET, own={"checks.py": "def holds(world): ..."})
    assert "kraftsim scenario run mine.yaml --seed 7 --allow-code" == own.repro(7)
