"""A shell in which the walk runs lines of the command line."""

from pathlib import Path

import pytest

from tests.walk.options import Shell


@pytest.fixture
def shell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Shell:
    return Shell(capsys, monkeypatch, tmp_path)
