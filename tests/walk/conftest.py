"""A shell in which the walk runs lines of the command line, and what the lines need."""

from pathlib import Path

import pytest

from tests.walk.options import Shell
from tests.walk.prepared import Prepared


@pytest.fixture
def shell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Shell:
    return Shell(capsys, monkeypatch, tmp_path)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("prepared"))
