"""Every fate of the next messages of a run is explored, from a moment that is found or given."""

import pytest

from kraftsim.controller.core.node_id import broker_node, controller_node
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, CreateTopicsRequest
from kraftsim.files.scenario_files import find, read_file
from kraftsim.scenarios.hunting.every_fate import explore_fates, rarest_us
from kraftsim.scenarios.hunting.fates import LATE_US, Fate, Fates, following
from kraftsim.scenarios.mutants import MUTANTS, planted
from kraftsim.scenarios.running.run import run
from kraftsim.simulation.message import Message

S = 1_000_000  # microseconds
D, LOST, LATE = Fate.DELIVERED, Fate.LOST, Fate.LATE

CRASH_AFTER_A_WRITE = """
schema: kraftsim/scenario/1
name: crash-after-a-write
title: The active controller ends after a topic was created, which one follower does not have
claim: Whoever leads next has the topic.
cluster: {controllers: 3, brokers: 1}
time: {warmup: 1s, run: 20s, calm: 1s}
let:
  old: active
  behind: {nth: 1, of: standbys}
do:
- at: 4900ms
  net.partition: {between: [$behind, {other_than: $behind, of: controllers}], for: 1s}
- at: 5s
  topic.create: {name: orders, partitions: 1, replication: 1}
- at: 5020ms
  proc.crash: {on: $old, for: 10s}
expect:
  always: [leader-completeness]
"""


def crash():
    return read_file(find("active-controller-crash")).scenario


def message(request) -> Message:
    return Message(broker_node(1), controller_node(3000), request)


def test_every_combination_of_fates_has_its_turn_once():
    script, seen = (), []
    while script is not None:
        fates = (*script, *[D] * (3 - len(script)))  # the messages after the script are delivered
        seen.append(fates)
        script = following(fates)

    assert 27 == len(seen) == len(set(seen))


def test_a_script_decides_the_first_messages_and_no_heartbeat():
    fates = Fates((D, LOST, LATE), depth=4)
    request = CreateTopicsRequest(topics=())
    heartbeat = BrokerHeartbeatRequest(
        broker_id=1,
        broker_epoch=7,
        current_metadata_offset=5,
        want_fence=False,
        want_shut_down=False,
    )

    lags = [fates.on_departure(message(request), [5]) for _ in range(3)]

    assert lags == [[5], [], [5 + LATE_US]]
    assert [5] == fates.on_departure(message(heartbeat), [5])
    assert [] == fates.on_departure(message(request), [])  # another rule lost it
    assert [5] == fates.on_departure(message(request), [5])
    assert [5] == fates.on_departure(message(request), [5])  # beyond the depth
    assert [D, LOST, LATE, D] == [decision.fate for decision in fates.decisions]
    assert "CreateTopics from broker 1 to controller 3000: lost" == str(fates.decisions[1])


@pytest.mark.slow
def test_the_branches_of_a_crash_keep_every_property():
    numbers = []

    branches = explore_fates(crash(), 17, 12 * S, 2, numbers.append)

    assert (branches.violation, branches.branches, branches.met) == (None, 9, 2)
    assert numbers == list(range(1, 10))


@pytest.mark.slow
def test_the_rarest_moment_is_that_of_the_election():
    """The old leader ends at 10 s; followers stand after their fetch timeout of 2 s."""
    assert 10 * S <= rarest_us(crash(), 17) < 14 * S


@pytest.mark.slow
def test_a_vote_for_a_short_log_is_found_where_the_run_itself_passes(tmp_path):
    """M27: of the swarm's sixty seeds none has a short candidate whose request arrives first."""
    path = tmp_path / "crash-after-a-write.yaml"
    path.write_text(CRASH_AFTER_A_WRITE, "utf-8")
    scenario = read_file(path).scenario
    with planted(MUTANTS["M27"]):
        passed = run(scenario, 1)
        branches = explore_fates(scenario, 1, rarest_us(scenario, 1), 4, lambda number: None)

    assert "pass" == passed.verdict
    assert "leader-completeness" == branches.violation.name
    assert 4 == len(branches.decisions)
    assert LOST in {decision.fate for decision in branches.decisions}


@pytest.mark.slow
def test_a_run_that_is_broken_before_the_moment_has_no_branches():
    with planted(MUTANTS["M26"]):  # a double vote, in any election
        branches = explore_fates(crash(), 17, 20 * S, 2, lambda number: None)

    assert ("vote-once", 0) == (branches.violation.name, branches.branches)
