"""Small suites of users, which a pytest process of its own runs with the plugin."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.limits import LIMIT_S
from tests.plugin.sessions import ROOT, Sessions

# Every warning is an error but for two of others: pytest's about plugins that were imported before,
# and pytest-asyncio's about a suite that sets no asyncio_default_fixture_loop_scope.
STRICT = (
    *("-W", "error"),
    *("-W", "ignore:Module already imported"),
    *("-W", "ignore:The configuration option"),
)


class Suite:
    """A folder with one test file, `test_tool.py`, and what pytest prints about it."""

    def __init__(self, folder: Path, sessions: Sessions) -> None:
        self.folder = folder
        self._sessions = sessions

    def words(self, *arguments: str, plugins: str) -> list[str]:
        named = [word for name in plugins.split() for word in ("-p", name)]
        return ["-p", "kraftsim.pytest_plugin", *named, *arguments]

    def command(self, *arguments: str, plugins: str) -> list[str]:
        return [sys.executable, "-m", "pytest", *self.words(*arguments, plugins=plugins)]

    def write(self, text: str) -> None:
        (self.folder / "test_tool.py").write_text(f"import pytest\n{text}")

    def below(self, name: str) -> "Suite":
        """A suite whose root is the folder of this one, and whose tests are started below it."""
        (self.folder / "pytest.ini").write_text("[pytest]\n")
        (self.folder / name).mkdir()
        return Suite(self.folder / name, self._sessions)

    def run(self, text: str, *arguments: str, plugins: str = "") -> str:
        """Runs the tests; returns what pytest prints, with the counts in its last line."""
        self.write(text)
        output = self._sessions.run(self.folder, self.words(*arguments, plugins=plugins))
        assert "INTERNALERROR" not in output
        return output

    def start(self, text: str, *arguments: str, plugins: str = "") -> str:
        """Runs the tests in an interpreter that is started for them."""
        self.write(text)
        done = subprocess.run(
            self.command(*arguments, plugins=plugins),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert "INTERNALERROR" not in done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="session")
def sessions() -> Iterator[Sessions]:
    sessions = Sessions()
    yield sessions
    sessions.close()


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sessions: Sessions) -> Suite:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # each test names its plugins
    # with CI or BUILD_NUMBER, pytest repeats each whole error in its summary
    for name in ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS", "KRAFTSIM_HTTP"):
        monkeypatch.delenv(name, raising=False)
    return Suite(tmp_path, sessions)
