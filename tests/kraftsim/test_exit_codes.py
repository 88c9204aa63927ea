"""The exit codes of the command line are those of one table, which docs/cli.md prints."""

import pytest

from kraftsim.cli import main as command_line
from kraftsim.errors import EXIT_CODES, CommandError, Unfinished, UsageError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CommandError("x"), 1),
        (UsageError("x"), 2),
        (Unfinished("x"), 3),
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
    monkeypatch.setattr(command_line, "build_parser", lambda verb: parser)

    assert code == command_line.main([])
    assert code in EXIT_CODES
