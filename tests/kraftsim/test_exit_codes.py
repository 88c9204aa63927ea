"""The exit code of a command names the cause of its end, by one table."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kraftsim.cli import main as command_line
from kraftsim.errors import (
    EXIT_CODES,
    FAILED,
    GOOD,
    TIMED_OUT,
    UNREACHABLE,
    USAGE,
    CommandError,
    TimedOut,
    Unfinished,
    Unreachable,
    UsageError,
)
from tests.kraftsim.conftest import Service


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CommandError("x"), 1),
        (UsageError("x"), 2),
        (Unfinished("x"), 3),
        (TimedOut("x"), 4),
        (Unreachable("x"), 5),
        (ValueError("x"), 2),
        (OSError("x"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_error_has_its_code(error: BaseException, code: int, monkeypatch) -> None:
    def fail(_: object) -> int:
        raise error

    parser = command_line.build_parser()
    parser.set_defaults(run=fail)
    monkeypatch.setattr(command_line, "build_parser", lambda _: parser)

    assert code == command_line.main([])
    assert code in EXIT_CODES


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service(brokers=1)
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    yield service
    service.close()


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("broker list", GOOD),
        ("broker kill 9", FAILED),
        ("topic describe nosuch", FAILED),
        ("broker list --outptu json", USAGE),
        ("broker list --output xml", USAGE),
        ("scenario run nosuch", USAGE),
        ("wait --broker 1 --state fenced --timeout 1s", TIMED_OUT),
        ("broker list --url http://127.0.0.1:1", UNREACHABLE),
        ("events --follow --url http://127.0.0.1:1", UNREACHABLE),
    ],
)
def test_a_command_ends_with_the_code_of_its_cause(
    service: Service, run: Any, line: str, code: int
) -> None:
    assert run(line)[0] == code


FILES = ("/nonexistent/file", "/dev/null")
CONTROLLER = (
    "controller run --node-id 1 --cluster-id x --voters 1@127.0.0.1:9:JEXY6aqzQY-32P5TStzaFg"
)


@pytest.mark.parametrize(
    "line",
    [
        *(f"up {option} {path}" for option in ("--token-file", "--config") for path in FILES),
        *(f"{verb} --ready-file {path}" for verb in ("up", CONTROLLER) for path in FILES),
        f"agent --controller 127.0.0.1:1 --cluster-id x --config {FILES[0]}",
    ],
)
def test_a_file_that_a_service_cannot_use_is_found_before_it_starts(run: Any, line: str) -> None:
    option, path = line.split()[-2:]
    code, out, err = run(line)

    assert (code, out, len(err.splitlines())) == (USAGE, "", 1)
    assert err.startswith(f"kraftsim: {option}: ")
    assert path in err


@pytest.mark.parametrize("verb", ["lint", "run", "show"])
def test_a_scenario_is_a_regular_file(run: Any, verb: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)

    for path in (pipe, "/dev/zero"):
        code, _, err = run(f"scenario {verb} {path}")
        assert (code, err) == (
            USAGE,
            f"kraftsim: {path}: expected a regular file, got a special file\n",
        )


@pytest.mark.parametrize(
    "line",
    [
        "up --cluster-id x\ty",
        f"up --cluster-id {'x' * 256}",
        "agent --controller 127.0.0.1:1 --cluster-id x\ty",
        CONTROLLER.replace("--cluster-id x", "--cluster-id x\ty"),
    ],
)
def test_a_cluster_id_that_kafka_could_not_store_is_refused(
    capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert command_line.main(line.split(" ")) == USAGE
    assert "expected 1 to 255 printable characters without spaces, got " in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["0", "0s", "0ms"])
def test_a_limit_of_time_is_a_number_of_seconds_or_a_duration(run: Any, limit: str) -> None:
    code, _, err = run(f"scenario run clean-restart-inside-lease --time-limit {limit}")
    assert (code, "stopped by --time-limit (0 s)" in err) == (USAGE, True), "no run was started"

    code, _, err = run("scenario run clean-restart-inside-lease --time-limit soon")
    assert code == USAGE
    assert "--time-limit: expected a duration such as 11s, 250ms or 2m, got 'soon'" in err


def test_each_code_has_one_meaning() -> None:
    assert list(EXIT_CODES) == sorted(set(EXIT_CODES))
    assert all(meaning.endswith(".") for meaning in EXIT_CODES.values())
