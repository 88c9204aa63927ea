"""Shells complete the words and options of the command line."""

import os
import pty
import select
import shutil
import signal
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
        (["broker", "list", "--output", "="], ["json", "yaml", "wide"]),
        (["broker", "list", "--output", "=", "j"], ["json"]),
        (["broker", "kill", "2", "--js"], ["--json"]),
        (["--version", "qu"], ["quorum"]),
        (["completion", ""], ["--help", "bash", "zsh", "fish"]),
    ],
)
def test_bash_offers_what_can_follow(bash: Any, words: list[str], expected: list[str]) -> None:
    assert bash(*words) == expected


@pytest.fixture
def script(run: Any, tmp_path: Path, request: Any) -> Path:
    """The script of the shell that the test names; the test is skipped without that shell."""
    shell = request.param
    path = tmp_path / "completion"
    path.write_text(run(f"completion {shell}")[1])
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(path)], check=True)
    return path


@pytest.mark.parametrize("script", ["fish"], indirect=True)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kraftsim sc", ["scenario"]),
        ("kraftsim broker un", ["undeafen", "unmute"]),
        ("kraftsim broker list --output ", ["json", "wide", "yaml"]),
        ("kraftsim broker list --output=j", ["--output=json"]),
        ("kraftsim broker kill 2 --js", ["--json"]),
        ("kraftsim --version qu", ["quorum"]),
        ("kraftsim completion ", ["bash", "fish", "zsh"]),
    ],
)
def test_fish_offers_what_can_follow(script: Path, line: str, expected: list[str]) -> None:
    command = ["fish", "-N", "-c", f"source {script}; complete -C {line!r}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    offered = [offer.partition("\t")[0] for offer in done.stdout.splitlines()]
    assert (sorted(offered), done.stderr) == (expected, "")


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kraftsim sc", ["scenario"]),
        ("kraftsim broker un", ["undeafen  -- ", "unmute    -- "]),
        ("kraftsim broker list --output ", ["json", "wide", "yaml"]),
        ("kraftsim broker list --output=j", ["--output=json"]),
        ("kraftsim broker kill 2 --js", ["--json"]),
        ("kraftsim --version qu", ["quorum"]),
        ("kraftsim completion ", ["bash", "fish", "zsh"]),
    ],
)
def test_zsh_offers_what_can_follow(script: Path, line: str, expected: list[str]) -> None:
    printed = completed_by_zsh(script, line, expected)

    assert "not found" not in printed
    assert "_kraftsim:" not in printed, "an error of the script"


def completed_by_zsh(script: Path, line: str, expected: list[str]) -> str:
    """Returns what zsh prints after Tab, once it has printed all that is expected."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(script.parent)
        os.execvpe("zsh", ["zsh", "-f", "-i"], os.environ | {"TERM": "xterm", "PS1": "> "})
    try:
        os.write(terminal, f"source {script} && echo re''ady\n".encode())
        until(terminal, ["\nready"])
        os.write(terminal, f"{line}\t".encode())
        return until(terminal, expected)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def until(terminal: int, expected: list[str]) -> str:
    printed = ""
    while not all(text in printed for text in expected):
        readable, _, _ = select.select([terminal], [], [], 20)
        assert readable, f"expected {expected}, got {printed!r}"
        printed += os.read(terminal, 65536).decode(errors="replace").replace("\r\n", "\n")
    return printed


def test_an_unknown_shell_is_refused_with_the_known_shells(run: Any) -> None:
    code, _, err = run("completion bsh")

    assert code == 2
    assert "did you mean 'bash'?" in err
