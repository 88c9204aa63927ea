"""make differential refuses wrong arguments with a text, and says what it had when it is ended."""

import json
import signal
from pathlib import Path

import pytest

from tests.differential import command
from tests.differential.arguments import parse
from tests.differential.files import write
from tests.differential.generate import draw_sequence
from tests.differential.pair import CLUSTER_ID
from tests.released.releases import RELEASES

RELEASE = RELEASES["4.3.1"]


def file_with(path: Path, **changes: object) -> str:
    write(draw_sequence(RELEASE, CLUSTER_ID, 1, 3), path, release="3.9.1")
    document = json.loads(path.read_text("utf-8")) | changes
    path.write_text(json.dumps(document), "utf-8")
    return str(path)


def refusal(capsys, *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        parse(list(words))
    assert 2 == ended.value.code
    return capsys.readouterr().err


@pytest.mark.parametrize("count", ["-5", "0", "many"])
def test_at_least_one_sequence_is_drawn(capsys, count: str) -> None:
    assert "expected a number of at least 1" in refusal(capsys, f"--sequences={count}")


def test_only_names_sequences_of_the_run(capsys) -> None:
    assert ("25-64", "silent-1-3") == parse(["--only", "25-64", "silent-1-3"]).only
    assert "such as 1-64" in refusal(capsys, "--only", "64")
    refused = refusal(capsys, "--only", "1-64", "--sequences", "60")
    assert "--only 1-64: expected a number below 54" in refused


def test_a_file_is_judged_by_the_release_it_names(tmp_path) -> None:
    path = file_with(tmp_path / "one.json")

    assert "3.9.1" == parse(["--replay", path]).replay[0].release.version
    chosen = parse(["--replay", path, "--release", "4.1.1"])
    assert "4.1.1" == chosen.replay[0].release.version


UNREGISTER = {"api": "UnregisterBroker", "version": 0, "body": {"brokerId": 1}}


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"api": "UnregisterBrokers"}, "steps[0]: unknown api 'UnregisterBrokers'; known are"),
        ({"version": 9}, "steps[0]: unknown version 9 of UnregisterBroker; known are 0 to 0"),
        ({"body": {"brokerId": {"$brokr": 1}}}, "steps[0]: a symbol of the body is unknown"),
        ({"body": {"brokerId": {"$epoch": [1]}}}, "steps[0]: a symbol of the body is unknown or"),
        ({"body": {"broker": 1}}, "steps[0]: broker: expected"),
        ({"silence": {"seconds": 3}}, "steps[0]: expected a request with api, version and body"),
    ],
)
def test_a_wrong_step_is_named(capsys, tmp_path, step: dict[str, object], expected: str) -> None:
    path = file_with(tmp_path / "one.json", steps=[UNREGISTER | step])

    assert f"{path}: {expected}" in refusal(capsys, "--replay", path)


def test_a_wrong_file_is_named(capsys, tmp_path) -> None:
    absent, broken = tmp_path / "absent.json", tmp_path / "broken.json"
    broken.write_text("{", "utf-8")

    assert f"{absent}: expected a file of a sequence" in refusal(capsys, "--replay", str(absent))
    assert f"{broken}: expected JSON in UTF-8" in refusal(capsys, "--replay", str(broken))
    path = file_with(tmp_path / "one.json", release="4.9")
    assert f"{path}: unknown release '4.9'; known are" in refusal(capsys, "--replay", path)
    path = file_with(tmp_path / "one.json", metadata_version="4.9")
    assert f"{path}: unknown metadata_version '4.9'" in refusal(capsys, "--replay", path)


def test_keeping_needs_one_file_a_name_and_a_rule(capsys, tmp_path) -> None:
    path = file_with(tmp_path / "one.json")

    assert "--keep NAME and --rule" in refusal(capsys, "--replay", path, "--keep", "a-name")
    assert "one file of --replay, got 0" in refusal(capsys, "--keep", "a-name", "--rule", "5.57")
    words = ("--replay", path, "--keep", "a-name", "--rule")
    assert "expected 5.1 to 5." in refusal(capsys, *words, "5.999")
    assert "5.57" == parse([*words, "5.57"]).rule


@pytest.fixture
def signals():
    before = {number: signal.getsignal(number) for number in command.SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_a_signal_ends_says_what_it_had(capsys, signals, number, code) -> None:
    command.handle_signals()

    def judging(run) -> None:
        run.outcome.count(draw_sequence(RELEASE, CLUSTER_ID, 1, 3))
        signal.raise_signal(number)

    with pytest.raises(command.Interrupted) as ended:
        command.judge(RELEASE, 9, judging)

    assert code == ended.value.code
    printed = capsys.readouterr().out
    assert f"stopped early: signal, exit {code}; 1 of 9 sequences were judged" in printed
    assert "Kafka 4.3.1: 1 sequences" in printed


def test_without_java_the_judge_says_that_kafka_needs_it(capsys, signals, monkeypatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")

    assert 1 == command.main(["--sequences", "1"])

    assert "A released Kafka needs Java 17 or newer, got none on PATH" in capsys.readouterr().err


def test_a_profile_that_no_release_judges_is_refused_with_what_to_do(capsys) -> None:
    refused = refusal(capsys, "--release", "kafka-trunk")

    assert "no release judges the profile kafka-trunk: its rules are read, not judged" in refused
    assert "--release 4.4.0" in refused
    assert "expected a release, got a profile: try 4.3.1" in refusal(
        capsys, "--release", "kafka-4.3"
    )
