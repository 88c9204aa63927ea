"""What a fault hits and how, from the words of its verb and the nodes of this run."""

import pytest

from kraftsim.scenarios.running.fault_words import fault_words, hit_by
from kraftsim.scenarios.verbs import VERBS
from tests.kraftsim.fault_words import WORDS
from tests.scenarios.request_worlds import begin, running

FULL = WORDS | {
    "topic.create": {"name": "orders", "partitions": 4},
    "topic.delete": {"name": "orders"},
    "topic.alter": {"name": "orders", "partitions": 6},
    "topic.elect_leaders": {"name": "orders", "election": "unclean"},
    "topic.write": {"name": "orders", "every": "1s", "records": 3},
    "reassignment.start": {"name": "orders", "partition": 1, "to": [3, 1]},
    "reassignment.cancel": {"name": "orders", "partition": 1},
    "config.set": {"name": "orders", "key": "retention.ms", "value": "5"},
    "broker.decommission": {"on": 2, "force": True},
    "broker.unregister": {"on": 2},
    "controller.unregister": {"on": 3001},
    "quota.set": {"user": "alice", "key": "request_percentage", "value": 5.0},
    "scram.set": {"user": "alice"},
    "acl.create": {"principal": "User:alice", "name": "orders"},
    "acl.delete": {"name": "orders"},
    "broker.add": {},
    "quorum.add": {"on": 3001},
    "quorum.remove": {"on": 3001},
    "features.update": {"feature": "metadata.version", "level": 3},
    "note": {"text": "hello"},
    "proc.move": {"on": 3001},
}
HIT = {
    "both sides and both ways": (
        "net.partition",
        {"between": [2, [3000, 3001]], "for": "30s"},
        "broker 2 | controllers 3000, 3001 (both ways, for 30s)",
    ),
    "one way": (
        "net.partition",
        {"from": "brokers", "to": 3001},
        "brokers 1, 2 -> controller 3001 (one way)",
    ),
    "one end only": (
        "net.delay",
        {"to": 1, "low": "1ms", "high": "2ms", "message": "BrokerHeartbeat", "replies": True},
        "every node -> broker 1 (one way, 1ms to 2ms, message BrokerHeartbeat, replies)",
    ),
    "a shape": (
        "net.partition",
        {"shape": "ring"},
        "ring among controllers 3000, 3001, 3002",
    ),
    "a duration alone": ("proc.pause", {"on": 2, "for": "13s"}, "broker 2 (13s)"),
    "a clock": ("clock.step", {"on": 3001, "by": "2s"}, "controller 3001 (by +2s)"),
    "a clock set back": ("clock.step", {"on": 3001, "by": "-2s"}, "controller 3001 (by -2s)"),
    "a switch": ("clock.suspend", {"on": 3001, "jumps": False}, "controller 3001 (no jumps)"),
    "a probability": (
        "net.loss",
        {"on": 2, "p": 0.4, "burst": 5},
        "every link of broker 2 (probability 0.4, burst 5)",
    ),
    "requests": (
        "rpc.drop",
        {
            "api": ["BrokerHeartbeat", "Fetch"],
            "broker": 2,
            "controller": 3000,
            "direction": "reply",
            "from": "2s",
        },
        "BrokerHeartbeat, Fetch of broker 2 at controller 3000 (from 2s, direction reply)",
    ),
    "requests that only are counted": ("rpc.observe", {"broker": 2}, "requests of broker 2"),
    "a drawn lag": (
        "rpc.delay",
        {"by": {"exponential": {"mean": "300ms"}}},
        "every request (by exponential mean 300ms)",
    ),
    "a successor": ("quorum.transfer", {"to": 3001}, "to controller 3001"),
    "a load": ("load.flood", {"every": "1s", "for": "3s"}, "every 1s, for 3s"),
    "several kinds": ("proc.crash", {"on": [2, 3000]}, "broker 2 and controller 3000"),
    "nobody": ("proc.crash", {"on": {"leader_of": "nothing"}}, "no node"),
}


@pytest.mark.parametrize(("verb", "words", "said"), HIT.values(), ids=HIT)
def test_a_fault_names_what_it_hits_and_its_amounts(verb, words, said):
    _, fault = begin(running(controllers=3), verb, words)

    assert said == fault_words(fault)


def test_a_selector_stands_for_the_nodes_that_it_selected():
    """Two equal selectors of one verb may select different nodes."""
    broker = {"pick": 1, "of": "brokers"}
    chosen = set()
    for seed in range(8):
        _, fault = begin(running(seed=seed), "net.partition", {"between": [broker, broker]})
        sides = [str(node) for group in fault.targets for node in group]
        assert f"{' | '.join(sides)} (both ways)" == fault_words(fault)
        chosen.add(tuple(sides))

    assert any(left != right for left, right in chosen)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_what_it_hits(verb):
    words = FULL.get(verb, {})
    _, fault = begin(running(controllers=3), verb, words)

    assert hit_by(fault)
    for selector, name in (
        (words.get("on"), "on"),
        (words.get("of"), "of"),
        (words.get("to"), "to"),
    ):
        if isinstance(selector, int):
            assert str(selector) in fault_words(fault), name
