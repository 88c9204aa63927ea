"""An admin of a scenario deletes, grows, reassigns and configures topics, or is refused."""

import pytest

from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.running.run import Run


def finished(*steps):
    """The run of the steps on three brokers with the topic `orders` of two replicas."""
    words = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "Nothing happens.",
        "cluster": {"controllers": 1, "brokers": 3},
        "time": {"warmup": "1s", "run": "60s", "calm": "5s"},
        "do": [{"at": "1s", "topic.create": {"name": "orders", "replication": 2}}, *steps],
    }
    run = Run(read_scenario(words), 1, [])
    return run, run.finish()


def topic(run):
    image = run.world.committed
    return image.topics[image.topic_ids["orders"]]


def refusals(result):
    return [row.detail["error"] for row in result.rows if row.kind == "admin_refused"]


def test_a_topic_grows_and_is_deleted():
    run, result = finished(
        {"at": "2s", "id": "grow", "topic.alter": {"name": "orders", "partitions": 4}},
        {"at": "3s", "id": "shrink", "topic.alter": {"name": "orders", "partitions": 2}},
        {"at": "4s", "id": "gone", "topic.delete": {"name": "orders"}},
        {"at": "5s", "id": "again", "topic.delete": {"name": "orders"}},
    )

    assert [result.effects[step] for step in ("grow", "shrink", "gone", "again")] == [1, 0, 1, 0]
    assert refusals(result) == ["INVALID_PARTITIONS", "UNKNOWN_TOPIC_OR_PARTITION"]
    assert not run.world.committed.topics


def test_a_reassignment_moves_the_replicas_and_its_first_is_elected():
    run, result = finished(
        {"at": "2s", "id": "move", "reassignment.start": {"name": "orders", "to": [3, 1]}},
        {"at": "20s", "id": "late", "reassignment.cancel": {"name": "orders"}},
        {"at": "30s", "id": "elect", "topic.elect_leaders": {"name": "orders"}},
    )

    partition = topic(run).partitions[0]
    assert (list(partition.replicas), partition.leader) == ([3, 1], 3)
    assert (result.effects["move"], result.effects["late"]) == (1, 0)
    assert "NO_REASSIGNMENT_IN_PROGRESS" in refusals(result)


def test_a_cancelled_reassignment_leaves_the_replicas():
    run, result = finished(
        {"at": "2s", "id": "move", "reassignment.start": {"name": "orders", "to": "brokers"}},
        {"at": "2001ms", "id": "cancel", "reassignment.cancel": {"name": "orders"}},
    )

    assert (result.effects["move"], result.effects["cancel"]) == (1, 1)
    assert len(topic(run).partitions[0].replicas) == 2


def test_a_refused_configuration_is_an_effect_only_if_that_was_meant():
    words = {"name": "orders", "key": "retention.mss", "value": "1"}
    _, result = finished(
        {"at": "2s", "id": "wrong", "config.set": words},
        {"at": "3s", "id": "meant", "config.set": words | {"refused": "INVALID_CONFIG"}},
    )

    assert (result.effects["wrong"], result.effects["meant"]) == (0, 1)


@pytest.mark.parametrize(
    ("resource", "name", "key", "value"),
    [
        ("topic", "orders", "min.insync.replicas", "2"),
        ("broker", "default", "log.retention.ms", "7"),
        ("group", "readers", "consumer.session.timeout.ms", "50000"),
    ],
)
def test_a_configuration_is_set_and_deleted(resource, name, key, value):
    words = {"resource": resource, "name": name, "key": key}
    run, result = finished({"at": "2s", "id": "set", "config.set": words | {"value": value}})
    assert result.effects["set"] == 1
    assert value in [values.get(key) for values in run.world.committed.configs.values()]

    run, result = finished(
        {"at": "2s", "config.set": words | {"value": value}},
        {"at": "3s", "id": "gone", "config.set": words},
    )
    assert result.effects["gone"] == 1
    assert not [key for values in run.world.committed.configs.values() if values.get(key) == value]


@pytest.mark.parametrize(
    ("verb", "words", "message"),
    [
        ("topic.alter", {"name": "orders"}, "expected the key 'partitions'"),
        ("topic.elect_leaders", {"name": "a", "election": "uncleen"}, "'unclean' (nearest)"),
        ("config.set", {"name": "a", "key": "b", "resource": "topics"}, "'topic' (nearest)"),
        ("reassignment.begin", {"name": "a"}, "unknown verb 'reassignment.begin'"),
    ],
)
def test_a_wrong_word_is_refused_with_the_nearest(verb, words, message):
    with pytest.raises(Problem) as wrong:
        finished({"at": "2s", verb: words})

    assert message in str(wrong.value)
