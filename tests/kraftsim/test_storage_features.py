"""`storage version-mapping` and `feature-dependencies` print what kafka-storage of 4.3.1 prints."""

import json
from typing import Any

import pytest

from kraftsim.cli.main import main
from tests.released.storage_answers import ANSWERS, answers, cases

RECORDED: list[dict[str, Any]] = json.loads(ANSWERS.read_text("utf-8"))


def test_every_command_is_recorded() -> None:
    assert [tuple(answer["words"]) for answer in RECORDED] == list(cases())


@pytest.mark.rule("6.14", "6.24")
@pytest.mark.parametrize("answer", RECORDED, ids=lambda answer: " ".join(answer["words"]))
def test_a_command_prints_what_kafkas_prints(
    answer: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["storage", *answer["words"], "--profile", "kafka-4.3"])

    printed = capsys.readouterr()
    assert (code, printed.out) == (answer["exit_code"], answer["stdout"])
    assert printed.err.removeprefix("kraftsim: ").strip() == answer["stderr"].strip()


def test_programs_get_levels_and_requirements(run: Any) -> None:
    mapping = run("storage version-mapping -r 4.1 --profile kafka-4.1 --json")
    required = run("storage feature-dependencies -f eligible.leader.replicas.version=1 --json")

    assert json.loads(mapping[1])["features"] == {
        "metadata.version": 27,
        "kraft.version": 1,
        "transaction.version": 2,
        "group.version": 1,
        "eligible.leader.replicas.version": 1,
        "share.version": 0,
    }
    assert json.loads(required[1])["features"] == [
        {
            "feature": "eligible.leader.replicas.version",
            "level": 1,
            "requires": {"metadata.version": 23},
        }
    ]


@pytest.mark.released
def test_the_recorded_commands_are_those_of_the_released_kafka() -> None:
    assert answers() == RECORDED
