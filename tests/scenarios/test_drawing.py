"""A swarm of everything: every seed draws a scenario, and all seeds together draw every verb."""

from functools import cache
from pathlib import Path
from random import Random

import pytest

from kraftsim.controller.core.profile import PROFILES
from kraftsim.files.scenario_files import find, read_file
from kraftsim.scenarios.document.plan import drawn_document, expand
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.drawing.lot import Lot
from kraftsim.scenarios.drawing.messages import LOSSES
from kraftsim.scenarios.drawing.nodes import VOTERS
from kraftsim.scenarios.drawing.scenario import lot_of
from kraftsim.scenarios.drawing.shape import RELEASES
from kraftsim.scenarios.drawing.situations import SITUATIONS
from kraftsim.scenarios.drawing.steps import (
    Budget,
    at_ms_of,
    drawn_fault,
    nodes_of,
    situation_steps,
    step_of,
    without_lost_quorum,
)
from kraftsim.scenarios.oracles.written_messages import LOSING
from kraftsim.scenarios.properties.leases import ShutdownLaw
from kraftsim.scenarios.properties.quorum.tenability import LonelyLeaderStops, MostCaughtUpSucceeds
from kraftsim.scenarios.running.run import Run, run
from kraftsim.scenarios.verbs import VERBS

SEEDS = range(300)
STEP = ("at", "optional")
JUDGED = (  # S54 to S58
    "acknowledged-messages-stay",
    "replicas-agree",
    "in-sync-replicas-have-it",
    "high-watermark-never-falls",
    "enough-replicas-have-it",
)
# Plans of `swarm-of-messages` whose runs were blamed without a reason, and their seeds.
PLANS = {
    "a-leader-that-starts-again": 157,
    "a-topic-that-is-deleted-meanwhile": 202,
    "a-batch-that-is-read-before-its-reply": 1542,
}
# Verbs that no swarm draws, and why.
LEFT_OUT = {
    "controller.install": "a swarm of one release installs no other on its controllers",
    "controller.unregister": "as controller.install: drawn where releases are mixed",
    "disk.fail_directory": "brokers of a swarm have one directory, whose loss ends the process",
    "log.corrupt": "a damaged batch keeps its replica out of the ISR, so that nothing need recover",
    **dict.fromkeys(
        ("log.lose_tail", "replica.slow", "replica.stop", "topic.write"),
        "drawn where clients write",
    ),
    "disk.lost_fsync": "a disk that lies loses votes and records, which breaks Raft's promises",
    "net.heal": "it ends the faults that were drawn",
    "note": "it changes nothing",
    "proc.start": "a node that is dead is started when its fault ends",
    "quorum.forget": "no record says that it renews every lease",
    "rpc.forget": "no record says that it renews every lease",
    "rpc.observe": "it changes nothing",
}


def the_swarm():
    return read_file(find("swarm-of-everything")).scenario


@cache
def documents():
    return [drawn_document(the_swarm(), seed) for seed in SEEDS]


def words_of(document):
    return [word for step in document["do"] for word in step if word not in STEP]


@pytest.mark.slow
def test_every_seed_draws_a_scenario():
    for document in documents():
        assert read_scenario(document).name == "swarm-of-everything"


@cache
def mixed_documents():
    swarm = read_file(find("swarm-of-releases")).scenario
    return [drawn_document(swarm, seed) for seed in SEEDS]


@pytest.mark.slow
def test_a_mixed_swarm_begins_at_a_level_of_every_node_and_may_ask_for_higher_ones():
    are_beyond = set()
    for document in mixed_documents():
        plan = read_scenario(document)
        releases = {plan.profile, *plan.cluster.profiles.names.values()}
        newest = min(PROFILES[release].metadata_version for release in releases)
        steps = [step.get("features.update", {}) for step in document["do"]]
        levels = [step["level"] for step in steps if step.get("feature") == "metadata.version"]
        assert (plan.cluster.metadata_version or 0) <= newest
        are_beyond |= {level > newest for level in levels}
    assert are_beyond == {False, True}


