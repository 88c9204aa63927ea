"""The exit code of a command names the cause of its end, by one table."""

from collections.abc import Iterator
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
        ("topic show nosuch", FAILED),
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


def test_each_code_has_one_meaning() -> None:
    assert list(EXIT_CODES) == sorted(set(EXIT_CODES))
    assert all(meaning.endswith(".") for meaning in EXIT_CODES.values())
