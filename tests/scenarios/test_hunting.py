"""A hunt: it repeats, keeps what is new, varies plans into plans, and finds a planted bug."""

from dataclasses import replace
from random import Random

import pytest

from kraftsim.files.scenario_files import find, read_file
from kraftsim.pipeline.forks import apart
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.drawing.scenario import lot_of
from kraftsim.scenarios.hunting.branches import run_all
from kraftsim.scenarios.hunting.candidate import Shown, drawn, run
from kraftsim.scenarios.hunting.corpus import Corpus, Kept
from kraftsim.scenarios.hunting.crowds import crowd
from kraftsim.scenarios.hunting.delays import late
from kraftsim.scenarios.hunting.hunt import Hunt
from kraftsim.scenarios.hunting.variation import varied
from kraftsim.scenarios.language.amounts import Amount
from kraftsim.scenarios.mutants import MUTANTS, planted

BRIEF, SHORT = Amount(fixed_us=4_000_000), Amount(fixed_us=8_000_000)
DRAWS = 3  # of a round; each of a later round is a crowd of some ten runs


def a_short_swarm(run=SHORT):
    scenario = read_file(find("swarm-of-everything")).scenario
    return replace(scenario, time=replace(scenario.time, run=run, calm=run))


def in_order(draws):
    return (run_all(branches, apart) for branches in draws)


def up_to_a_violation(draws):
    for branches in draws:
        shown = run_all(branches, apart)
        yield shown
        if any(of_one.broken for of_one in shown):
            return


def after_two_rounds(hunt, run_round):
    for _ in range(2):
        hunt.round(run_round)
    return hunt


def variations(parent, moments_us, other, seed):
    moments = dict(enumerate(moments_us))
    return varied(Kept(parent, moments), Kept(other, {0: 1_000_000}), Random(seed))


@pytest.mark.slow
def test_a_hunt_repeats_whatever_order_its_candidates_run_in():
    def backwards(draws):
        return reversed([run_all(branches, apart) for branches in reversed(draws)])

    there, again = (
        after_two_rounds(Hunt(a_short_swarm(BRIEF), seed=3, draws=DRAWS), run_round)
        for run_round in (in_order, backwards)
    )

    assert there.runs > 2 * DRAWS
    assert there.corpus == again.corpus
    assert there.corpus.runs_with


def seeds_of_a_plain_round(corpus):
    drawn_now = []
    plain = Hunt(a_short_swarm(), seed=3, is_led=False, corpus=corpus)
    plain.round(lambda draws: drawn_now.extend(draws) or ())
    return {branches.candidates[0].seed for branches in drawn_now}


def test_a_hunt_that_goes_on_draws_other_whole_runs():
    begun = Corpus()
    begun.take(drawn(a_short_swarm(), 1), Shown(dict.fromkeys(range(1000), 0)))

    assert seeds_of_a_plain_round(Corpus()) == seeds_of_a_plain_round(Corpus())
    assert not seeds_of_a_plain_round(Corpus()) & seeds_of_a_plain_round(begun)


def expect_each_branch_to_be_its_run(branches):
    first, *later = run_all(branches, apart)

    assert first.first_us == run(branches.candidates[0], has_calm=branches.has_calm).first_us
    for candidate, shown in zip(branches.candidates[1:], later, strict=True):
        alone = run(candidate, has_calm=False)
        assert shown.first_us == alone.since(1000 * branches.fork_ms).first_us
        assert shown.broken == alone.broken


@pytest.mark.slow
def test_a_branch_is_the_run_of_its_plan():
    parent, other = drawn(a_short_swarm(), 5), drawn(a_short_swarm(), 6)

    expect_each_branch_to_be_its_run(variations(parent, [3_000_000], other, 1))


@pytest.mark.slow
def test_a_plan_of_a_crowd_runs_as_it_does_alone():
    expect_each_branch_to_be_its_run(crowd(a_short_swarm(), 5, None, Random(1)))


@pytest.mark.slow
def test_the_plans_of_a_crowd_have_the_cluster_of_the_kept_plan():
    parent = drawn(a_short_swarm(), 6)

    plans = crowd(a_short_swarm(), 5, Kept(parent, {}), Random(1)).candidates

    assert len(plans) > 1
    for plan in plans:
        for key in ("profile", "cluster", "config", "network"):
            assert plan.document[key] == parent.document[key]
        assert not read_scenario(plan.document).pins


def test_late_messages_are_among_those_that_were_counted():
    lot = lot_of(drawn(a_short_swarm(), 5).document, Random(1))

    steps = [step["net.surgery"] for _ in range(200) for step in late(lot, 0, 10)]

    assert {words["nth"] for words in steps} == {*range(1, 11)}
    assert {words["copies"] for words in steps} == {1}


