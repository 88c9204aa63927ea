"""Small suites of users, which a pytest process of its own runs with the plugin."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.limits import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]


class Suite:
    """A folder with one test file, `test_tool.py`, and what pytest prints about it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, *arguments: str, plugins: str) -> list[str]:
        named = [word for name in plugins.split() for word in ("-p", name)]
        return [sys.executable, "-m", "pytest", "-p", "kraftsim.pytest_plugin", *named, *arguments]

    def write(self, text: str) -> None:
        (self.folder / "test_tool.py").write_text(f"import pytest\n{text}")

    def below(self, name: str) -> "Suite":
        """A suite whose root is the folder of this one, and whose tests are started below it."""
        (self.folder / "pytest.ini").write_text("[pytest]\n")
        (self.folder / name).mkdir()
        return Suite(self.folder / name)

    def run(self, text: str, *arguments: str, plugins: str = "") -> str:
        """Runs the tests; returns stdout and, in its last line, the counts."""
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


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # each test names its plugins
    # with CI or BUILD_NUMBER, pytest repeats each whole error in its summary
    for name in ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS", "KRAFTSIM_HTTP"):
        monkeypatch.delenv(name, raising=False)
    return Suite(tmp_path)
