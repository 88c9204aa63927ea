"""What can be waited for beside states: messages, every kind of record, and the quorum."""

import pytest

from kraftsim.controller.core.node_id import broker_node
from kraftsim.scenarios.conditions.condition import Condition
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem, document_of
from kraftsim.scenarios.running.run import Run, run
from kraftsim.scenarios.stage.stage import Stage
from tests.scenarios.request_worlds import running
from tests.worlds import pass_time

pytestmark = pytest.mark.slow


CUT = {"at": "2s", "id": "cut", "net.partition": {"on": 3001, "for": "10s"}}
ACTIVE_CUT = {"at": "2s", "net.partition": {"on": "$old", "for": "15s"}}


def scenario(*steps, **expect):
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "one",
            "claim": "Nothing happens.",
            "cluster": {"controllers": 3, "brokers": 2, "topics": {"t": {}}},
            "time": {"warmup": "1s", "run": "20s", "calm": "10s"},
            "let": {"old": "active", "other": {"nth": 1, "of": "standbys"}},
            "do": list(steps),
            "calm": {"heals": "all"},
            "expect": {"calm": []} | expect,
        }
    )


def came_about(condition, *steps, seed=1):
    """Did it, in this run?"""
    result = run(scenario(*steps, sometimes=[condition]), seed)
    assert not result.violations
    return not [text for text in result.vacuous if text.startswith("sometimes")]


def count(condition, *steps):
    (claim,) = run(scenario(*steps, measure={"it": {"count": condition}}), 1).measured
    return claim.value


CRASH = {"at": "2s", "proc.crash": {"on": 1, "for": "12s"}}
REMOVE = {"at": "2s", "quorum.remove": {"on": "$other"}}
TOPIC = {"at": "2s", "topic.create": {"name": "new", "partitions": 3, "replication": 2}}
CUT_JUST_BEFORE = ACTIVE_CUT | {"at": "3900ms"}
LOST = {"at": "4s", "topic.create": {"name": "x", "replication": 1, "refused": "NOT_CONTROLLER"}}


@pytest.mark.parametrize(
    ("condition", "steps", "is_so"),
    [
        ({"message": "BrokerHeartbeat", "from": 1, "to": "active"}, [], True),
        ({"message": "BrokerHeartbeat", "from": 1, "to": 2}, [], False),
        ({"message": "Vote"}, [], False),
        (
            {"message": "Vote", "from": {"other_than": "$old", "of": "controllers"}},
            [ACTIVE_CUT],
            True,
        ),
        ({"message": "BrokerHeartbeat", "from": "active", "to": 1, "replies": True}, [], True),
        ({"message": "BrokerHeartbeat", "from": 1, "replies": True}, [], False),
        ({"message": "Fetch", "from": 3001, "lost": True}, [CUT], True),
        ({"message": "Fetch", "from": 3000, "to": 3002, "lost": True}, [CUT], False),
        ({"message": "BrokerHeartbeat", "from": 1, "count": 5}, [], True),
        ({"message": "BrokerHeartbeat", "from": 1, "count": 50}, [], False),
    ],
)
def test_a_message_is_known_by_its_name_and_its_way(condition, steps, is_so):
    assert is_so is came_about(condition, *steps)


@pytest.mark.parametrize(
    ("condition", "steps", "is_so"),
    [
        ({"record": "NoOp"}, [], True),
        ({"record": "BrokerRegistrationChange", "of": 1}, [CRASH], True),
        ({"record": "BrokerRegistrationChange", "of": 2}, [CRASH], False),
        ({"record": "Partition", "count": 3}, [TOPIC], True),
        ({"record": "Partition", "count": 4}, [TOPIC], False),
        ({"record": "Voters"}, [REMOVE], True),
        (
            {"record": "LeaderChange", "of": {"other_than": "$old", "of": "controllers"}},
            [ACTIVE_CUT],
            True,
        ),
        ({"record": "LeaderChange", "of": "$old"}, [ACTIVE_CUT], False),
        ({"record": "Topic", "committed": False}, [TOPIC], True),
        ({"record": "Topic", "committed": False}, [CUT_JUST_BEFORE, LOST], True),
        ({"record": "Topic"}, [CUT_JUST_BEFORE, LOST], False),
    ],
)
def test_a_record_is_known_by_its_name_be_it_committed_or_appended(condition, steps, is_so):
    assert is_so is came_about(condition, *steps)


def test_each_record_counts_once_however_many_know_it():
    assert 1 == count({"record": "FenceBroker", "of": 1}, CRASH)
    assert 3 == count({"record": "Partition"}, TOPIC)
    assert 3 == count({"record": "Partition", "committed": False}, TOPIC)


