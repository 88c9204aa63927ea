"""A client cannot fill the log, nor write lines of its own into it (docs/security.md)."""

import json
import logging
from collections.abc import Iterator

import pytest

from kraftsim.service.log_lines import BURST, REPEAT_S, TEXTS_MAX, JsonLines, LogLimit


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[logging.Logger]:
    limit = LogLimit()
    caplog.handler.addFilter(limit)
    yield logging.getLogger("kraftsim.test")
    caplog.handler.removeFilter(limit)


def test_a_flood_of_one_kind_is_cut_off_and_counted(
    log: logging.Logger, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 1_000.0
    monkeypatch.setattr("time.monotonic", lambda: now_s)
    for number in range(1_000):
        log.warning("closing the connection from %s", number)
    assert len(caplog.messages) == BURST

    now_s += 1.0
    log.warning("closing the connection from %s", "another")
    assert caplog.messages[-1] == (
        f"closing the connection from another ({1_000 - BURST} similar lines were dropped)"
    )


def test_lines_of_another_kind_are_written_on(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(1_000):
        log.warning("closing the connection from %s", number)
    log.warning("the port is taken")
    assert caplog.messages[-1] == "the port is taken"


def test_equal_lines_are_written_every_few_seconds_with_a_count(
    log: logging.Logger, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 1_000.0
    monkeypatch.setattr("time.monotonic", lambda: now_s)
    for _ in range(20):
        for port in (1, 2):
            log.warning("closing the connection from %s", port)
    assert caplog.messages == [f"closing the connection from {port}" for port in (1, 2)]

    now_s += REPEAT_S
    log.warning("closing the connection from %s", 1)
    assert caplog.messages[2:] == ["closing the connection from 1 (38 similar lines were dropped)"]


def test_many_different_lines_are_not_all_remembered(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(TEXTS_MAX + 1):
        log.warning("closing the connection from %s", number)
    log.warning("closing the connection from %s", 0)

    assert caplog.messages.count("closing the connection from 0") == 2


def test_control_characters_forge_no_line(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    log.warning("client %s", "a\x1b[2K\r2026-01-01 kraftsim all is well\n")
    assert caplog.messages == ["client a\\x1b[2K\\r2026-01-01 kraftsim all is well\\n"]


def test_a_line_as_json_has_its_time_level_and_exception() -> None:
    try:
        raise ValueError("why")
    except ValueError as error:
        record = logging.LogRecord(
            "kraftsim", logging.ERROR, "", 1, "failed: %s", ("x",), (ValueError, error, None)
        )
    record.created = 1_767_225_600.25
    document = json.loads(JsonLines().format(record))

    assert document["time"] == "2026-01-01T00:00:00.250Z"
    assert (document["level"], document["message"]) == ("error", "failed: x")
    assert "ValueError: why" in document["exception"]
