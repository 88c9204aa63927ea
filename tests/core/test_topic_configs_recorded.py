"""Topic configurations, judged by the recorded answers of released controllers (rule 4.54)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kraftsim.controller.core.configs.configuration import RELEASES
from kraftsim.controller.core.log.records import TOPIC_RESOURCE, ConfigRecord
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, Profile
from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreatableTopicConfigEntry,
    CreateTopicsRequest,
)
from tests.builders import ControllerUnderTest

RECORDED = Path(__file__).parent / "recorded_topic_configs"
ROWS = [json.loads(line) for line in (RECORDED / "answers.jsonl").read_text().splitlines()]
DEFAULTS = json.loads((RECORDED / "defaults.json").read_text())
KAFKAS = tuple(DEFAULTS)


def profile_of(kafka: str) -> Profile:
    release = kafka.rpartition(".")[0]
    return KAFKA_3_9 if release == "3.9" else replace(KAFKA_4_3, topic_configs=release)


def recorded(row: dict[str, Any], kafka: str) -> dict[str, Any]:
    (answer,) = (answer for kafkas, answer in row["answers"].items() if kafka in kafkas.split())
    return answer


def written(records: list[Any]) -> dict[str, list[str]]:
    """The names of each topic's ConfigRecords."""
    names: dict[str, list[str]] = {}
    for record in records:
        if isinstance(record, ConfigRecord) and record.resource_type == TOPIC_RESOURCE:
            names.setdefault(record.resource_name, []).append(record.name)
    return names


def answers(kafka: str) -> list[dict[str, Any]]:
    """What the controller of this repository answers to every row."""
    cluster = ControllerUnderTest(profile_of(kafka))
    cluster.unfenced(1)
    mark = cluster.end
    topics = tuple(
        CreatableTopic(
            name=f"t{number}",
            configs=tuple(CreatableTopicConfigEntry(name=n, value=v) for n, v in row["configs"]),
        )
        for number, row in enumerate(ROWS)
    )
    results = cluster.accepted(CreateTopicsRequest(topics=topics)).topics
    names = written(cluster.records_since(mark))
    return [
        {"code": result.error_code, "message": result.error_message}
        if result.error_code
        else {"code": 0, "written": names.get(result.name, [])}
        for result in results
    ]


def test_every_release_that_has_a_table_is_recorded():
    assert tuple(kafka.rpartition(".")[0] for kafka in KAFKAS) == RELEASES


@pytest.mark.rule("4.54", "4.58")
@pytest.mark.parametrize("kafka", KAFKAS)
def test_every_recorded_set_gets_the_recorded_answer_and_records(kafka):
    different = [
        (row["configs"], recorded(row, kafka), ours)
        for row, ours in zip(ROWS, answers(kafka), strict=True)
        if recorded(row, kafka) != ours
    ]

    assert not different


@pytest.mark.rule("4.5", "4.54")
@pytest.mark.parametrize("kafka", KAFKAS)
def test_the_reply_shows_the_recorded_defaults(kafka):
    cluster = ControllerUnderTest(profile_of(kafka))
    cluster.unfenced(1)

    shown = cluster.created("t").configs

    assert DEFAULTS[kafka] == [[c.name, c.value, c.config_source] for c in shown]
    assert {(False, False)} == {(c.read_only, c.is_sensitive) for c in shown}