@pytest.mark.parametrize(
    ("condition", "steps", "is_so"),
    [
        ({"controller": "$old", "role": "LEADER"}, [], True),
        ({"controller": "standbys", "role": "FOLLOWER"}, [], True),
        ({"controller": "$old", "role": "FOLLOWER"}, [], False),
        ({"controller": "$old", "role": "FOLLOWER"}, [ACTIVE_CUT], True),
        ({"controller": "$other", "role": "PROSPECTIVE"}, [ACTIVE_CUT], True),
        ({"controller": "controllers", "epoch_at_least": 2}, [ACTIVE_CUT], True),
        ({"controller": "controllers", "epoch_at_least": 9}, [], False),
        ({"controller": "controllers", "high_watermark_at_least": 40}, [], True),
        ({"controller": "controllers", "high_watermark_at_least": 4000}, [], False),
        ({"controller": "standbys", "log_end_at_least": 40, "state": "RUNNING"}, [], True),
        ({"controller": "standbys", "log_end_at_least": 40, "state": "PAUSED"}, [], False),
    ],
)
def test_a_controller_is_known_by_its_place_in_the_quorum(condition, steps, is_so):
    assert is_so is came_about(condition, *steps)


CUT_OTHER = {"at": "2s", "net.partition": {"on": "$other", "for": "10s"}}


@pytest.mark.rule("5.29", "5.30", "5.31")
@pytest.mark.parametrize(
    ("condition", "steps", "is_so"),
    [
        ({"replica": "controllers", "lag_at_most": 0}, [], True),
        ({"replica": "$other", "lag_at_least": 10}, [], False),
        ({"replica": "$other", "lag_at_least": 10}, [CUT_OTHER], True),
        ({"replica": "$other", "silent_for": "5s"}, [CUT_OTHER], True),
        ({"replica": "$other", "silent_for": "15s"}, [CUT_OTHER], False),
        ({"replica": "$other", "silent_for": "5s"}, [], False),
        ({"replica": "$other", "behind_for": "5s"}, [CUT_OTHER], True),
        ({"replica": "active", "lag_at_least": 1}, [], False),
        ({"replica": "brokers", "lag_at_most": 3}, [], True),
        (
            {"replica": 2, "lag_at_least": 10},
            [{"at": "2s", "net.hold": {"on": 2, "for": "8s"}}],
            True,
        ),
        ({"replica": 99, "lag_at_least": 0}, [], False),
    ],
)
def test_those_who_follow_are_as_the_leader_describes_them(condition, steps, is_so):
    assert is_so is came_about(condition, *steps)


def test_a_step_can_wait_for_a_message_a_record_or_a_lag():
    waits = [
        {"when": {"message": "Fetch", "from": "$other", "lost": True}, "note": {"text": "lost"}},
        {"when": {"record": "NoOp", "committed": False}, "note": {"text": "appended"}},
        {"when": {"replica": "$other", "lag_at_least": 8}, "note": {"text": "lags"}},
    ]

    assert "pass" == run(scenario(CUT_OTHER, *waits), 1).verdict


@pytest.mark.parametrize(
    "wrong",
    [
        {"controller": 3000},
        {"replica": 3000},
        {"controller": 3000, "role": "LEADING"},
        {"message": "Heartbeat"},
        {"record": "Fence"},
    ],
)
def test_a_condition_that_says_nothing_is_a_mistake(wrong):
    with pytest.raises(Problem):
        scenario(never=[wrong])


def test_conditions_are_written_as_they_were_read():
    conditions = [
        {"controller": "$old", "role": "LEADER", "epoch_at_least": 3},
        {"replica": "standbys", "lag_at_most": 3, "silent_for": "2s"},
        {"message": "Vote", "from": 3000, "to": "all", "replies": True, "lost": True},
        {"record": "NoOp", "committed": False},
    ]

    assert conditions == document_of(scenario(never=conditions))["expect"]["never"]


def test_looking_at_the_quorum_changes_nothing():
    claims = {
        "never": [{"replica": "all", "lag_at_least": 10_000}],
        "sometimes": [{"message": "Fetch"}, {"record": "NoOp", "committed": False}],
    }

    without = Run(scenario(CUT), 3, []).finish().digest

    assert without == Run(scenario(CUT, **claims), 3, []).finish().digest


def test_a_condition_of_brokers_sees_each_commit_and_each_change_of_its_selector():
    """It is evaluated again only then: most events change no registration."""
    world = running()
    stage = Stage(world)
    stage.bound["it"] = (broker_node(1),)
    is_unfenced = Condition.from_document({"broker": "$it", "state": "unfenced"}, ()).watched(stage)
    assert is_unfenced()

    world.agents[1].kill()
    assert world.run_until(lambda: not is_unfenced(), limit_us=20_000_000)
    stage.bound["it"] = (broker_node(2),)
    assert is_unfenced()
    stage.bound["it"] = (broker_node(1), broker_node(2))
    assert not is_unfenced()
    world.agents[1].start()
    pass_time(world, 2)

    assert is_unfenced()
