"""Shells complete the words and options of the command line."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ASK = """\
source "$1"; shift
COMP_WORDS=(kraftsim "$@") COMP_CWORD=$#
_kraftsim
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def bash(run: Any, tmp_path: Path) -> Any:
    """Returns what bash offers after the given words, of which the last is incomplete."""
    script = tmp_path / "completion"
    code, text, _ = run("completion bash")
    assert code == 0
    script.write_text(text)

    def offered(*words: str) -> list[str]:
        command = ["bash", "-c", ASK, "bash", str(script), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    return offered


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sc"], ["scenario"]),
        (["broker", "k"], ["kill"]),
        (["broker", "un"], ["unmute", "undeafen"]),
        (["controller", "r"], ["resume", "run"]),
        (["broker", "list", "--out"], ["--output"]),
        (["broker", "list", "--output", ""], ["json", "yaml", "wide"]),
        (["broker", "kill", "2", "--js"], ["--json"]),
        (["--version", "qu"], ["quorum"]),
        (["completion", ""], ["--help", "bash", "zsh", "fish"]),
    ],
)
def test_bash_offers_what_can_follow(bash: Any, words: list[str], expected: list[str]) -> None:
    assert bash(*words) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_another_shell_is_sound(run: Any, tmp_path: Path, shell: str) -> None:
    script = tmp_path / "completion"
    script.write_text(run(f"completion {shell}")[1])
    assert "kraftsim" in script.read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(script)], check=True)


def test_an_unknown_shell_is_refused_with_the_known_shells(run: Any) -> None:
    code, _, err = run("completion bsh")

    assert code == 2
    assert "did you mean 'bash'?" in err