@pytest.mark.slow
def test_a_mixed_swarm_installs_releases_on_controllers_and_brokers_that_lack_a_level():
    are_older = set()
    for document in mixed_documents():
        plan = read_scenario(document)
        releases = {plan.profile, *plan.cluster.profiles.names.values()}
        level = min(PROFILES[release].metadata_version for release in releases)
        for verb in ("controller.install", "broker.install"):
            installed = [step[verb]["release"] for step in document["do"] if verb in step]
            are_older |= {(verb, PROFILES[name].metadata_version < level) for name in installed}
    assert {("controller.install", True), ("broker.install", True)} <= are_older


@pytest.mark.slow
def test_a_mixed_swarm_draws_every_release_for_controllers_and_for_brokers():
    drawn = {
        (node_id >= 3000, name)
        for document in mixed_documents()
        for node_id, name in document["cluster"]["profiles"].items()
    }

    assert {(kind, name) for kind in (False, True) for name in RELEASES} == drawn
    words = {word for document in mixed_documents() for word in words_of(document)}
    assert {"controller.install", "controller.unregister"} <= words


@pytest.mark.slow
def test_a_mixed_swarm_has_the_cluster_and_the_faults_of_the_swarm_of_everything():
    for everything, mixed in zip(documents(), mixed_documents(), strict=True):
        assert everything["profile"] == mixed["profile"]
        assert all(step in mixed["do"] for step in everything["do"])


@cache
def documents_with_messages():
    swarm = read_file(find("swarm-of-messages")).scenario
    return [drawn_document(swarm, seed) for seed in SEEDS]


@pytest.mark.slow
def test_a_swarm_of_messages_has_clients_and_faults_of_copies_beside_everything():
    drawn = {word for document in documents_with_messages() for word in words_of(document)}

    assert {"log.lose_tail", "replica.slow", "replica.stop", "topic.write"} <= drawn
    for everything, written in zip(documents(), documents_with_messages(), strict=True):
        assert everything["cluster"] == written["cluster"]
        left_out = [step for step in everything["do"] if step not in written["do"]]
        assert {word for step in left_out for word in step} <= {*STEP, *LOSSES, "topic.delete"}
        assert any("topic.write" in step for step in written["do"])


@pytest.mark.slow
def test_a_swarm_of_messages_loses_messages_in_few_runs_and_late():
    losing = [
        [at_ms_of(step) for step in document["do"] if LOSSES & step.keys()]
        for document in documents_with_messages()
    ]

    assert min(at_ms for times in losing for at_ms in times) >= 30_000
    assert 0.1 < sum(map(bool, losing)) / len(losing) < 0.3


def test_the_losses_that_are_drawn_are_all_that_properties_excuse():
    assert LOSSES == LOSING & {*VERBS} - {"log.corrupt", "disk.fail_directory"}


@pytest.mark.slow
def test_the_first_seeds_of_messages_break_nothing_and_put_replicas_to_the_test():
    swarm = read_file(find("swarm-of-messages")).scenario
    results = [run(swarm, seed) for seed in range(1, 11)]

    assert {result.seed: result.violations for result in results if result.verdict != "pass"} == {}
    for name in JUDGED:
        assert sum(result.exercised[name] > 0 for result in results) >= 9, name


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_a_plan_that_was_blamed_breaks_nothing(name):
    plan = read_file(Path(__file__).parent / "plans" / f"{name}.yaml").scenario

    assert run(plan, PLANS[name]).violations == ()


def test_a_seed_draws_the_same_plan_again():
    assert expand(the_swarm(), 11) == expand(the_swarm(), 11)
    assert expand(the_swarm(), 11) != expand(the_swarm(), 12)


@pytest.mark.slow
def test_every_verb_is_drawn_but_those_that_are_left_out():
    drawn = {word for document in documents() for word in words_of(document)}

    assert drawn == VERBS.keys() - LEFT_OUT.keys()


@pytest.mark.slow
def test_every_shape_and_release_is_drawn():
    clusters = [document["cluster"] for document in documents()]

    assert {cluster["controllers"] for cluster in clusters} == {1, 3, 5}
    assert {cluster["brokers"] for cluster in clusters} == {*range(2, 13)}
    assert {cluster.get("kraft_version", 1) for cluster in clusters} == {0, 1}
    assert {document["profile"] for document in documents()} == {
        "kafka-3.9",
        "kafka-4.1",
        "kafka-4.3",
        "kafka-4.4",
    }


