"""What a property found, in words: no dictionaries, no bytes, no names of classes' fields."""

import re

import pytest

from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.files.mutant_files import reproducers
from kraftsim.files.scenario_files import read_file
from kraftsim.scenarios.mutants import MUTANTS
from kraftsim.scenarios.mutants.mutant import planted
from kraftsim.scenarios.oracles.breach_words import (
    differing,
    registration_words,
    with_topics,
    words,
)
from kraftsim.scenarios.running.until_broken import UntilBroken, violations_until

TOPIC = bytes(range(16))
FACT = {
    "replicas": (2, 1),
    "isr": (2,),
    "adding_replicas": (),
    "leader": 2,
    "leader_epoch": 3,
    "directories": (bytes(16), bytes(16)),
}
HEARTBEAT = BrokerHeartbeatRequest(
    broker_id=1,
    broker_epoch=13,
    current_metadata_offset=20,
    want_fence=True,
    want_shut_down=False,
)
RAW = re.compile(r"b'|b\"|\{'|\('|Request\(|Response\(|Record\(|=|\d us\b|\bTrue\b|\bNone\b")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (("Partition", TOPIC, 0), f"{uuid_text(TOPIC)}-0"),
        (("Broker", 1), "broker 1"),
        (("Config", 2, "orders"), "the configurations of topic orders"),
        (("Config", 4, ""), "the configurations of broker defaults"),
        (FACT, "replicas 2,1, ISR 2, leader 2, leader epoch 3"),
        (FACT | {"leader": -1}, "replicas 2,1, ISR 2, leader none, leader epoch 3"),
        (b"\x00\xff", "2 bytes"),
        (b"text", "text"),
        ({3, 10, 1}, "1, 3, 10"),
        ([], "none"),
        (None, "nothing"),
        (tuple(range(10)), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"),
        (
            HEARTBEAT,
            "BrokerHeartbeat (broker 1, broker epoch 13, current metadata offset 20, "
            "want fence yes, want shut down no)",
        ),
    ],
)
def test_a_value_in_words(value, said):
    assert said == words(value)


def test_of_two_facts_only_the_difference_is_said():
    assert ("ISR 2", "ISR 2,1") == differing(FACT, FACT | {"isr": (2, 1)})
    assert ("nothing", words(FACT)) == differing(None, FACT)


def test_a_topic_has_its_name():
    text = f"{words(('Partition', TOPIC, 4))} has no leader"

    assert "orders-4 has no leader" == with_topics(text, {TOPIC: "orders"})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fenced": True}, "fenced (epoch 9)"),
        ({"in_controlled_shutdown": True}, "in controlled shutdown (epoch 9)"),
        ({}, "unfenced (epoch 9)"),
    ],
)
def test_a_registration_is_its_state(changes, said):
    fact = {"fenced": False, "in_controlled_shutdown": False, "broker_epoch": 9}

    assert said == registration_words(fact | changes)


def test_a_broker_without_a_registration_is_not_registered():
    assert "not registered" == registration_words(None)


@pytest.mark.parametrize("bug", sorted(MUTANTS)[::4])
def test_the_violation_of_a_planted_bug_has_no_raw_values(bug):
    scenario = read_file(reproducers()[bug]).scenario
    with planted(MUTANTS[bug]):
        run = UntilBroken(scenario, scenario.pins[0].seed)
        violations = violations_until(run, lambda: run.finish().violations)

    assert [] == [found.what for found in violations if RAW.search(found.what)]
