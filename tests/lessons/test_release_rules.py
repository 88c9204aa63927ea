"""A story names the rules in which its release differs from others, and where each is written."""

import re
from pathlib import Path

import pytest

from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KIP_631, PROFILES, Profile
from kraftsim.lessons.release_rules import release_rules
from kraftsim.simulation.event_row import EVENTS

RULES = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")


def says(profile: Profile, topic: str) -> str:
    rules = release_rules(profile, profile.settings)
    (rule,) = (rule for rule in rules if rule["topic"] == topic)
    return rule["says"]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=str)
def test_every_rule_of_a_release_is_in_the_rule_book(profile: Profile) -> None:
    for rule in release_rules(profile, profile.settings):
        numbers = re.findall(r"\d+\.\d+", rule["source"])
        assert numbers
        assert all(f"#### {number}\n" in RULES for number in numbers)
        kinds = {kind for name in rule["on"] for kind in name.partition(":")[0].split(">")}
        assert kinds <= set(EVENTS)


def test_three_releases_end_a_lease_in_three_ways() -> None:
    sessions = [says(profile, "session") for profile in (KIP_631, KAFKA_3_9, KAFKA_4_3)]

    assert "lasts 18 s; the controller fences the broker as soon as" in sessions[0]
    assert "lasts 9 s; the controller fences the broker as soon as" in sessions[1]
    assert "lasts 9 s; the controller looks every 1.125 s" in sessions[2]


def test_a_setting_of_the_cluster_is_in_the_sentence() -> None:
    (session, *_) = release_rules(KAFKA_4_3, KIP_631.settings)

    assert "lasts 18 s; the controller looks every 2.25 s" in session["says"]


def test_two_releases_tell_ten_subjects_apart() -> None:
    topics = [rule["topic"] for rule in release_rules(KAFKA_4_3, KAFKA_4_3.settings)]

    assert len(set(topics)) == len(topics) == 11
    apart = [topic for topic in topics if says(KIP_631, topic) != says(KAFKA_4_3, topic)]
    assert apart == [topic for topic in topics if topic != "elections"]


def test_only_a_voter_of_3_9_raises_its_epoch_at_once() -> None:
    assert "raises its epoch at once" in says(KAFKA_3_9, "elections")
    assert "asks for pre-votes" in says(KAFKA_4_3, "elections")
