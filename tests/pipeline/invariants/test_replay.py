"""Another model of the log says what Kafka forbids, record by record."""

import json
from typing import Any

import pytest

from kraftsim.pipeline.invariants.recheck import run_violations, shard_violations
from kraftsim.pipeline.invariants.replay import Replay

pytestmark = pytest.mark.slow


Records = list[tuple[int, str, dict[str, Any]]]
TOPIC = {"name": "orders", "topicId": "T"}
PARTITION = {
    "partitionId": 0,
    "topicId": "T",
    "replicas": [1, 2],
    "isr": [1, 2],
    "leader": 1,
}


def registered(broker_id: int, epoch: int, incarnation: str = "first", **fields: Any) -> Any:
    said = {"brokerId": broker_id, "brokerEpoch": epoch, "incarnationId": incarnation}
    return "REGISTER_BROKER_RECORD", {**said, "fenced": True, **fields}


def changed(broker_id: int, epoch: int, **fields: Any) -> Any:
    said = {"brokerId": broker_id, "brokerEpoch": epoch}
    return "BROKER_REGISTRATION_CHANGE_RECORD", {**said, **fields}


HEALTHY = [
    (0, "LEADER_CHANGE", {"leaderId": 3000}),
    (1, *registered(1, 1)),
    (2, *changed(1, 1, fenced=-1)),
    (3, *registered(2, 3)),
    (4, *changed(2, 3, fenced=-1)),
    (5, "TOPIC_RECORD", TOPIC),
    (6, "PARTITION_RECORD", PARTITION),
]
MOVED = ("PARTITION_CHANGE_RECORD", {"topicId": "T", "partitionId": 0, "leader": 2, "isr": [2]})


def said_of(*more: Any, leader_epoch: int = 1) -> list[str]:
    replay, found = Replay(), []
    for offset, kind, data in HEALTHY:
        assert [] == list(replay.record(offset, offset, 1, kind, json.dumps(data)))
    for offset, (kind, data) in enumerate(more, 7):
        found += replay.record(offset, offset, leader_epoch, kind, json.dumps(data))
    return found


@pytest.mark.rule("2.21", "4.3")
def test_a_fence_that_moves_its_partitions_first_is_sound() -> None:
    assert [] == said_of(MOVED, changed(1, 1, fenced=1))


@pytest.mark.rule("2.21")
def test_whoever_is_fenced_leads_nothing() -> None:
    assert ["offset 7: broker 1 still leads orders-0"] == said_of(changed(1, 1, fenced=1))


@pytest.mark.rule("2.38")
def test_a_second_fence_is_sound() -> None:
    assert [] == said_of(MOVED, changed(1, 1, fenced=1), changed(1, 1, fenced=1))


@pytest.mark.rule("1.29")
def test_a_new_incarnation_has_a_new_and_higher_epoch() -> None:
    assert [] == said_of(registered(1, 7, "second"))
    (low,) = said_of(registered(1, 2, "second"))
    assert "gets epoch 2, not above 3" in low


@pytest.mark.rule("1.27")
def test_the_same_incarnation_keeps_its_epoch() -> None:
    assert [] == said_of(registered(1, 1, fenced=False))
    (other,) = said_of(registered(1, 7))
    assert "had epoch 1 and has 7" in other


@pytest.mark.rule("2.24")
def test_a_change_names_the_epoch_that_is_in_force() -> None:
    assert ["offset 7: broker 1 has epoch 1, not 3"] == said_of(changed(1, 3))
    assert ["offset 7: broker 9 is not registered"] == said_of(changed(9, 1))


def test_only_the_fenced_are_unfenced() -> None:
    (wrong,) = said_of(changed(1, 1, fenced=-1))
    assert "is unfenced and was not fenced" in wrong


@pytest.mark.rule("4.8", "4.26")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"isr": [1, 3]}, "ISR [1, 3], replicas [1, 2]"),
        ({"isr": [2]}, "leader 1, ISR [2]"),
        ({"leader": 3, "isr": [3], "replicas": [3]}, "elected 3 is unknown"),
        ({"eligibleLeaderReplicas": [2]}, "[2] are both in the ISR and in the ELR"),
    ],
)
def test_a_partition_is_led_by_one_of_those_in_sync(change, said: str) -> None:
    key = {"topicId": "T", "partitionId": 0}
    assert [f"offset 7: orders-0: {said}"] == said_of(("PARTITION_CHANGE_RECORD", key | change))


def test_nobody_who_is_fenced_is_elected() -> None:
    wrong = said_of(MOVED, changed(1, 1, fenced=1), ("PARTITION_CHANGE_RECORD", PARTITION))
    assert ["offset 9: orders-0: elected 1 is fenced"] == wrong


def test_a_topic_s_name_is_free_again_when_it_is_removed() -> None:
    removed, again = ("REMOVE_TOPIC_RECORD", {"topicId": "T"}), ("TOPIC_RECORD", TOPIC)

    assert ["offset 7: topic orders exists already"] == said_of(again)
    assert [] == said_of(removed, again)
    assert ["offset 8: topic T is removed and does not exist"] == said_of(removed, removed)


def test_an_epoch_begins_with_its_leader_and_has_one() -> None:
    assert ["leader epoch 2 begins with TOPIC_RECORD"] == said_of(
        ("TOPIC_RECORD", {"name": "other", "topicId": "U"}), leader_epoch=2
    )
    (two,) = said_of(("LEADER_CHANGE", {"leaderId": 3001}))
    assert "epoch 1 has two leaders, 3000 and 3001" in two


def test_a_kept_log_is_sound_and_agrees_with_all_that_was_written(shaky) -> None:
    plan = shaky.plan()
    assert [] == [
        violation
        for number in shaky.commits()
        for violation in shard_violations(shaky, plan, number)
    ]


def test_transitions_and_intervals_that_say_something_else_are_noticed() -> None:
    records = [("run", 0, at, at, 1, kind, json.dumps(data)) for at, kind, data in HEALTHY[:2]]
    elected = ("run", 0, 0, "controller_elected", None, 0)
    life = ("run", "log", "broker-1", "fenced", 1, 9, "registered", None)

    assert [(0, None), (1, None)] == [
        (t_us, seq) for t_us, seq, _ in run_violations(records, [elected], [])
    ]
    wrong = ("run", 1, 1, "broker_fenced", 1, 1)
    ((_, seq, said),) = run_violations(records, [elected, wrong], [life])
    assert 1 == seq
    assert "('broker_registered', 1) in the log, broker_fenced in transitions" in said