def test_only_a_minority_loses_its_vote_for_good():
    lot = lot_of(drawn_document(the_swarm(), 1), Random(1))
    lot.controllers = range(3000, 3005)
    budget = Budget(controllers=5, brokers=3)

    lost = [
        drawn_fault(lot, "proc.amnesia of a voter", at_ms, budget)
        for at_ms in range(0, 10**6, 10**5)
    ]

    assert sum(map(len, lost)) == 2


@pytest.mark.slow
def test_a_static_voter_keeps_its_disk_and_its_address():
    """A hunt: without its disk, it had the same vote again, and a committed record was lost."""
    static = [document for document in documents() if document["cluster"].get("kraft_version") == 0]

    for document in static:
        controllers = {*lot_of(document, Random(1)).controllers}
        of_voters = [step for step in document["do"] if step.keys() & VOTERS.keys()]
        assert not any(nodes_of(step) & controllers for step in of_voters)
    assert len(static) > 10


def test_a_step_that_takes_the_vote_of_a_static_voter_is_left_out_of_a_variation():
    document = drawn_document(the_swarm(), 1)
    document["cluster"] |= {"controllers": 5, "kraft_version": 0}
    steps = [step_of(100, "proc.amnesia", {"on": node, "for": "1s"}) for node in (3000, 1)]

    assert steps[1:] == without_lost_quorum(lot_of(document, Random(1)), steps)


@pytest.mark.slow
def test_a_log_rots_only_where_nothing_committed_is_lost():
    rots = [
        step["disk.rot"]
        for document in documents()
        for step in document["do"]
        if "disk.rot" in step
    ]

    assert rots
    assert all(words["replicated"] for words in rots)


def test_a_drawn_step_without_an_effect_leaves_the_run_meaningful():
    document = {
        "schema": "kraftsim/scenario/1",
        "name": "two-kills",
        "claim": "The second kill meets a dead broker.",
        "time": {"run": "5s", "calm": "15s"},
        "do": [
            {"at": "1s", "proc.crash": {"on": 1}},
            {"at": "2s", "optional": True, "proc.crash": {"on": 1}},
        ],
    }
    required = document | {
        "do": [{k: v for k, v in s.items() if k != "optional"} for s in document["do"]]
    }

    assert run(read_scenario(document), 1).verdict == "pass"
    assert run(read_scenario(required), 1).verdict == "vacuous"


@pytest.mark.slow
@pytest.mark.rule("10.53")
def test_a_run_in_which_a_voter_moves_is_judged_by_safety_alone():
    moving = next(d for d in documents() if "proc.move" in words_of(d))
    staying = next(d for d in documents() if "proc.move" not in words_of(d))

    assert moving["expect"] == {"always": ["safety"]}
    assert staying["expect"] == {"always": ["all"]}


@pytest.mark.slow
def test_the_first_seeds_break_nothing():
    results = [run(the_swarm(), seed) for seed in range(1, 13)]

    assert {result.seed: result.violations for result in results if result.verdict != "pass"} == {}


SHAPE = {
    "schema": "kraftsim/scenario/1",
    "name": "meeting",
    "title": "A situation in a quiet cluster",
    "claim": "Its property is put to the test.",
    "cluster": {
        "controllers": 3,
        "brokers": 4,
        "topics": {"t0": {"partitions": 8, "replication": 2}},
    },
    "time": {"run": "30s"},
}


def exercised(name, property_, seed):
    """How often a situation puts a property to the test in a quiet cluster."""
    lot = Lot(Random(seed), "kafka-4.3", range(3000, 3003), range(1, 5), ("t0",))
    steps = situation_steps(lot, SITUATIONS[name], 5_000, Budget(controllers=1, brokers=1))
    running = Run(read_scenario({**SHAPE, "do": steps}), seed, (property_,))
    running.finish()
    return running.watch.properties[property_.number].exercised


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "property_"),
    [
        ("handover", MostCaughtUpSucceeds),
        ("lonely leader", LonelyLeaderStops),
        ("long shutdown", ShutdownLaw),
    ],
)
def test_a_situation_puts_its_property_to_the_test(name, property_):
    assert sum(exercised(name, property_, seed) > 0 for seed in range(8)) >= 3