def test_a_run_counts_its_messages():
    shown = run(drawn(a_short_swarm(), 5), has_calm=False)

    assert shown.messages_per_s > 0
    assert shown.since(10**12).messages_per_s == shown.messages_per_s


def test_a_broken_claim_of_a_plan_is_a_violation():
    """Claims are judged after the calm, apart from the properties."""
    candidate = drawn(a_short_swarm(), 5)
    expect = {"always": ["safety"], "calm": [{"broker": "brokers", "state": "fenced"}]}
    claiming = replace(candidate, document={**candidate.document, "expect": expect})

    assert ("calm[0]",) == run(claiming).broken
    assert () == run(claiming, has_calm=False).broken


@pytest.mark.slow
def test_a_run_shows_the_same_behaviours_again():
    candidate = drawn(a_short_swarm(), 5)

    assert run(candidate) == run(candidate)


@pytest.mark.slow
def test_every_variation_is_a_scenario_whose_nodes_exist():
    parents = [drawn(a_short_swarm(), seed) for seed in range(20)]

    for seed, parent in enumerate(parents):
        for variation in variations(parent, [2_000_000], parents[seed - 1], seed).candidates:
            scenario = read_scenario(variation.document)
            assert scenario.cluster == read_scenario(parent.document).cluster
            assert not scenario.pins


@pytest.mark.slow
def test_a_variation_takes_the_votes_of_a_minority_for_good():
    lone = with_steps(drawn(a_short_swarm(), 1), 1)
    three = with_steps(drawn(a_short_swarm(), 1), 3, wiped(3000))
    others = with_steps(drawn(a_short_swarm(), 1), 3, wiped(3000), wiped(3001), wiped(3002))

    for parent, most in ((lone, 0), (three, 1)):
        for seed in range(30):
            for variation in variations(parent, [], others, seed).candidates:
                steps = variation.document["do"]
                assert len({wiped_in(step) for step in steps} - {None}) <= most


def with_steps(candidate, controllers, *steps):
    cluster = candidate.document["cluster"] | {"controllers": controllers}
    return replace(candidate, document={**candidate.document, "cluster": cluster, "do": [*steps]})


def wiped(node):
    return {"at": "1000ms", "optional": True, "proc.amnesia": {"on": node, "for": "1000ms"}}


def wiped_in(step):
    """The voter that a step takes the vote of, if it does."""
    words = [step[verb] for verb in ("proc.amnesia", "proc.move", "quorum.remove") if verb in step]
    return next((found["on"] for found in words if found["on"] >= 3000), None)


def test_a_corpus_keeps_only_plans_that_show_something_new():
    corpus, candidate = Corpus(), drawn(a_short_swarm(), 1)

    assert corpus.take(candidate, Shown({7: 100, 8: 200}, ())) == 2
    assert corpus.take(candidate, Shown({7: 300}, ())) == 0
    assert corpus.take(candidate, Shown({9: 300}, ("vote-once",))) == 1

    assert [kept.first_us for kept in corpus.kept] == [{7: 100, 8: 200}]
    assert corpus.runs_with == {7: 2, 8: 1, 9: 1}


@pytest.mark.slow
@pytest.mark.python_modules
def test_a_hunt_finds_a_planted_bug():
    with planted(MUTANTS["M42"]):  # no lease expires
        hunt = after_two_rounds(Hunt(a_short_swarm(), seed=4), up_to_a_violation)

    assert "no-late-fence" in {finding.broken[0] for finding in hunt.findings}


def a_short_swarm_of_messages():
    scenario = read_file(find("swarm-of-messages")).scenario
    return replace(scenario, time=replace(scenario.time, run=SHORT, calm=SHORT))


def verbs_of(candidate):
    return {word for step in candidate.document["do"] for word in step}


def test_the_plans_of_a_crowd_of_messages_write_messages():
    plans = crowd(a_short_swarm_of_messages(), 5, None, Random(1)).candidates

    assert any("topic.write" in verbs_of(plan) for plan in plans)
    assert len({str(plan.document["config"]) for plan in plans}) == 1


def test_a_plan_that_writes_messages_is_varied_by_faults_of_copies():
    writing = drawn(a_short_swarm_of_messages(), 3)
    assert "topic.write" in verbs_of(writing)

    plans = variations(writing, [7_000_000], writing, 1).candidates

    begun = {step["at"] for step in writing.document["do"]}
    added = [step for plan in plans for step in plan.document["do"] if step["at"] not in begun]
    assert any({"replica.stop", "replica.slow"} & step.keys() for step in added)
    assert all("topic.write" in verbs_of(plan) for plan in plans)
